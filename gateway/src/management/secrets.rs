//! `/secrets`: secrets in the environment of functions.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use cloch_core::Secret;
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use super::projects::time;
use super::{ApiError, ProjectState};

/// Lists names and SHA-256 digests of the secrets, as `supabase secrets list` prints them.
pub(super) async fn list(State(project): State<ProjectState>) -> Result<Json<Value>, ApiError> {
    let secrets = project.secret_digests().await?;
    let changed = time(secrets.changed_at.map_or(0, |at| at.timestamp_millis()));
    let listed = secrets
        .digests
        .iter()
        .map(|secret| json!({ "name": secret.name, "value": secret.digest, "updated_at": changed }));
    Ok(Json(listed.collect()))
}

#[derive(Deserialize)]
pub(super) struct NewSecret {
    name: String,
    value: Secret,
}

pub(super) async fn set(
    State(project): State<ProjectState>,
    Json(given): Json<Vec<NewSecret>>,
) -> Result<Response, ApiError> {
    project.set_secrets(given.into_iter().map(|NewSecret { name, value }| (name, value)).collect()).await?;
    Ok(StatusCode::CREATED.into_response())
}

pub(super) async fn unset(
    State(project): State<ProjectState>,
    Json(names): Json<Vec<String>>,
) -> Result<Response, ApiError> {
    project.unset_secrets(&names).await?;
    Ok(Json(json!({})).into_response())
}
