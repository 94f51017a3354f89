//! Lists, for each combination of role, table and command, whether the role has the privilege and which policies apply.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::dashboard::extract::Params;
use crate::dashboard::{ApiError, DashboardState};

const MATRIX: &str = include_str!("matrix.sql");
const MAX_RELATIONS: i64 = 2000;
const MAX_ROLES: i64 = 12;

#[derive(Deserialize)]
pub(super) struct MatrixRequest {
    #[serde(default = "public")]
    schema: String,
}

fn public() -> String {
    "public".to_owned()
}

pub(super) async fn show(
    State(state): State<DashboardState>,
    Params(asked): Params<MatrixRequest>,
) -> Result<Json<Value>, ApiError> {
    let mut transaction = cloch_sql::transaction::begin(state.database.admin()).await?;
    // An empty search_path makes PostgreSQL print the names in conditions with their schema.
    sqlx::query("select set_config('search_path', '', true), set_config('statement_timeout', '20s', true)")
        .execute(&mut *transaction)
        .await?;
    // Selects the roles that a token can contain. The three standard roles come first.
    let roles: Vec<String> = sqlx::query_scalar(
        "select r.rolname::text from pg_roles as r
          where pg_has_role('authenticator', r.oid, 'member') and r.rolname <> 'authenticator' and not r.rolsuper
            and r.rolname not like 'pg\\_%'
          order by array_position(array['anon', 'authenticated', 'service_role'], r.rolname::text), r.rolname limit $1",
    )
    .bind(MAX_ROLES)
    .fetch_all(&mut *transaction)
    .await?;
    let tables: Value = sqlx::query_scalar(MATRIX)
        .bind(&asked.schema)
        .bind(&roles)
        .bind(MAX_RELATIONS)
        .fetch_one(&mut *transaction)
        .await?;
    transaction.rollback().await?;
    Ok(Json(json!({ "roles": roles, "tables": tables })))
}
