//! Endpoints for SQL queries and migrations.

mod query;
mod sessions;
mod values;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use chrono::Utc;
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Connection, Row};

use super::{ApiError, ManagementState};

pub use sessions::Sessions;

/// Maximum length of a migration's name in characters.
const MAX_NAME_CHARS: usize = 200;

#[derive(Deserialize)]
pub(super) struct QueryRequest {
    query: String,
    #[serde(default)]
    parameters: Vec<Value>,
    #[serde(default)]
    read_only: bool,
}

pub(super) async fn query(
    State(state): State<ManagementState>,
    Json(asked): Json<QueryRequest>,
) -> Result<Response, ApiError> {
    answer(&state, &asked, asked.read_only).await
}

pub(super) async fn query_read_only(
    State(state): State<ManagementState>,
    Json(asked): Json<QueryRequest>,
) -> Result<Response, ApiError> {
    answer(&state, &asked, true).await
}

async fn answer(state: &ManagementState, asked: &QueryRequest, read_only: bool) -> Result<Response, ApiError> {
    let rows = state.run_sql(&asked.query, &asked.parameters, read_only).await?;
    Ok((StatusCode::CREATED, Json(rows)).into_response())
}

impl super::Project {
    /// Runs SQL and returns its rows as JSON. A script without parameters returns the rows of its last statement that has any.
    pub(super) async fn run_sql(&self, sql: &str, parameters: &[Value], read_only: bool) -> Result<Value, ApiError> {
        let _permit = self.sessions.permit().await?;
        match (read_only, parameters) {
            (true, _) => query::statement(self.sessions.read_only().await?, sql, parameters, true).await,
            (false, []) => query::script(self.sessions.owner().await?, sql).await,
            (false, _) => query::statement(self.sessions.owner_for_statement().await?, sql, parameters, false).await,
        }
    }

    /// Applies and records a migration in one transaction. Returns its version.
    pub(super) async fn migrate(&self, name: &str, sql: &str) -> Result<String, ApiError> {
        if name.chars().count() > MAX_NAME_CHARS {
            return Err(ApiError::bad(format!("A migration's name has {MAX_NAME_CHARS} characters at most")));
        }
        let _permit = self.sessions.permit().await?;
        let mut connection = self.sessions.owner().await?;
        let version = Utc::now().format("%Y%m%d%H%M%S").to_string();
        let mut transaction = connection.begin().await?;
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut *transaction).await.map_err(query::refused)?;
        let insert =
            "insert into supabase_migrations.schema_migrations (version, name, statements) values ($1, $2, array[$3])";
        let insert = sqlx::query(insert).bind(&version).bind(name).bind(sql).execute(&mut *transaction);
        insert.await.map_err(query::refused)?;
        transaction.commit().await.map_err(query::refused)?;
        Ok(version)
    }

    pub(super) async fn migrations(&self) -> Result<Value, ApiError> {
        let text = "select version, coalesce(name, '') from supabase_migrations.schema_migrations order by version";
        let rows = sqlx::query(text).fetch_all(self.database.admin()).await?;
        let listed = rows
            .iter()
            .map(|row| Ok(json!({ "version": row.try_get::<String, _>(0)?, "name": row.try_get::<String, _>(1)? })));
        Ok(Value::Array(listed.collect::<sqlx::Result<_>>()?))
    }
}

pub(super) async fn list_migrations(State(state): State<ManagementState>) -> Result<Json<Value>, ApiError> {
    Ok(Json(state.migrations().await?))
}

#[derive(Deserialize)]
pub(super) struct NewMigration {
    #[serde(default)]
    name: String,
    query: String,
}

pub(super) async fn apply_migration(
    State(state): State<ManagementState>,
    Json(given): Json<NewMigration>,
) -> Result<Json<Value>, ApiError> {
    let version = state.migrate(&given.name, &given.query).await?;
    Ok(Json(json!({ "version": version, "name": given.name })))
}
