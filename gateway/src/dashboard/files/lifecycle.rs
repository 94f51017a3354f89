//! Endpoints of `/files` for lifecycle rules: add a rule to a bucket, remove a rule. Storage validates and stores the rules.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::request::Parts;
use http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::dashboard::apis::segment;
use crate::dashboard::audit::Note;
use crate::dashboard::extract::{At, Input};
use crate::dashboard::{ApiError, DashboardState};

/// Adds a lifecycle rule to the rules of a bucket. The rule has the JSON format of storage-js. Returns all rules of the bucket.
///
/// The browser sends one rule instead of the complete list, so that rules added by others since the page was loaded are kept. Two requests
/// at the same moment can still overwrite each other: the list is read and written in two steps.
pub(super) async fn add(
    State(state): State<DashboardState>,
    At(bucket): At<String>,
    parts: Parts,
    Input(rule): Input<Value>,
) -> Result<Response, ApiError> {
    let note = Note(json!({ "rule": rule }));
    let mut rules = current(&state, &bucket).await?;
    rules.push(rule);
    let body = json!({ "rules": rules });
    let all = state.ask_storage(&parts, Method::PUT, &lifecycle_path(&bucket), Some(body)).await?;
    Ok((StatusCode::CREATED, axum::Extension(note), Json(all)).into_response())
}

/// Removes a lifecycle rule from the rules of a bucket.
pub(super) async fn remove(
    State(state): State<DashboardState>,
    At((bucket, id)): At<(String, String)>,
    parts: Parts,
) -> Result<Response, ApiError> {
    let (removed, kept): (Vec<Value>, Vec<Value>) = current(&state, &bucket)
        .await?
        .into_iter()
        .partition(|rule| rule.get("id").and_then(Value::as_str) == Some(id.as_str()));
    let rule = removed.first().ok_or_else(|| ApiError::not_found("There is no such rule"))?;
    let note = Note(json!({ "rule": rule }));
    // Storage refuses an empty list of rules. The last rule is removed with the lifecycle.
    let (method, body) =
        if kept.is_empty() { (Method::DELETE, None) } else { (Method::PUT, Some(json!({ "rules": kept }))) };
    state.ask_storage(&parts, method, &lifecycle_path(&bucket), body).await?;
    Ok((StatusCode::NO_CONTENT, axum::Extension(note)).into_response())
}

fn lifecycle_path(bucket: &str) -> String {
    format!("/bucket/{}/lifecycle", segment(bucket))
}

/// Returns the lifecycle rules of a bucket. Empty if the bucket has no rules or does not exist.
async fn current(state: &DashboardState, bucket: &str) -> Result<Vec<Value>, ApiError> {
    let rules: Option<sqlx::types::Json<Vec<Value>>> =
        sqlx::query_scalar("select rules from cloch.bucket_lifecycles where bucket_id = $1")
            .bind(bucket)
            .fetch_optional(state.database.admin())
            .await?;
    Ok(rules.map(|rules| rules.0).unwrap_or_default())
}
