//! The answer that carries an object's bytes: headers, conditions, ranges. The same for every way to an object.

use std::ops::Range;

use axum::body::Body;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_RANGE, EXPIRES, IF_MODIFIED_SINCE, IF_NONE_MATCH, RANGE,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use chrono::{DateTime, Utc};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::meta::Meta;
use crate::backend::{BlobKey, Content};
use crate::error::{Error, Result};
use crate::rules::range;
use crate::state::StorageState;

/// What `encodeURIComponent` leaves alone.
const COMPONENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'!')
    .remove(b'~')
    .remove(b'*')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')');

/// How long a link lasts, and as what a file shall be saved.
#[derive(Clone, Debug, Default)]
pub(crate) struct Serving {
    /// The `Expires` header of a signed link, in place of `Cache-Control`.
    pub(crate) expires: Option<String>,
    /// `?download`, with the name to save as.
    pub(crate) download: Option<String>,
}

/// Answers with an object's bytes.
pub(crate) async fn serve(
    state: &StorageState,
    headers: &HeaderMap,
    meta: &Meta,
    serving: &Serving,
) -> Result<Response> {
    let key = meta.key()?;
    let size = meta.size.ok_or_else(|| Error::BlobMissing(key.to_string()))?;
    if is_unchanged(headers, meta) {
        return Ok(response(StatusCode::NOT_MODIFIED, headers, meta, serving, Body::empty()));
    }
    let asked = header(headers, &RANGE).filter(|text| !text.is_empty());
    let wanted = asked.map(|text| range::parse(text, size)).transpose()?;
    let part = wanted.clone().unwrap_or(0..size);
    let length = part.end - part.start;
    let content = content(state, key, part, size).await?;
    let file = if let Content::File(bytes) = &content { Some(bytes.clone()) } else { None };
    let body = match content {
        Content::Whole(bytes) => Body::from(bytes),
        content => Body::from_stream(content.into_stream()),
    };
    let status = if wanted.is_some() { StatusCode::PARTIAL_CONTENT } else { StatusCode::OK };
    let mut response = response(status, headers, meta, serving, body);
    // For a connection that can have the system send them: the body's bytes, without the body.
    if let Some(file) = file {
        response.extensions_mut().insert(file);
    }
    response.headers_mut().insert(CONTENT_LENGTH, length.into());
    if let Some(part) = wanted {
        put(response.headers_mut(), CONTENT_RANGE, &format!("bytes {}-{}/{size}", part.start, part.end - 1));
    }
    Ok(response)
}

/// Bytes of an object: of a small one those that are remembered.
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

/// The answer with every header that does not depend on the bytes.
pub(crate) fn response(
    status: StatusCode,
    request: &HeaderMap,
    meta: &Meta,
    serving: &Serving,
    body: Body,
) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    *headers = meta.headers.clone();
    match &serving.expires {
        Some(expires) => put(headers, EXPIRES, expires),
        None => put_cache_control(headers, request, meta, "stale-while-revalidate=30"),
    }
    if let Some(name) = &serving.download {
        put(headers, CONTENT_DISPOSITION, &disposition(name));
    }
    response
}

/// Sets `Cache-Control`, with an addition when the client has another version.
pub(crate) fn put_cache_control(headers: &mut HeaderMap, request: &HeaderMap, meta: &Meta, addition: &str) {
    let stale = header(request, &IF_NONE_MATCH).is_some_and(|known| Some(known) != meta.etag.as_deref());
    match (&meta.cache_control, stale) {
        (Some(value), true) => put(headers, CACHE_CONTROL, &format!("{value}, {addition}")),
        (Some(value), false) => put(headers, CACHE_CONTROL, value),
        (None, true) => put(headers, CACHE_CONTROL, addition),
        (None, false) => {}
    }
}

/// Sets a header; a stored value that no header can carry is left out.
pub(crate) fn put(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

fn header<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Whether the client has these bytes already: the same entity tag, or no change since.
fn is_unchanged(headers: &HeaderMap, meta: &Meta) -> bool {
    if let Some(known) = header(headers, &IF_NONE_MATCH) {
        return Some(known) == meta.etag.as_deref();
    }
    // The day of the week says nothing, so a wrong one does no harm.
    let since = header(headers, &IF_MODIFIED_SINCE).map(|text| text.split_once(", ").map_or(text, |(_, date)| date));
    let since = since.and_then(|date| DateTime::parse_from_rfc2822(date).ok());
    match (since, meta.last_modified) {
        (Some(since), Some(modified)) => modified.timestamp() <= since.timestamp(),
        _ => false,
    }
}

/// A time as HTTP writes it.
pub(crate) fn http_date(time: DateTime<Utc>) -> String {
    time.format("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

/// `Content-Disposition` of a file to be saved under a name.
pub(crate) fn disposition(name: &str) -> String {
    if name.is_empty() {
        return "attachment;".to_owned();
    }
    let encoded = utf8_percent_encode(name, COMPONENT);
    format!("attachment; filename={encoded}; filename*=UTF-8''{encoded}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_name_cannot_leave_its_header() {
        assert_eq!(disposition(""), "attachment;");
        assert_eq!(
            disposition("a\"; x=\r\nö.txt"),
            "attachment; filename=a%22%3B%20x%3D%0D%0A%C3%B6.txt; filename*=UTF-8''a%22%3B%20x%3D%0D%0A%C3%B6.txt"
        );
    }
}
