//! What answers before the program is ready: 503, and /health says the same.

use std::sync::{Arc, OnceLock};

use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::RETRY_AFTER;

use super::{Edge, Health};

/// Stands in front until the start's end, so that the port is taken and /health answers while migrations run.
#[derive(Clone, Debug)]
pub struct StartGate {
    program: Arc<OnceLock<Arc<Edge>>>,
    health: Health,
}

impl StartGate {
    /// A closed one.
    #[must_use]
    pub fn new(health: Health) -> Self {
        Self { program: Arc::default(), health }
    }

    /// From now on the program answers.
    pub fn open(&self, program: Arc<Edge>) {
        // A second opening would be a second program: the first stays.
        let _ = self.program.set(program);
    }

    /// The program's answer, or that it is not there yet.
    pub(super) async fn answer(&self, request: Request) -> Response {
        match self.program.get() {
            Some(program) => program.answer(request).await,
            None => self.health.answer(&request).unwrap_or_else(starting),
        }
    }
}

fn starting() -> Response {
    let body = axum::Json(serde_json::json!({ "message": "The server is starting" }));
    (StatusCode::SERVICE_UNAVAILABLE, [(RETRY_AFTER, "1")], body).into_response()
}
