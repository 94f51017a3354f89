//! Objects for the program's own functions: what HTTP offers, as Rust calls on behalf of a caller.

use axum::http::Request;
use axum::http::request::Parts;
use bytes::{Bytes, BytesMut};
use cloch_sql::Caller;
use futures_util::StreamExt;

use crate::backend::ByteStream;
use crate::error::{Error, Result};
use crate::object::meta::Meta;
use crate::object::{link, visible};
use crate::operation::Operation;
use crate::request::Asking;
use crate::rows::object;
use crate::state::StorageState;

/// An object that a caller may read.
pub struct Opened {
    /// Its type, as it was uploaded.
    pub content_type: String,
    /// Its size in bytes.
    pub size: u64,
    /// Its bytes.
    pub bytes: ByteStream,
}

impl std::fmt::Debug for Opened {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Opened")
            .field("content_type", &self.content_type)
            .field("size", &self.size)
            .finish_non_exhaustive()
    }
}

/// The storage API on behalf of one caller: PostgreSQL's policies decide, as they do over HTTP.
#[derive(Clone, Debug)]
pub struct StorageAs {
    state: StorageState,
    asking: Asking,
}

impl StorageState {
    /// The storage API on behalf of a caller.
    #[must_use]
    pub fn on_behalf_of(&self, caller: Caller) -> StorageAs {
        let (parts, ()): (Parts, ()) = Request::new(()).into_parts();
        StorageAs { state: self.clone(), asking: Asking::of_caller(&parts, caller) }
    }
}

impl StorageAs {
    /// Opens an object.
    ///
    /// # Errors
    /// [`Error::NoSuchBucket`] or [`Error::NoSuchKey`] when it is absent or the policies do not show it.
    pub async fn open(&self, bucket: &str, name: &str) -> Result<Opened> {
        let at = (bucket, name);
        let object = visible::to_caller(&self.state, &self.asking, Operation::ObjectGetAuthenticated, at).await?;
        let meta = Meta::of(&object);
        let key = meta.key()?;
        let size = meta.size.ok_or_else(|| Error::BlobMissing(key.to_string()))?;
        let bytes = self.state.backend().get(key, 0..size).await?.into_stream();
        let content_type = meta.media_type().to_string();
        Ok(Opened { content_type, size, bytes })
    }

    /// Reads an object whole, if it is no larger than `limit` bytes.
    ///
    /// # Errors
    /// As [`StorageAs::open`]; [`Error::EntityTooLarge`] beyond the limit.
    pub async fn read(&self, bucket: &str, name: &str, limit: u64) -> Result<Bytes> {
        let mut opened = self.open(bucket, name).await?;
        if opened.size > limit {
            return Err(Error::EntityTooLarge);
        }
        let mut all = BytesMut::with_capacity(usize::try_from(opened.size).unwrap_or(0));
        while let Some(chunk) = opened.bytes.next().await {
            all.extend_from_slice(&chunk?);
        }
        Ok(all.freeze())
    }

    /// Makes a link to an object, valid for so many seconds: a path with its token, below where this API is mounted.
    ///
    /// # Errors
    /// [`Error::NoSuchKey`] when the object is absent or the policies do not show it.
    pub async fn signed_path(&self, bucket: &str, name: &str, seconds: i64) -> Result<String> {
        let mut tx = self.asking.begin(&self.state, Operation::ObjectSign).await?;
        object::get(&mut tx, bucket, name).await?;
        tx.rollback().await?;
        let token = link::sign_download(self.state.verifier(), (bucket, name), seconds, serde_json::Map::new())?;
        Ok(link::path("object", (bucket, name), &token))
    }
}
