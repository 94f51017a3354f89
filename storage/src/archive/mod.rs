//! `POST /archive/{bucket}` {paths, names?, name?}: several objects as one zip file. Upstream has no such endpoint, and none of
//! its paths begins so.
//!
//! The caller's policies say which objects there are, in one transaction; one that they do not show refuses the whole. The zip is
//! written while it is read: one chunk of one object is in memory at a time.

mod names;
mod pack;

use std::collections::HashMap;

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use axum::response::Response;

use crate::error::{Error, Result};
use crate::object::meta::Meta;
use crate::object::serve::{disposition, put};
use crate::operation::Operation;
use crate::request::Asking;
use crate::request::json::JsonBody;
use crate::rows::object::{self, Object};
use crate::state::StorageState;

use pack::Packed;

/// Objects in one archive.
const MAX_PATHS: usize = 1000;

/// Answers with the zip file.
pub(crate) async fn handle(
    State(state): State<StorageState>,
    Path(bucket): Path<String>,
    asking: Asking,
    JsonBody(mut fields): JsonBody,
) -> Result<Response> {
    let paths = fields.required_texts("paths", 1, MAX_PATHS);
    let wanted = fields.texts("names");
    let name = fields.text("name");
    fields.finish()?;
    if wanted.as_ref().is_some_and(|names| names.len() != paths.len()) {
        return Err(Error::InvalidParameter("names must be as many as paths".to_owned()));
    }

    let mut tx = asking.begin(&state, Operation::ObjectGetAuthenticated).await?;
    let rows = object::find_all(&mut tx, &bucket, &paths).await?;
    tx.rollback().await?;
    let rows: HashMap<&str, &Object> = rows.iter().map(|row| (row.name.as_str(), row)).collect();
    let names = names::safe(wanted.as_ref().unwrap_or(&paths));
    let files = paths.iter().zip(names).map(|(path, name)| {
        let row = rows.get(path.as_str()).ok_or(Error::NoSuchKey)?;
        Packed::of(name, &Meta::of(row))
    });
    let files = files.collect::<Result<Vec<_>>>()?;

    let mut response = Response::new(Body::from_stream(pack::stream(state.backend().clone(), files)));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/zip"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    put(headers, CONTENT_DISPOSITION, &disposition(&name.unwrap_or_else(|| format!("{bucket}.zip"))));
    Ok(response)
}
