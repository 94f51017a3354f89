//! Cancels a running SQL script on this node.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::dashboard::extract::Input;
use crate::dashboard::operator::Operator;
use crate::dashboard::{ApiError, DashboardState};

#[derive(Deserialize)]
pub(super) struct CancelRequest {
    id: Uuid,
}

/// Cancels a running SQL script by its id. Operators can cancel only their own scripts.
pub(super) async fn cancel(
    State(state): State<DashboardState>,
    operator: Operator,
    Input(asked): Input<CancelRequest>,
) -> Result<Json<Value>, ApiError> {
    let Some(canceller) = state.running.find((operator.id, asked.id)) else {
        return Ok(Json(json!({ "cancelled": false })));
    };
    canceller.cancel().await?;
    Ok(Json(json!({ "cancelled": true })))
}
