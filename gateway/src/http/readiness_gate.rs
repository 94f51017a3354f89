//! Answers requests before the program is ready: 503, as /health does.

use std::sync::{Arc, OnceLock};

use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::RETRY_AFTER;

use super::{Health, Pipeline};

/// Stands before the pipeline until the start has ended, so that the port is taken and /health answers while migrations run.
#[derive(Clone, Debug)]
pub struct ReadinessGate {
    pipeline: Arc<OnceLock<Arc<Pipeline>>>,
    health: Health,
}

impl ReadinessGate {
    /// A closed gate.
    #[must_use]
    pub fn new(health: Health) -> Self {
        Self { pipeline: Arc::default(), health }
    }

    /// From now on the pipeline answers. The first one stays.
    pub fn open(&self, pipeline: Arc<Pipeline>) {
        let _ = self.pipeline.set(pipeline);
    }

    /// The pipeline's response, or 503.
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
