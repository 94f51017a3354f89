//! Responses to requests whose endpoint or method Cloch's Management API does not have.

use http::StatusCode;

use super::ApiError;

pub(super) async fn not_found() -> ApiError {
    ApiError::new(StatusCode::NOT_FOUND, "Cloch has no such endpoint of the Management API")
}

pub(super) async fn method_not_allowed() -> ApiError {
    let message = "Cloch does not change this over the Management API: what config.toml holds is changed there";
    ApiError::new(StatusCode::METHOD_NOT_ALLOWED, message)
}
