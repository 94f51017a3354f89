//! A function's response, in the forms that functions-js distinguishes by `Content-Type`.

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

/// A function's response.
pub enum FunctionResponse {
    /// `application/json`: an object in JavaScript.
    Json(Value),
    /// `text/plain`: a string.
    Text(String),
    /// `application/octet-stream` or another binary type: a Blob.
    Binary(HeaderValue, Bytes),
    /// `text/event-stream`: functions-js returns the response itself, to be read event by event. Each value is one event's JSON.
    Events(BoxStream<'static, Value>),
}

impl FunctionResponse {
    /// A JSON response.
    ///
    /// # Errors
    /// When the value cannot be serialised as JSON, such as a map whose keys are not strings.
    pub fn json(value: &impl Serialize) -> Result<Self, FunctionError> {
        serde_json::to_value(value).map(Self::Json).map_err(|error| FunctionError::internal(&error))
    }

    /// A stream of events.
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
