//! `POST /archive/{bucket}` {paths, names?, name?}: several objects as one zip file. Upstream has no such endpoint, and none of
//! its paths begins so.
//!
//! The caller's policies say which objects there are, in one transaction; one that they do not show refuses the whole. The zip is
//! written while it is read: one chunk of one object is in memory at a time.

mod names;
mod pack;

use std::collections::HashMap;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION};
use axum::response::Response;
use futures_util::StreamExt;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::{Error, Result};
use crate::object::content_headers;
use crate::object::meta::Meta;
use crate::object::serve::{disposition, put};
use crate::operation::Operation;
use crate::request::Asking;
use crate::request::json::JsonBody;
use crate::rows::object::{self, Object};
use crate::rules::mime::MediaType;
use crate::state::StorageState;

use pack::Packed;

/// Bytes of all objects in one archive.
const MAX_BYTES: u64 = 16 * 1024 * 1024 * 1024;
/// Archives that are packed at once on this node.
const MAX_AT_ONCE: usize = 16;

/// The right to pack one of a few archives.
#[derive(Debug)]
pub(crate) struct Packers(Arc<Semaphore>);

impl Default for Packers {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(MAX_AT_ONCE)))
    }
}

impl Packers {
    /// # Errors
    /// [`Error::Busy`] when all are at work.
    fn take(&self) -> Result<OwnedSemaphorePermit> {
        let packer = self.0.clone().try_acquire_owned();
        packer.map_err(|_| Error::Busy("Too many archives are being packed. Please try again later."))
    }
}

/// Answers with the zip file.
pub(crate) async fn handle(
    State(state): State<StorageState>,
    Path(bucket): Path<String>,
    asking: Asking,
    JsonBody(mut fields): JsonBody,
) -> Result<Response> {
    let paths = fields.required_texts("paths");
    let wanted = fields.texts("names");
    let name = fields.text("name");
    fields.finish()?;
    if wanted.as_ref().is_some_and(|names| names.len() != paths.len()) {
        return Err(Error::InvalidParameter("names must be as many as paths".to_owned()));
    }

    let packer = state.packers().take()?;
    let mut tx = asking.begin(&state, Operation::ObjectGetAuthenticated).await?;
    let rows = object::find_all(&mut tx, &bucket, &paths).await?;
    tx.rollback().await?;
    let rows: HashMap<&str, &Object> = rows.iter().map(|row| (row.name.as_str(), row)).collect();
    let found = paths.iter().map(|path| rows.get(path.as_str()).map(|row| Meta::of(row)).ok_or(Error::NoSuchKey));
    let found = found.collect::<Result<Vec<_>>>()?;
    let names = names::safe(wanted.as_ref().unwrap_or(&paths));
    let files = names.into_iter().zip(&found).map(|(name, meta)| Packed::of(name, meta)).collect::<Result<Vec<_>>>()?;
    if files.iter().map(Packed::size).fold(0, u64::saturating_add) > MAX_BYTES {
        return Err(Error::EntityTooLarge);
    }

    let bytes = pack::stream(state.backend().clone(), files);
    // The packer is at work until the last byte is taken, or the client leaves.
    let bytes = bytes.inspect(move |_| {
        let _at_work = &packer;
    });
    let mut response = Response::new(Body::from_stream(bytes));
    let headers = response.headers_mut();
    content_headers::set(headers, &MediaType::parse_or_default("application/zip"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    put(headers, CONTENT_DISPOSITION, &disposition(&name.unwrap_or_else(|| format!("{bucket}.zip"))));
    Ok(response)
}
