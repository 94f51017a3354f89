//! JSON answers, in the very type that this API's clients are used to.

use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::error::Error;

/// A value answered as JSON.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Json<T>(pub(crate) T);

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        match serde_json::to_vec(&self.0) {
            Ok(bytes) => ([(CONTENT_TYPE, "application/json; charset=utf-8")], bytes).into_response(),
            Err(source) => Error::Internal { context: "writing an answer", source: source.into() }.into_response(),
        }
    }
}
