//! Whether requests can be served: before the start's end and while draining they cannot.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::StatusCode;

/// The program's readiness, shared by the start, the drain and /health.
#[derive(Clone, Debug, Default)]
pub struct Health {
    ready: Arc<AtomicBool>,
}

impl Health {
    /// From now on requests are served.
    pub fn ready(&self) {
        self.ready.store(true, Ordering::SeqCst);
    }

    /// From now on /health answers 503, so that a load balancer sends no more requests; those that come are still served.
    pub fn draining(&self) {
        self.ready.store(false, Ordering::SeqCst);
    }
}

/// Answers /health; everything else goes on.
pub(super) async fn gate(State(health): State<Health>, request: Request, next: Next) -> Response {
    if request.uri().path() != "/health" {
        return next.run(request).await;
    }
    if health.ready.load(Ordering::SeqCst) {
        (StatusCode::OK, axum::Json(serde_json::json!({ "status": "ok" }))).into_response()
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, axum::Json(serde_json::json!({ "status": "unavailable" }))).into_response()
    }
}
