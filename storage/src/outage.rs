//! Responds to requests while the database is unavailable, in the format of each protocol.

use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};

use crate::error::Error;
use crate::s3::xml;
use crate::tus::{self, TusError};

/// Returns the 503 response to a request for `path` (relative to the mount point of the storage API) while the database is unavailable.
#[must_use]
pub fn unavailable(path: &str) -> Response {
    let error = Error::DatabaseLost;
    if path.starts_with("/s3") {
        let body = xml::error(path, &error).finish();
        return (StatusCode::SERVICE_UNAVAILABLE, [(CONTENT_TYPE, xml::CONTENT_TYPE_XML)], body).into_response();
    }
    if path.starts_with(tus::PATH) {
        return TusError::Storage(error).into_response();
    }
    error.into_response()
}
