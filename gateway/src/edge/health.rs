//! Whether requests can be served: before the start's end and while draining they cannot.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::extract::Request;
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

    /// The answer to /health; none to other requests.
    pub(super) fn answer(&self, request: &Request) -> Option<Response> {
        if request.uri().path() != "/health" {
            return None;
        }
        let (status, text) = match self.ready.load(Ordering::SeqCst) {
            true => (StatusCode::OK, "ok"),
            false => (StatusCode::SERVICE_UNAVAILABLE, "unavailable"),
        };
        Some((status, axum::Json(serde_json::json!({ "status": text }))).into_response())
    }
}
