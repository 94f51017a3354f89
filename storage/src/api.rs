//! The storage API for other crates of Cloch. Its Rust functions do the same as the HTTP endpoints, with the rights of a caller.

use axum::http::Request;
use axum::http::request::Parts;
use bytes::{Bytes, BytesMut};
use cloch_sql::Caller;
use futures_util::StreamExt;

use crate::backend::ByteStream;
use crate::db::objects;
use crate::error::{Error, Result};
use crate::model::object_path::ObjectPath;
use crate::operation::Operation;
use crate::read::access::{ReadGrant, ReadOperations};
use crate::request::Authenticated;
use crate::signed_url;
use crate::state::StorageState;

const OPERATIONS: ReadOperations = ReadOperations {
    by_token: Operation::ObjectGetAuthenticated,
    public: Operation::ObjectGetPublic,
    signed: Operation::ObjectGetSigned,
};

/// An object that the caller is allowed to read, with its content.
pub struct Opened {
    /// Media type of the object, as stored in the object's row.
    pub content_type: String,
    /// Size of the object in bytes.
    pub size: u64,
    /// Content of the object.
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

/// The storage API with the rights of one caller. PostgreSQL's row-level security policies control access, as for HTTP requests.
#[derive(Clone, Debug)]
pub struct StorageAs {
    state: StorageState,
    identity: Authenticated,
}

impl StorageState {
    /// Returns the storage API with the rights of `caller`.
    #[must_use]
    pub fn on_behalf_of(&self, caller: Caller) -> StorageAs {
        let (parts, ()): (Parts, ()) = Request::new(()).into_parts();
        StorageAs { state: self.clone(), identity: Authenticated::of_caller(&parts, caller) }
    }
}

impl StorageAs {
    /// Opens an object for reading.
    ///
    /// # Errors
    /// [`Error::NoSuchBucket`] or [`Error::NoSuchKey`] if the object does not exist or the RLS policies hide it from the caller.
    pub async fn open(&self, bucket: &str, name: &str) -> Result<Opened> {
        let grant = ReadGrant::by_token(ObjectPath::new(bucket, name), self.identity.clone());
        let meta = grant.load_row(&self.state, &OPERATIONS).await?.meta();
        let key = meta.key()?;
        let size = meta.size.ok_or_else(|| Error::BlobMissing(key.to_string()))?;
        let bytes = self.state.backend().get(key, 0..size).await?.into_stream();
        let content_type = meta.media_type().to_string();
        Ok(Opened { content_type, size, bytes })
    }

    /// Reads a whole object of at most `limit` bytes into memory.
    ///
    /// # Errors
    /// The same errors as [`StorageAs::open`], and [`Error::EntityTooLarge`] if the object is larger than `limit`.
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

    /// Creates a signed download URL of an object. The URL expires after `seconds` seconds. Returns the path with the token, relative to the
    /// mount point of the storage API.
    ///
    /// # Errors
    /// [`Error::NoSuchKey`] if the object does not exist or the RLS policies hide it from the caller.
    pub async fn signed_path(&self, bucket: &str, name: &str, seconds: i64) -> Result<String> {
        let mut tx = self.identity.begin(self.state.database(), Operation::ObjectSign).await?;
        let path = ObjectPath::new(bucket, name);
        objects::get(&mut tx, &path).await?;
        tx.rollback().await?;
        let token = signed_url::sign_download(self.state.verifier(), &path, seconds, serde_json::Map::new())?;
        Ok(signed_url::download_path("object", &path, &token))
    }
}
