//! Trial run of a policy condition on existing rows, with a chosen role and claims. The trial runs in a read-only transaction that is rolled
//! back, on a connection that is closed afterwards.

use axum::Json;
use axum::extract::State;
use cloch_rest::sql::quoted;
use cloch_sql::{Caller, LocalSettings};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, Connection, PgConnection, Row};

use crate::dashboard::database::As;
use crate::dashboard::extract::Input;
use crate::dashboard::{ApiError, DashboardState};

/// Maximum number of rows in a trial run.
const MAX_ROWS: i64 = 100;
const MAX_CONDITION_BYTES: usize = 16 * 1024;
/// SQL statement that sets the timeout, and the search_path that the APIs' transactions have when PostgreSQL evaluates policies.
const SETTINGS: &str =
    "select set_config('statement_timeout', '10s', true), set_config('search_path', 'public, extensions', true)";

#[derive(Deserialize)]
pub(super) struct TrialRequest {
    schema: String,
    table: String,
    using: Option<String>,
    check: Option<String>,
    r#as: As,
    limit: Option<i64>,
    /// New row for which the condition of `WITH CHECK` is evaluated. `None` to evaluate the conditions for existing rows of the table.
    row: Option<Map<String, Value>>,
}

/// Result of a policy condition for a row, or PostgreSQL's error message.
type Tried = Result<Option<bool>, String>;

pub(super) async fn run(
    State(state): State<DashboardState>,
    Input(asked): Input<TrialRequest>,
) -> Result<Json<Value>, ApiError> {
    let conditions = [&asked.using, &asked.check];
    if conditions.into_iter().flatten().any(|condition| condition.len() > MAX_CONDITION_BYTES) {
        return Err(ApiError::too_large("A condition has 16 KiB at most"));
    }
    let caller = state.caller(&asked.r#as).await?;
    let name: Option<String> = sqlx::query_scalar(
        "select format('%I.%I', n.nspname, c.relname) from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
          where n.nspname = $1 and c.relname = $2 and c.relkind in ('r', 'p', 'v', 'm', 'f')",
    )
    .bind(&asked.schema)
    .bind(&asked.table)
    .fetch_optional(state.database.admin())
    .await?;
    let name = name.ok_or_else(|| ApiError::not_found("There is no such table"))?;
    let _permit = state.project.sessions.permit().await?;
    let mut connection = state.project.sessions.owner().await?;
    let rows = rows(&mut connection, &name, &asked).await?;
    let mut tried = Vec::with_capacity(rows.len());
    for (record, row) in &rows {
        let mut shown = Map::from_iter([("row".to_owned(), row.clone())]);
        for (clause, condition) in [("using", &asked.using), ("check", &asked.check)] {
            let Some(condition) = condition.as_deref().filter(|condition| !condition.trim().is_empty()) else {
                continue;
            };
            match verdict(&mut connection, &name, &asked.table, condition, record, caller.as_ref()).await? {
                Ok(value) => _ = shown.insert(clause.to_owned(), json!(value)),
                Err(error) => _ = shown.insert("error".to_owned(), error.into()),
            }
        }
        tried.push(Value::Object(shown));
    }
    connection.close().await?;
    Ok(Json(json!({ "rows": tried })))
}

/// Returns the rows for the trial in PostgreSQL's text form and as JSON: the row in the request if there is one, otherwise existing rows.
/// Existing rows are read as the owner `postgres`.
async fn rows(
    connection: &mut PgConnection,
    name: &str,
    asked: &TrialRequest,
) -> Result<Vec<(String, Value)>, ApiError> {
    let limit = asked.limit.unwrap_or(50).clamp(1, MAX_ROWS);
    let mut transaction = connection.begin().await?;
    sqlx::raw_sql("set transaction read only").execute(&mut *transaction).await?;
    sqlx::query(SETTINGS).execute(&mut *transaction).await?;
    let text = match &asked.row {
        Some(_) => format!("select t::text, to_jsonb(t) from jsonb_populate_record(null::{name}, $2) as t limit $1"),
        None => format!("select t::text, to_jsonb(t) from {name} as t where $2::jsonb is null limit $1"),
    };
    let given = asked.row.clone().map(Value::Object);
    let rows = sqlx::query(AssertSqlSafe(text)).bind(limit).bind(given).fetch_all(&mut *transaction);
    let rows = rows.await.map_err(ApiError::database)?;
    transaction.rollback().await?;
    let read = |row: &PgRow| Ok((row.try_get(0)?, row.try_get(1)?));
    Ok(rows.iter().map(read).collect::<sqlx::Result<_>>()?)
}

/// Evaluates a policy condition for a row with the role and claims of `caller`, or with the role of the connection if `caller` is `None`.
/// The row is a parameter of the SQL statement and is not read from the table, so row-level security does not hide it.
async fn verdict(
    connection: &mut PgConnection,
    name: &str,
    alias: &str,
    condition: &str,
    record: &str,
    caller: Option<&Caller>,
) -> Result<Tried, ApiError> {
    let mut transaction = connection.begin().await?;
    sqlx::raw_sql("set transaction read only").execute(&mut *transaction).await?;
    sqlx::query(SETTINGS).execute(&mut *transaction).await?;
    if let Some(caller) = caller {
        let settings = LocalSettings::of(caller);
        let set = "select set_config('role', $1, true),
                          (select count(set_config(name, text, true)) from unnest($2::text[], $3::text[]) as s (name, text))";
        let set = sqlx::query(set).bind(caller.role()).bind(settings.names()).bind(settings.values());
        set.execute(&mut *transaction).await.map_err(ApiError::database)?;
    }
    let alias = quoted(alias);
    // The line break ends a `--` comment at the end of the condition.
    let text = format!("select ({condition}\n)::boolean from (select ($1::text::{name}).*) as {alias}");
    let answer = sqlx::query_scalar::<_, Option<bool>>(AssertSqlSafe(text)).bind(record);
    let tried = match answer.fetch_one(&mut *transaction).await {
        Ok(value) => Ok(value),
        Err(sqlx::Error::Database(error)) => Err(error.message().to_owned()),
        Err(error) => return Err(error.into()),
    };
    transaction.rollback().await?;
    Ok(tried)
}
