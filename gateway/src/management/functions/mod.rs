//! `/functions`: lists, describes, deploys and deletes functions of the project.

mod body;
mod deploy;

use axum::Json;
use axum::extract::{Path, State};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{ApiError, ProjectState};
use crate::project::deployments::{Deployment, WantedVersion};

pub(super) use body::body;
pub(super) use deploy::deploy;

pub(super) async fn list(State(project): State<ProjectState>) -> Json<Vec<Deployment>> {
    Json(project.function_list())
}

pub(super) async fn show(
    State(project): State<ProjectState>,
    Path((_, slug)): Path<(String, String)>,
) -> Result<Json<Deployment>, ApiError> {
    Ok(Json(project.function(&slug)?))
}

/// Refuses the deployment by an older client. Such a client sends the function as an eszip bundle, the format of Supabase's hosted runtime,
/// instead of source code.
pub(super) async fn refuse_bundle() -> ApiError {
    ApiError::bad("Cloch takes functions as source code: deploy with `supabase functions deploy --use-api`")
}

#[derive(Deserialize)]
pub(super) struct Changes {
    name: Option<String>,
    verify_jwt: Option<bool>,
}

pub(super) async fn change(
    State(project): State<ProjectState>,
    Path((_, slug)): Path<(String, String)>,
    Json(changes): Json<Changes>,
) -> Result<Json<Deployment>, ApiError> {
    Ok(Json(project.describe_function(&slug, changes.name, changes.verify_jwt).await?))
}

pub(super) async fn remove(
    State(project): State<ProjectState>,
    Path((_, slug)): Path<(String, String)>,
) -> Result<Json<Value>, ApiError> {
    project.remove_function(&slug).await?;
    Ok(Json(json!({})))
}

/// Makes uploaded versions of several functions the served versions. The CLI sends this request at the end of a deployment of several
/// functions.
pub(super) async fn switch_all(
    State(project): State<ProjectState>,
    Json(wanted): Json<Vec<WantedVersion>>,
) -> Result<Json<Value>, ApiError> {
    Ok(Json(json!({ "functions": project.serve_versions(&wanted).await? })))
}
