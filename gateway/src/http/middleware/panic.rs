//! A handler that panics answers 500, and the program lives on.

use std::any::Any;

use axum::response::{IntoResponse, Response};
use cloch_sql::supervise::panic_text;
use http::StatusCode;

/// The response; the panic's own text goes to the log, where someone must act on it.
pub(in crate::http) fn response(panic: Box<dyn Any + Send>) -> Response {
    tracing::error!(panic = panic_text(&*panic), "a request handler panicked");
    let body =
        serde_json::json!({ "code": "500", "error": "Internal Server Error", "message": "Internal Server Error" });
    (StatusCode::INTERNAL_SERVER_ERROR, axum::Json(body)).into_response()
}
