//! `/types/typescript`: the type `Database` of supabase-js, as `cloch gen types` prints it.

use axum::Json;
use axum::extract::{Query, State};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{ApiError, ProjectState};

#[derive(Deserialize)]
pub(super) struct Schemas {
    included_schemas: Option<String>,
}

pub(super) async fn typescript(
    State(project): State<ProjectState>,
    Query(query): Query<Schemas>,
) -> Result<Json<Value>, ApiError> {
    let named = query.included_schemas.as_deref().unwrap_or_default().split(',').map(str::trim);
    let schemas = named.filter(|name| !name.is_empty()).map(str::to_owned).collect();
    Ok(Json(json!({ "types": project.typescript(schemas).await? })))
}
