//! The response with an object's bytes: headers, conditional requests and ranges. The same for every kind of access.

use std::ops::Range;

use axum::body::Body;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_RANGE, EXPIRES, IF_MODIFIED_SINCE, IF_NONE_MATCH, RANGE,
};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use chrono::DateTime;

use super::meta::Meta;
use crate::backend::{BlobKey, Content};
use crate::error::{Error, Result};
use crate::http_headers::{attachment, header, put};
use crate::state::StorageState;
use crate::validation::byte_range;

/// The options of the response in a request and a signed URL.
#[derive(Clone, Debug, Default)]
pub(crate) struct ResponseOptions {
    /// The `Expires` header of a signed URL, in place of `Cache-Control`.
    pub(crate) expires: Option<String>,
    /// The file name of `?download`, to save the object as.
    pub(crate) save_as: Option<String>,
}

/// Responds with an object's bytes.
pub(crate) async fn object_response(
    state: &StorageState,
    headers: &HeaderMap,
    meta: &Meta,
    options: &ResponseOptions,
) -> Result<Response> {
    let key = meta.key()?;
    let size = meta.size.ok_or_else(|| Error::BlobMissing(key.to_string()))?;
    if is_unchanged(headers, meta) {
        return Ok(response(StatusCode::NOT_MODIFIED, headers, meta, options, Body::empty()));
    }
    let range = header(headers, RANGE.as_str()).filter(|text| !text.is_empty());
    let range = range.map(|text| byte_range::parse(text, size)).transpose()?;
    let part = range.clone().unwrap_or(0..size);
    let length = part.end - part.start;
    let content = content(state, key, part, size).await?;
    let body = match content {
        Content::Whole(bytes) => Body::from(bytes),
        content => Body::from_stream(content.into_stream()),
    };
    let status = if range.is_some() { StatusCode::PARTIAL_CONTENT } else { StatusCode::OK };
    let mut response = response(status, headers, meta, options, body);
    response.headers_mut().insert(CONTENT_LENGTH, length.into());
    if let Some(part) = range {
        put(response.headers_mut(), CONTENT_RANGE, &format!("bytes {}-{}/{size}", part.start, part.end - 1));
    }
    Ok(response)
}

/// Reads bytes of an object; those of a small one may come from the cache.
async fn content(state: &StorageState, key: BlobKey, part: Range<u64>, size: u64) -> Result<Content> {
    if size > state.object_cache().max_blob_bytes() {
        return state.backend().get(key, part).await;
    }
    let whole = match state.object_cache().blob(key) {
        Some(bytes) => bytes,
        None => match state.backend().get(key, 0..size).await? {
            Content::Whole(bytes) => {
                state.object_cache().insert_blob(key, &bytes);
                bytes
            }
            _ => return state.backend().get(key, part).await,
        },
    };
    let index = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(whole.len());
    Ok(Content::Whole(whole.slice(index(part.start)..index(part.end))))
}

/// The response with every header that does not depend on the bytes.
pub(crate) fn response(
    status: StatusCode,
    request: &HeaderMap,
    meta: &Meta,
    options: &ResponseOptions,
    body: Body,
) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    *headers = meta.headers.clone();
    match &options.expires {
        Some(expires) => put(headers, EXPIRES, expires),
        None => put_cache_control(headers, request, meta, "stale-while-revalidate=30"),
    }
    if let Some(name) = &options.save_as {
        put(headers, CONTENT_DISPOSITION, &attachment(name));
    }
    response
}

/// Sets `Cache-Control`, with an addition if the client has another version.
pub(crate) fn put_cache_control(headers: &mut HeaderMap, request: &HeaderMap, meta: &Meta, addition: &str) {
    let stale = header(request, IF_NONE_MATCH.as_str()).is_some_and(|known| Some(known) != meta.etag.as_deref());
    match (&meta.cache_control, stale) {
        (Some(value), true) => put(headers, CACHE_CONTROL, &format!("{value}, {addition}")),
        (Some(value), false) => put(headers, CACHE_CONTROL, value),
        (None, true) => put(headers, CACHE_CONTROL, addition),
        (None, false) => {}
    }
}

/// Whether the client has these bytes already: the entity tag is equal, or the object has not changed since.
fn is_unchanged(headers: &HeaderMap, meta: &Meta) -> bool {
    if let Some(known) = header(headers, IF_NONE_MATCH.as_str()) {
        return Some(known) == meta.etag.as_deref();
    }
    // The day of the week is redundant, so a wrong one is ignored.
    let since =
        header(headers, IF_MODIFIED_SINCE.as_str()).map(|text| text.split_once(", ").map_or(text, |(_, date)| date));
    let since = since.and_then(|date| DateTime::parse_from_rfc2822(date).ok());
    match (since, meta.last_modified) {
        (Some(since), Some(modified)) => modified.timestamp() <= since.timestamp(),
        _ => false,
    }
}
