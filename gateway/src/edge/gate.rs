//! What answers before the program is ready: 503, and /health says the same.

use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::RETRY_AFTER;
use tower::ServiceExt;

/// Stands in front until the start's end, so that the port is taken and /health answers while migrations run.
#[derive(Clone, Debug, Default)]
pub struct StartGate {
    program: Arc<OnceLock<Router>>,
}

impl StartGate {
    /// From now on the program answers.
    pub fn open(&self, program: Router) {
        // A second opening would be a second program: the first stays.
        let _ = self.program.set(program);
    }

    /// The program's answer, or that it is not there yet.
    pub(super) async fn answer(&self, request: Request) -> Response {
        let Some(program) = self.program.get() else { return starting() };
        let Ok(response) = program.clone().oneshot(request).await;
        response
    }
}

fn starting() -> Response {
    let body = axum::Json(serde_json::json!({ "message": "The server is starting" }));
    (StatusCode::SERVICE_UNAVAILABLE, [(RETRY_AFTER, "1")], body).into_response()
}
