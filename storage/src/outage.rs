//! The refusal of requests that the database cannot serve now, in the form of each protocol.

use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};

use crate::error::Error;
use crate::s3::xml;
use crate::tus::TusError;

/// The 503 of a request to `path` (below the prefix of this API) while the database is lost.
#[must_use]
pub fn unavailable(path: &str) -> Response {
    let error = Error::DatabaseLost;
    if path.starts_with("/s3") {
        let body = xml::error(path, &error).finish();
        return (StatusCode::SERVICE_UNAVAILABLE, [(CONTENT_TYPE, xml::CONTENT_TYPE_XML)], body).into_response();
    }
    if path.starts_with("/upload/resumable") {
        return TusError::Storage(error).into_response();
    }
    error.into_response()
}
