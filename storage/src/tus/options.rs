//! `OPTIONS /upload/resumable`: returns the capabilities of the server.

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode};

use super::headers::ALGORITHMS;
use super::headers::PROTOCOL_VERSION;
use crate::state::StorageState;

const EXTENSIONS: &str = "creation,creation-with-upload,creation-defer-length,termination,expiration,checksum";
const REQUEST_HEADERS: &str = "Authorization, X-Requested-With, X-Request-ID, X-HTTP-Method-Override, Upload-Length, \
     Upload-Offset, Tus-Resumable, Upload-Metadata, Upload-Defer-Length, Upload-Concat, Upload-Checksum, Content-Type, \
     X-Upsert, Upload-Expires, ApiKey, x-signature";

/// Returns TUS version, extensions and maximum size of uploads. Requires no authentication.
pub(crate) async fn options(State(state): State<StorageState>) -> (StatusCode, HeaderMap) {
    let mut headers = HeaderMap::new();
    for (name, value) in [
        ("tus-resumable", PROTOCOL_VERSION),
        ("tus-version", PROTOCOL_VERSION),
        ("tus-extension", EXTENSIONS),
        ("tus-checksum-algorithm", ALGORITHMS),
        ("access-control-allow-origin", "*"),
        ("access-control-allow-methods", "POST, HEAD, PATCH, OPTIONS, DELETE"),
        ("access-control-allow-headers", REQUEST_HEADERS),
        ("access-control-max-age", "86400"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.insert("tus-max-size", state.settings().file_size_limit.into());
    (StatusCode::NO_CONTENT, headers)
}
