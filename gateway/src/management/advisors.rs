//! `/advisors/security` and `/advisors/performance`: findings about the schema.

use axum::Json;
use axum::extract::{Path, State};
use cloch_sql::advisors::Category;
use http::StatusCode;
use serde_json::{Value, json};

use super::{ApiError, ProjectState};

pub(super) async fn show(
    State(project): State<ProjectState>,
    Path((_, kind)): Path<(String, String)>,
) -> Result<Json<Value>, ApiError> {
    let category = match kind.as_str() {
        "security" => Category::Security,
        "performance" => Category::Performance,
        _ => return Err(ApiError::new(StatusCode::NOT_FOUND, "There are two advisors: security and performance")),
    };
    Ok(Json(json!({ "lints": project.advice(category).await?.lints })))
}
