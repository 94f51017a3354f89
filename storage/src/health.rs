//! `GET /health`: whether the database answers.

use axum::extract::State;
use serde_json::{Value, json};

use crate::answer::Json;
use crate::request::Asking;
use crate::state::StorageState;

/// Tells whoever has a key.
pub(crate) async fn handle(State(state): State<StorageState>, _: Asking) -> Json<Value> {
    let answered = sqlx::query("select from storage.buckets limit 1").execute(state.database().admin()).await;
    Json(json!({ "healthy": answered.is_ok() }))
}
