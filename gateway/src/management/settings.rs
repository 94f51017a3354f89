//! Settings of config.toml in the hosted API's JSON form. They are read-only in this API.

use axum::Json;
use axum::extract::{Path, State};
use http::StatusCode;
use serde_json::{Map, Value, json};
use sqlx::Row;

use super::{ApiError, ManagementState, Project};

/// PostgreSQL settings that the hosted API lets projects change.
const DATABASE_SETTINGS: [&str; 14] = [
    "effective_cache_size",
    "logical_decoding_work_mem",
    "maintenance_work_mem",
    "max_connections",
    "max_locks_per_transaction",
    "max_parallel_workers",
    "max_replication_slots",
    "max_wal_senders",
    "max_wal_size",
    "max_worker_processes",
    "session_replication_role",
    "shared_buffers",
    "statement_timeout",
    "work_mem",
];

/// Returns the settings of one part. 404 if the part is unknown.
pub(super) fn of_part(project: &Project, part: &str) -> Result<Value, ApiError> {
    let found = project.settings.iter().find(|(name, _)| *name == part).map(|(_, value)| value.clone());
    found.ok_or_else(|| ApiError::new(StatusCode::NOT_FOUND, "There are no such settings"))
}

pub(super) async fn show(
    State(state): State<ManagementState>,
    Path((_, part)): Path<(String, String)>,
) -> Result<Json<Value>, ApiError> {
    of_part(&state, &part).map(Json)
}

pub(super) async fn postgrest(State(state): State<ManagementState>) -> Result<Json<Value>, ApiError> {
    of_part(&state, "postgrest").map(Json)
}

pub(super) async fn database(
    State(state): State<ManagementState>,
    Path((_, part)): Path<(String, String)>,
) -> Result<Json<Value>, ApiError> {
    match part.as_str() {
        "postgres" => postgres(&state).await,
        "pooler" => Ok(Json(json!([state.sessions.pooler(&state.reference)]))),
        _ => Err(ApiError::new(StatusCode::NOT_FOUND, "There are no such settings")),
    }
}

async fn postgres(state: &ManagementState) -> Result<Json<Value>, ApiError> {
    let rows =
        sqlx::query("select name, current_setting(name) as setting, vartype from pg_settings where name = any ($1)")
            .bind(DATABASE_SETTINGS)
            .fetch_all(state.database.admin())
            .await?;
    let mut settings = Map::new();
    for row in rows {
        let (name, text, kind): (String, String, String) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
        let number = text.parse::<i64>().ok().filter(|_| kind == "integer");
        settings.insert(name, number.map_or(Value::String(text), Value::from));
    }
    Ok(Json(Value::Object(settings)))
}
