//! `/advisors`: what is wrong with the schema.

use axum::Json;
use axum::extract::State;
use axum::routing::on;
use serde_json::Value;

use super::route::{Access, Method, Route};
use super::{ApiError, DashboardState};

pub(super) const ROUTES: &[Route] = &[Route::new(
    Method::Get,
    "/advisors",
    "advisors.show",
    "What is wrong with the schema",
    Access::VIEWER,
    |method| on(method, show),
)];

async fn show(State(state): State<DashboardState>) -> Result<Json<Value>, ApiError> {
    let report = state.management.report().await?;
    serde_json::to_value(report).map(Json).map_err(|error| ApiError::internal("a report is no JSON", error))
}
