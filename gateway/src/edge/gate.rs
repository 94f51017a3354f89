//! What answers before the program is ready: 503, and /health says the same.

use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::extract::{Request, State};
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
    /// The router to serve from the first moment.
    pub fn router(&self) -> Router {
        Router::new().fallback(pass).with_state(self.clone())
    }

    /// From now on the program answers.
    pub fn open(&self, program: Router) {
        // A second opening would be a second program: the first stays.
        let _ = self.program.set(program);
    }
}

async fn pass(State(gate): State<StartGate>, request: Request) -> Response {
    let Some(program) = gate.program.get() else {
        let body = axum::Json(serde_json::json!({ "message": "The server is starting" }));
        return (StatusCode::SERVICE_UNAVAILABLE, [(RETRY_AFTER, "1")], body).into_response();
    };
    let Ok(response) = program.clone().oneshot(request).await;
    response
}
