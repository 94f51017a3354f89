//! `/types/typescript`: the type `Database` of supabase-js, as `cloch gen types` prints it.

use axum::Json;
use axum::extract::{Query, State};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{ApiError, ManagementState, Project};

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
    let schemas = named.filter(|name| !name.is_empty()).map(str::to_owned).collect();
    Ok(Json(json!({ "types": state.typescript(schemas).await? })))
}

impl Project {
    /// Returns the types of the given schemas; if empty, of the schemas that the table REST exposes.
    pub(super) async fn typescript(&self, mut schemas: Vec<String>) -> Result<String, ApiError> {
        if schemas.is_empty() {
            schemas.clone_from(&self.schemas);
        }
        if schemas.len() > MAX_SCHEMAS {
            return Err(ApiError::bad(format!("Types of {MAX_SCHEMAS} schemas at most are made at once")));
        }
        let mut connection = self.database.admin().acquire().await?;
        Ok(cloch_sql::types::typescript(&mut connection, &schemas).await?)
    }
}
