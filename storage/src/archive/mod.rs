//! `POST /archive/{bucket}` {paths, names?, name?}: downloads several objects as one ZIP file. Supabase Storage has no such endpoint, and
//! no Supabase Storage path begins with `/archive`.
//!
//! The RLS policies are applied to all objects in one transaction; if one object is absent or hidden from the caller, the request fails.
//! The ZIP file is produced while it is sent: only one chunk of one object is in memory at a time.

mod entry_names;
mod zip_stream;

use std::collections::HashMap;

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION};
use axum::response::Response;
use futures_util::StreamExt;

use crate::content_disposition::attachment;
use crate::db::objects::{self, Object};
use crate::error::{Error, Result};
use crate::http_headers::put;
use crate::model::content_headers;
use crate::operation::Operation;
use crate::request::Authenticated;
use crate::request::json_body::JsonBody;
use crate::state::StorageState;
use crate::validation::media_type::MediaType;

use zip_stream::ZipEntry;

/// Maximum total size of all objects in one archive, in bytes.
const MAX_ARCHIVE_BYTES: u64 = 16 * 1024 * 1024 * 1024;
pub(crate) async fn handle(
    State(state): State<StorageState>,
    Path(bucket): Path<String>,
    identity: Authenticated,
    JsonBody(mut fields): JsonBody,
) -> Result<Response> {
    let paths = fields.required_texts("paths");
    let wanted = fields.texts("names");
    let name = fields.text("name");
    fields.finish()?;
    if wanted.as_ref().is_some_and(|names| names.len() != paths.len()) {
        return Err(Error::InvalidParameter("names must be as many as paths".to_owned()));
    }

    let permit = state.archive_permits().try_acquire()?;
    let mut tx = identity.begin(state.database(), Operation::ObjectGetAuthenticated).await?;
    let rows = objects::find_all(&mut tx, &bucket, &paths).await?;
    tx.rollback().await?;
    let rows: HashMap<&str, &Object> = rows.iter().map(|row| (row.name.as_str(), row)).collect();
    let found = paths.iter().map(|path| rows.get(path.as_str()).map(|row| row.meta()).ok_or(Error::NoSuchKey));
    let found = found.collect::<Result<Vec<_>>>()?;
    let names = entry_names::safe(wanted.as_ref().unwrap_or(&paths));
    let files =
        names.into_iter().zip(&found).map(|(name, meta)| ZipEntry::of(name, meta)).collect::<Result<Vec<_>>>()?;
    if files.iter().map(ZipEntry::size).fold(0, u64::saturating_add) > MAX_ARCHIVE_BYTES {
        return Err(Error::EntityTooLarge);
    }

    let bytes = zip_stream::stream(state.backend().clone(), files);
    // The stream holds the archive permit until the last byte is sent or the client disconnects.
    let bytes = bytes.inspect(move |_| {
        let _held = &permit;
    });
    let mut response = Response::new(Body::from_stream(bytes));
    let headers = response.headers_mut();
    content_headers::set(headers, &MediaType::parse_or_default("application/zip"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    put(headers, CONTENT_DISPOSITION, &attachment(&name.unwrap_or_else(|| format!("{bucket}.zip"))));
    Ok(response)
}
