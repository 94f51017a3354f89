//! `/metrics`: measurements of this node since its start, for the charts of the dashboard.

use std::fs;

use axum::Json;
use axum::extract::State;
use axum::routing::on;
use serde::{Deserialize, Serialize};

use super::DashboardState;
use super::extract::Params;
use super::route::{Access, Method, Route};
use crate::metrics::{Range, Samples};

const HOST_FILE: &str = "/proc/sys/kernel/hostname";

pub(super) const ROUTES: &[Route] = &[Route::new(
    Method::Get,
    "/metrics",
    "metrics.show",
    "Requests, errors, latency and sizes of the last hour, day or week (range=1h, 24h or 7d)",
    Access::VIEWER,
    |method| on(method, show),
)
// The charts of the dashboard send this request repeatedly.
.repeated()];

#[derive(Deserialize)]
struct MetricsRequest {
    #[serde(default)]
    range: Range,
}

#[derive(Serialize)]
struct MetricsResponse {
    /// Host name and port of the node that measured these values. Each node measures only itself.
    node: String,
    #[serde(flatten)]
    samples: Samples,
}

async fn show(State(state): State<DashboardState>, Params(asked): Params<MetricsRequest>) -> Json<MetricsResponse> {
    let host = fs::read_to_string(HOST_FILE).unwrap_or_default();
    let node = format!("{}:{}", host.trim(), state.config.port);
    Json(MetricsResponse { node, samples: state.metrics.samples(asked.range) })
}
