//! Responses of functions, in the formats that functions-js distinguishes by `Content-Type`.

use std::convert::Infallible;

use axum::Json;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::Stream;
use futures_util::stream::BoxStream;
use http::HeaderValue;
use http::header::CONTENT_TYPE;
use serde::Serialize;
use serde_json::Value;

use crate::FunctionError;

/// Response of a function.
pub enum FunctionResponse {
    /// `application/json`, which functions-js parses to a JavaScript value.
    Json(Value),
    /// `text/plain`, which functions-js returns as a string.
    Text(String),
    /// `application/octet-stream` or another binary type, which functions-js returns as a Blob.
    Binary(HeaderValue, Bytes),
    /// `text/event-stream`: functions-js returns the `Response` object, so that the page can read one event after the other. Each value is
    /// the JSON data of one event.
    Events(BoxStream<'static, Value>),
}

impl FunctionResponse {
    /// Creates a JSON response.
    ///
    /// # Errors
    /// Fails if the value cannot be serialised as JSON, such as a map whose keys are not strings.
    pub fn json(value: &impl Serialize) -> Result<Self, FunctionError> {
        serde_json::to_value(value).map(Self::Json).map_err(|error| FunctionError::internal(&error))
    }

    /// Creates a response that streams events.
    pub fn events(stream: impl Stream<Item = Value> + Send + 'static) -> Self {
        Self::Events(Box::pin(stream))
    }
}

impl IntoResponse for FunctionResponse {
    fn into_response(self) -> Response {
        use futures_util::StreamExt;
        match self {
            Self::Json(value) => Json(value).into_response(),
            Self::Text(text) => text.into_response(),
            Self::Binary(content_type, bytes) => ([(CONTENT_TYPE, content_type)], bytes).into_response(),
            Self::Events(stream) => {
                let events = stream.map(|value| Ok::<_, Infallible>(Event::default().data(value.to_string())));
                Sse::new(events).keep_alive(KeepAlive::default()).into_response()
            }
        }
    }
}
