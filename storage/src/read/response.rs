//! Creates responses with an object's content: headers, conditional requests and ranges. All kinds of read access use this module.

use std::ops::Range;

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_RANGE, EXPIRES};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;

use crate::backend::{BlobKey, Content};
use crate::conditions::{Conditions, requested_range};
use crate::content_disposition::attachment;
use crate::error::{Error, Result};
use crate::http_headers::put;
use crate::model::meta::Meta;
use crate::state::StorageState;

/// Options of a download response, from the query and the signed URL of a request.
#[derive(Clone, Debug, Default)]
pub(crate) struct ResponseOptions {
    /// `Expires` header of a signed URL, which is sent instead of `Cache-Control`.
    pub(crate) expires: Option<String>,
    /// File name in the parameter `download`, for `Content-Disposition: attachment`.
    pub(crate) save_as: Option<String>,
}

/// Which bytes of an object the response contains.
#[derive(Clone, Debug)]
pub(crate) enum Bytes {
    /// The byte range in the `Range` header, or all bytes without this header.
    Ranged,
    /// All bytes, because a HEAD request ignores `Range` (RFC 9110, 14.2).
    Whole,
    /// A byte range that is not given by the `Range` header, such as a part of a multipart upload.
    Part(Range<u64>),
}

/// Returns the response to a GET request for an object.
pub(crate) async fn object_response(
    state: &StorageState,
    headers: &HeaderMap,
    meta: &Meta,
    options: &ResponseOptions,
    bytes: Bytes,
) -> Result<Response> {
    let key = meta.key()?;
    let size = meta.size.ok_or_else(|| Error::BlobMissing(key.to_string()))?;
    let mut response = head_response(headers, meta, options, bytes.clone())?;
    if response.status() != StatusCode::NOT_MODIFIED {
        let part = part(headers, meta, size, bytes)?.unwrap_or(0..size);
        *response.body_mut() = match content(state, key, part, size).await? {
            Content::Whole(bytes) => Body::from(bytes),
            content => Body::from_stream(content.into_stream()),
        };
    }
    Ok(response)
}

/// Returns the response to a HEAD request: the headers of a GET response without its body.
pub(crate) fn head_response(
    headers: &HeaderMap,
    meta: &Meta,
    options: &ResponseOptions,
    bytes: Bytes,
) -> Result<Response> {
    if !Conditions::of_read(headers).wants_representation(meta.validators())? {
        return Ok(response(StatusCode::NOT_MODIFIED, headers, meta, options, Body::empty()));
    }
    let Some(size) = meta.size else { return Ok(response(StatusCode::OK, headers, meta, options, Body::empty())) };
    let part = part(headers, meta, size, bytes)?;
    let status = if part.is_some() { StatusCode::PARTIAL_CONTENT } else { StatusCode::OK };
    let mut response = response(status, headers, meta, options, Body::empty());
    if let Some(part) = &part {
        put(response.headers_mut(), CONTENT_RANGE, &format!("bytes {}-{}/{size}", part.start, part.end - 1));
    }
    let length = part.map_or(size, |part| part.end - part.start);
    response.headers_mut().insert(CONTENT_LENGTH, length.into());
    Ok(response)
}

fn part(headers: &HeaderMap, meta: &Meta, size: u64, bytes: Bytes) -> Result<Option<Range<u64>>> {
    match bytes {
        Bytes::Ranged => requested_range(headers, meta.validators(), size),
        Bytes::Whole => Ok(None),
        // `Content-Range` cannot express an empty byte range, so an empty part counts as no range.
        Bytes::Part(part) => Ok(Some(part).filter(|part| !part.is_empty())),
    }
}

/// Reads a byte range of an object. The content of small objects is read through the object cache.
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

/// Creates a download response with all headers that do not depend on the byte range.
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

/// Sets `Cache-Control` of a download response. Appends the text `addition` if the client has cached other content: its `If-None-Match` is
/// present and does not contain the current entity tag.
pub(crate) fn put_cache_control(headers: &mut HeaderMap, request: &HeaderMap, meta: &Meta, addition: &str) {
    let stale = Conditions::of_read(request).knows_another(meta.validators());
    match (&meta.cache_control, stale) {
        (Some(value), true) => put(headers, CACHE_CONTROL, &format!("{value}, {addition}")),
        (Some(value), false) => put(headers, CACHE_CONTROL, value),
        (None, true) => put(headers, CACHE_CONTROL, addition),
        (None, false) => {}
    }
}
