//! Error responses of `/v1` and `/mcp`, `{"message": …}`, which the CLI and the MCP server display.

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde_json::json;

use crate::project::ProjectError;

/// Error response of `/v1` and `/mcp`.
#[derive(Debug)]
pub struct ApiError {
    /// HTTP status.
    pub status: StatusCode,
    /// Error message for the client.
    pub message: String,
}

impl ApiError {
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }

    /// Returns a 400 error for an invalid request.
    pub(crate) fn bad(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        (self.status, Json(json!({ "message": self.message }))).into_response()
    }
}

impl From<ProjectError> for ApiError {
    fn from(error: ProjectError) -> Self {
        let status = match &error {
            ProjectError::Invalid(_) | ProjectError::TransactionControl(_) | ProjectError::Sql(_) => {
                StatusCode::BAD_REQUEST
            }
            ProjectError::NotFound(_) => StatusCode::NOT_FOUND,
            ProjectError::Conflict(_) | ProjectError::NotWritable => StatusCode::CONFLICT,
            ProjectError::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            ProjectError::Unsupported(_) => StatusCode::NOT_IMPLEMENTED,
            ProjectError::Busy => StatusCode::TOO_MANY_REQUESTS,
            ProjectError::Unavailable | ProjectError::DiskFull => StatusCode::SERVICE_UNAVAILABLE,
            ProjectError::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self::new(status, error.to_string())
    }
}
