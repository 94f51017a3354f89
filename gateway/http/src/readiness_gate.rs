//! Responds to requests with 503 until the program has started.

use std::sync::{Arc, OnceLock};

use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::RETRY_AFTER;

use super::{Health, Pipeline};

/// Receives all requests from the time at which the port is bound. While the program starts (for example runs migrations), responds to
/// /health and refuses all other requests. Afterwards, passes the requests to the request pipeline.
#[derive(Clone, Debug)]
pub struct ReadinessGate {
    pipeline: Arc<OnceLock<Arc<Pipeline>>>,
    health: Health,
}

impl ReadinessGate {
    /// Creates a closed gate, which responds to requests with 503.
    #[must_use]
    pub fn new(health: Health) -> Self {
        Self { pipeline: Arc::default(), health }
    }

    /// Opens the gate: all later requests are passed to `pipeline`. Only the first call has an effect.
    pub fn open(&self, pipeline: Arc<Pipeline>) {
        let _ = self.pipeline.set(pipeline);
    }

    /// Passes a request to the request pipeline. While the gate is closed, responds to /health as usual and to all other requests with 503.
    pub(super) async fn handle(&self, request: Request) -> Response {
        match self.pipeline.get() {
            Some(pipeline) => pipeline.handle(request).await,
            None => self.health.response(&request).unwrap_or_else(starting_response),
        }
    }
}

fn starting_response() -> Response {
    let body = axum::Json(serde_json::json!({ "message": "The server is starting" }));
    (StatusCode::SERVICE_UNAVAILABLE, [(RETRY_AFTER, "1")], body).into_response()
}
