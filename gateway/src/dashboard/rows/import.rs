//! Imports rows from CSV with `COPY`, in one transaction.

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use futures_util::TryStreamExt;
use serde::Deserialize;
use serde_json::json;
use sqlx::postgres::PgConnection;

use super::page::owner;
use crate::dashboard::audit::Note;
use crate::dashboard::database::Mode;
use crate::dashboard::extract::Params;
use crate::dashboard::schema::Relation;
use crate::dashboard::{ApiError, DashboardState};

/// Maximum size of an imported file in bytes.
const MAX_FILE_BYTES: usize = 5 << 30;
/// `statement_timeout` of the import.
const TIMEOUT: &str = "30min";

#[derive(Deserialize)]
pub(super) struct Query {
    schema: String,
    table: String,
    /// Names of the table's columns into which the fields of the CSV file are imported, in the order of the fields, as a JSON array.
    columns: String,
    /// Whether the first line of the CSV file contains column names.
    #[serde(default)]
    header: bool,
}

pub(super) async fn csv(
    State(state): State<DashboardState>,
    Params(query): Params<Query>,
    body: Body,
) -> Result<Response, ApiError> {
    let relation = Relation::find(state.database.admin(), &query.schema, &query.table).await?;
    let statement = statement(&relation, &query)?;
    let mut transaction = state.begin(&owner(), Mode::Write).await?;
    sqlx::query("select set_config('statement_timeout', $1, true)").bind(TIMEOUT).execute(&mut *transaction).await?;
    let rows = copy(&mut transaction, statement, body).await?;
    transaction.commit().await.map_err(ApiError::database)?;
    let mut response = Json(json!({ "rows": rows })).into_response();
    response.extensions_mut().insert(Note(json!({ "schema": query.schema, "table": query.table, "rows": rows })));
    Ok(response)
}

/// Returns the `COPY` statement with quoted names from the catalog. An empty unquoted field is imported as null.
fn statement(relation: &Relation, query: &Query) -> Result<String, ApiError> {
    let names: Vec<String> =
        serde_json::from_str(&query.columns).map_err(|error| ApiError::bad_request(format!("columns: {error}")))?;
    if names.is_empty() {
        return Err(ApiError::bad_request("columns: none are named"));
    }
    let mut columns = Vec::new();
    for name in &names {
        columns.push(relation.column(name)?.quoted());
    }
    let (table, columns, header) = (relation.quoted(), columns.join(", "), query.header);
    Ok(format!("copy {table} ({columns}) from stdin with (format csv, header {header}, encoding 'UTF8')"))
}

async fn copy(connection: &mut PgConnection, statement: String, body: Body) -> Result<u64, ApiError> {
    let mut copy = connection.copy_in_raw(&statement).await.map_err(ApiError::database)?;
    let mut parts = body.into_data_stream();
    let mut bytes = 0;
    loop {
        let part = match parts.try_next().await {
            Ok(Some(part)) => part,
            Ok(None) => return copy.finish().await.map_err(refused),
            Err(error) => {
                drop(copy.abort("the file was cut short").await);
                return Err(ApiError::bad_request(format!("The file was cut short: {error}")));
            }
        };
        bytes += part.len();
        if bytes > MAX_FILE_BYTES {
            drop(copy.abort("the file is too large").await);
            return Err(ApiError::too_large(format!("A file has {} GB at most", MAX_FILE_BYTES >> 30)));
        }
        if copy.send(part).await.is_err() {
            // Sending fails if PostgreSQL has refused a line of the CSV file. `finish` returns PostgreSQL's error.
            return copy.finish().await.map_err(refused);
        }
    }
}

/// Converts an error of the CSV import to an error response. The hint is PostgreSQL's error context, which contains the line and column of
/// the file.
fn refused(error: sqlx::Error) -> ApiError {
    let place = match &error {
        sqlx::Error::Database(refusal) => refusal
            .try_downcast_ref::<sqlx::postgres::PgDatabaseError>()
            .and_then(|refusal| refusal.r#where())
            .map(|place| place.chars().take(300).collect::<String>()),
        _ => None,
    };
    let refused = ApiError::database(error);
    match place {
        Some(place) => refused.with_hint(place),
        None => refused,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::schema::Column;

    #[test]
    fn names_of_columns_come_from_the_catalog() {
        let columns = vec![Column::sample("a\"b", "text", false)];
        let relation = Relation { schema: "public".into(), name: "\"; drop".into(), columns };
        let query = |columns: &str| Query {
            schema: String::new(),
            table: String::new(),
            columns: columns.into(),
            header: true,
        };
        let text = statement(&relation, &query(r#"["a\"b"]"#)).unwrap();
        assert_eq!(
            text,
            "copy \"public\".\"\"\"; drop\" (\"a\"\"b\") from stdin with (format csv, header true, encoding 'UTF8')"
        );
        for wrong in ["[]", r#"["b) from program 'id'"]"#, "a"] {
            assert!(statement(&relation, &query(wrong)).is_err(), "{wrong}");
        }
    }
}
