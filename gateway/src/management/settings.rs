//! Settings of config.toml in the JSON form of Supabase's hosted API. Clients of this API can read but not change them.

use axum::Json;
use axum::extract::{Path, State};
use http::StatusCode;
use serde_json::{Map, Value, json};
use sqlx::Row;

use super::{ApiError, ProjectState};
use crate::project::{Project, ProjectError};

/// PostgreSQL settings that Supabase's hosted API lets projects change.
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

pub(super) async fn show(
    State(project): State<ProjectState>,
    Path((_, part)): Path<(String, String)>,
) -> Result<Json<Value>, ApiError> {
    Ok(Json(project.settings_of(&part)?))
}

pub(super) async fn postgrest(State(project): State<ProjectState>) -> Result<Json<Value>, ApiError> {
    Ok(Json(project.settings_of("postgrest")?))
}

pub(super) async fn database(
    State(project): State<ProjectState>,
    Path((_, part)): Path<(String, String)>,
) -> Result<Json<Value>, ApiError> {
    match part.as_str() {
        "postgres" => Ok(Json(postgres(&project).await?)),
        "pooler" => Ok(Json(json!([pooler(&project)]))),
        _ => Err(ApiError::new(StatusCode::NOT_FOUND, "There are no such settings")),
    }
}

async fn postgres(project: &Project) -> Result<Value, ProjectError> {
    let rows =
        sqlx::query("select name, current_setting(name) as setting, vartype from pg_settings where name = any ($1)")
            .bind(DATABASE_SETTINGS)
            .fetch_all(project.database.admin())
            .await?;
    let mut settings = Map::new();
    for row in rows {
        let (name, text, kind): (String, String, String) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
        let number = text.parse::<i64>().ok().filter(|_| kind == "integer");
        settings.insert(name, number.map_or(Value::String(text), Value::from));
    }
    Ok(Value::Object(settings))
}

/// Returns the database's address in the form in which the CLI expects a connection pooler. Cloch has no pooler, so the address is that of
/// the database itself.
fn pooler(project: &Project) -> Value {
    let login = project.sessions.owner_login();
    let (user, database) = (&login.user, &login.database);
    let (host, port) = (project.sessions.host(), project.sessions.port());
    json!({
        "identifier": project.reference, "database_type": "PRIMARY", "is_using_scram_auth": true, "pool_mode": "session",
        "db_user": user, "db_host": host, "db_port": port, "db_name": database,
        "connection_string": format!("postgresql://{user}:[YOUR-PASSWORD]@{host}:{port}/{database}"),
        "connectionString": format!("postgresql://{user}:[YOUR-PASSWORD]@{host}:{port}/{database}"),
        "default_pool_size": null, "max_client_conn": null,
    })
}
