//! Converts a panic of a handler into a 500 response.

use std::any::Any;

use axum::response::{IntoResponse, Response};
use cloch_core::supervise::panic_text;
use http::StatusCode;

/// Creates the 500 response to a request whose handler panicked, and logs the message of the panic as an error.
pub(crate) fn response(panic: Box<dyn Any + Send>) -> Response {
    tracing::error!(panic = panic_text(&*panic), "http: request handler panicked, responding with status 500");
    let body =
        serde_json::json!({ "code": "500", "error": "Internal Server Error", "message": "Internal Server Error" });
    (StatusCode::INTERNAL_SERVER_ERROR, axum::Json(body)).into_response()
}
