//! `/catalog`: lists of database objects of one kind from PostgreSQL's catalog, and the code of functions and triggers.
//!
//! The lists contain no code and no trigger arguments, which often contain keys. Operators with the role viewer can read the lists.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Value, json};
use sqlx::{Postgres, Transaction};

use crate::dashboard::audit::Note;
use crate::dashboard::extract::{At, Params};
use crate::dashboard::{ApiError, DashboardState};

/// Maximum number of objects in a list.
const MAX_ROWS: u16 = 5_000;

/// Kind of listed objects.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    /// Tables with columns and foreign keys.
    Diagram,
    Functions,
    Triggers,
    Indexes,
    Enums,
    Extensions,
    Roles,
    Publications,
}

impl Kind {
    /// Returns the query of the list. Its parameters are the schema and the maximum number of rows.
    fn list(self) -> &'static str {
        match self {
            Self::Diagram => include_str!("catalog/diagram.sql"),
            Self::Functions => include_str!("catalog/functions.sql"),
            Self::Triggers => include_str!("catalog/triggers.sql"),
            Self::Indexes => include_str!("catalog/indexes.sql"),
            Self::Enums => include_str!("catalog/enums.sql"),
            Self::Extensions => include_str!("catalog/extensions.sql"),
            Self::Roles => include_str!("catalog/roles.sql"),
            Self::Publications => include_str!("catalog/publications.sql"),
        }
    }

    /// Returns the SQL query that reads the name and definition of an object by its oid. `None` for kinds of objects without code.
    fn definition(self) -> Option<&'static str> {
        match self {
            Self::Functions => Some(
                "select oid::regprocedure::text, pg_get_functiondef(oid) from pg_proc where oid = $1::oid and prokind <> 'a'",
            ),
            Self::Triggers => Some(
                "select tgname || ' on ' || tgrelid::regclass, pg_get_triggerdef(oid) from pg_trigger where oid = $1::oid",
            ),
            Self::Diagram | Self::Indexes | Self::Enums | Self::Extensions | Self::Roles | Self::Publications => None,
        }
    }
}

#[derive(Deserialize)]
pub(super) struct ListRequest {
    schema: Option<String>,
}

pub(super) async fn list(
    State(state): State<DashboardState>,
    At(kind): At<Kind>,
    Params(asked): Params<ListRequest>,
) -> Result<Json<Value>, ApiError> {
    let mut transaction = begin(&state).await?;
    if let Some(schema) = &asked.schema {
        let query = "select exists (select from pg_namespace where nspname = $1)";
        let exists: bool = sqlx::query_scalar(query).bind(schema).fetch_one(&mut *transaction).await?;
        if !exists {
            return Err(ApiError::not_found("There is no such schema"));
        }
    }
    // The query requests one row more than the list may have. This row shows that the list is incomplete.
    let sqlx::types::Json(mut rows): sqlx::types::Json<Vec<Value>> = sqlx::query_scalar(kind.list())
        .bind(asked.schema.as_deref().unwrap_or("public"))
        .bind(i32::from(MAX_ROWS) + 1)
        .fetch_one(&mut *transaction)
        .await?;
    transaction.rollback().await?;
    let truncated = rows.len() > usize::from(MAX_ROWS);
    rows.truncate(usize::from(MAX_ROWS));
    Ok(Json(json!({ "rows": rows, "truncated": truncated })))
}

/// Returns the code of a function or the statement of a trigger. The audit entry contains the object's name.
pub(super) async fn definition(
    State(state): State<DashboardState>,
    At((kind, oid)): At<(Kind, u32)>,
) -> Result<Response, ApiError> {
    let missing = || ApiError::not_found("There is no such object").with_hint("It may have been replaced or dropped");
    let query = kind.definition().ok_or_else(missing)?;
    let mut transaction = begin(&state).await?;
    let found: Option<(String, String)> =
        sqlx::query_as(query).bind(i64::from(oid)).fetch_optional(&mut *transaction).await?;
    transaction.rollback().await?;
    let (name, definition) = found.ok_or_else(missing)?;
    let mut response = Json(json!({ "definition": definition })).into_response();
    response.extensions_mut().insert(Note(json!({ "object": name })));
    Ok(response)
}

/// Begins a transaction with an empty search_path, so that PostgreSQL prints the names in types, arguments and definitions with their schema.
/// Names without a schema could have another meaning for the project's owner, who has another search path.
async fn begin(state: &DashboardState) -> Result<Transaction<'static, Postgres>, ApiError> {
    let mut transaction = cloch_sql::transaction::begin(state.database.admin()).await?;
    sqlx::query("select set_config('search_path', '', true), set_config('statement_timeout', '20s', true)")
        .execute(&mut *transaction)
        .await?;
    Ok(transaction)
}
