//! The Database type of supabase-js, as `cloch gen types` prints it.

use axum::Json;
use axum::extract::{Query, State};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{ApiError, ManagementState};

/// Schemas of one request.
const MAX_SCHEMAS: usize = 100;

#[derive(Deserialize)]
pub(super) struct Schemas {
    included_schemas: Option<String>,
}

pub(super) async fn typescript(
    State(state): State<ManagementState>,
    Query(query): Query<Schemas>,
) -> Result<Json<Value>, ApiError> {
    let named = query.included_schemas.as_deref().unwrap_or_default().split(',').map(str::trim);
    let mut schemas: Vec<String> = named.filter(|name| !name.is_empty()).take(MAX_SCHEMAS).map(str::to_owned).collect();
    if schemas.is_empty() {
        schemas.clone_from(&state.schemas);
    }
    let mut connection = state.database.admin().acquire().await?;
    let types = cloch_sql::types::typescript(&mut connection, &schemas).await?;
    Ok(Json(json!({ "types": types })))
}
