//! Error responses of the Management API, `{"message": …}`, which the CLI and the MCP server display.

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde_json::json;

/// Error response of the Management API.
#[derive(Debug)]
pub struct ApiError {
    /// HTTP status.
    pub status: StatusCode,
    /// Message for the client.
    pub message: String,
}

impl ApiError {
    pub(super) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }

    /// Returns a 400 error for an invalid request.
    pub(super) fn bad(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    /// Logs an internal error and returns a 500 error without its details.
    pub(super) fn internal(what: &str, error: impl std::fmt::Display) -> Self {
        tracing::error!(%error, "Management API: {what}");
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "Something went wrong; the server's log says what")
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        (self.status, Json(json!({ "message": self.message }))).into_response()
    }
}

impl From<sqlx::Error> for ApiError {
    fn from(error: sqlx::Error) -> Self {
        if cloch_sql::database::is_unavailable(&error) {
            return Self::new(StatusCode::SERVICE_UNAVAILABLE, "The database cannot be reached");
        }
        Self::internal("an SQL statement of Cloch failed", error)
    }
}

pub(super) async fn not_found() -> ApiError {
    ApiError::new(StatusCode::NOT_FOUND, "Cloch has no such endpoint of the Management API")
}

pub(super) async fn method_not_allowed() -> ApiError {
    let message = "Cloch does not change this over the Management API: what config.toml holds is changed there";
    ApiError::new(StatusCode::METHOD_NOT_ALLOWED, message)
}
