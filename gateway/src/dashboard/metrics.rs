//! `/metrics`: measurements of this node since its start, for the charts of the dashboard.

use axum::Json;
use axum::extract::State;
use axum::routing::on;
use serde::{Deserialize, Serialize};

use super::DashboardState;
use super::extract::Params;
use super::node_settings::node_name;
use super::route::{Access, Method, Route};
use crate::metrics::{Range, Samples};

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
    let node = node_name(state.config.port);
    Json(MetricsResponse { node, samples: state.metrics.samples(asked.range) })
}
