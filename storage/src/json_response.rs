//! Creates JSON responses with the `Content-Type` that Supabase Storage sends.

use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// A JSON response with `charset=utf-8` in its `Content-Type`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Json<T>(pub(crate) T);

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        match serde_json::to_vec(&self.0) {
            Ok(bytes) => ([(CONTENT_TYPE, "application/json; charset=utf-8")], bytes).into_response(),
            Err(error) => {
                tracing::error!(%error, "storage: encoding a response as JSON failed, responding with status 500");
                StatusCode::INTERNAL_SERVER_ERROR.into_response()
            }
        }
    }
}
