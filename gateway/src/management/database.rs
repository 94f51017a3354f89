//! Endpoints of the Management API for SQL queries and migrations (`/database/…`).

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{ApiError, ProjectState};
use crate::project::Project;
use crate::project::migrations::AppliedMigration;

#[derive(Deserialize)]
pub(super) struct QueryRequest {
    query: String,
    #[serde(default)]
    parameters: Vec<Value>,
    #[serde(default)]
    read_only: bool,
}

pub(super) async fn query(
    State(project): State<ProjectState>,
    Json(asked): Json<QueryRequest>,
) -> Result<Response, ApiError> {
    answer(&project, &asked, asked.read_only).await
}

pub(super) async fn query_read_only(
    State(project): State<ProjectState>,
    Json(asked): Json<QueryRequest>,
) -> Result<Response, ApiError> {
    answer(&project, &asked, true).await
}

async fn answer(project: &Project, asked: &QueryRequest, read_only: bool) -> Result<Response, ApiError> {
    let rows = project.run_sql(&asked.query, &asked.parameters, read_only).await?;
    Ok((StatusCode::CREATED, Json(rows)).into_response())
}

pub(super) async fn list_migrations(
    State(project): State<ProjectState>,
) -> Result<Json<Vec<AppliedMigration>>, ApiError> {
    Ok(Json(project.applied_migrations().await?))
}

#[derive(Deserialize)]
pub(super) struct MigrationRequest {
    #[serde(default)]
    name: String,
    query: String,
}

pub(super) async fn apply_migration(
    State(project): State<ProjectState>,
    Json(given): Json<MigrationRequest>,
) -> Result<Json<Value>, ApiError> {
    let version = project.migrate(&given.name, &given.query).await?;
    Ok(Json(json!({ "version": version, "name": given.name })))
}
