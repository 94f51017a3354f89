//! A request's body, read whole: into memory of its size once.

use axum::body::Body;
use bytes::{Bytes, BytesMut};
use http::HeaderMap;
use http_body_util::BodyExt;

use super::error::ApiError;

/// Reads a body of at most `limit` bytes.
pub(super) async fn read(headers: &HeaderMap, mut body: Body, limit: usize) -> Result<Bytes, ApiError> {
    let length = headers.get(http::header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    if length.is_some_and(|length| length > limit) {
        return Err(ApiError::body_too_large(limit));
    }
    let mut whole = BytesMut::with_capacity(length.unwrap_or_default());
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| ApiError::invalid_body(format!("The body could not be read: {error}")))?;
        let Ok(data) = frame.into_data() else { continue };
        if whole.len() + data.len() > limit {
            return Err(ApiError::body_too_large(limit));
        }
        whole.extend_from_slice(&data);
    }
    Ok(whole.freeze())
}
