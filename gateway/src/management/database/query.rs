//! Runs SQL: one statement in a transaction, or a script.

use std::sync::Arc;

use cloch_sql::client::{BatchStatement, ClientError, Column, Connection, Param, Row, RowSink};
use futures_util::TryStreamExt;
use serde_json::{Map, Value};
use sqlx::{AssertSqlSafe, Column as _, Either, PgConnection, Row as _, ValueRef};

use super::values;
use crate::management::ApiError;

/// Maximum size in bytes of all values in a response.
const MAX_RESULT_BYTES: usize = 10 << 20;
/// Maximum size of a row in bytes. A row is read completely into memory.
const MAX_ROW_BYTES: usize = 64 << 20;
/// Maximum size of a statement or script in bytes.
const MAX_SQL_BYTES: usize = 4 << 20;
/// Sets the transaction's timeout. The statement also takes the transaction's snapshot, after which PostgreSQL refuses `set transaction
/// read write`.
const SETTINGS: &str = "select set_config('statement_timeout', $1, true)";
const NOT_PERMITTED: &str = "42501";

/// Runs a single statement; PostgreSQL refuses to prepare a text with several statements. Read-only statements run in a read-only
/// transaction of a login that cannot write. `commit` or `set transaction read write` does not help an attacker, because no further
/// statement follows. The transaction is explicit: in an implicit transaction, a `do` block could roll back and continue in a new
/// transaction. The transaction is rolled back, because before version 16 PostgreSQL lets read-only transactions write large objects.
pub(super) async fn statement(
    mut connection: Connection,
    sql: &str,
    parameters: &[Value],
    read_only: bool,
) -> Result<Value, ApiError> {
    check(sql)?;
    connection.limit_messages(MAX_ROW_BYTES);
    let values: Vec<Param> = parameters.iter().map(parameter).collect();
    let settings = [Param::unknown(super::sessions::STATEMENT_TIMEOUT)];
    let mut sink = JsonRows::default();
    let mut steps = [
        BatchStatement::silent(if read_only { "begin read only" } else { "begin read write" }, &[]),
        BatchStatement::silent(SETTINGS, &settings),
        BatchStatement { sql, params: &values, sink: Some(&mut sink) },
        BatchStatement::silent(if read_only { "rollback" } else { "commit" }, &[]),
    ];
    connection.run("", &mut steps).await.map_err(|error| refused_by_client(&error, read_only))?;
    sink.finish()
}

/// Runs a script by PostgreSQL's simple query protocol.
pub(super) async fn script(mut connection: PgConnection, sql: &str) -> Result<Value, ApiError> {
    check(sql)?;
    let mut results = sqlx::raw_sql(AssertSqlSafe(sql)).fetch_many(&mut connection);
    let (mut last, mut rows, mut bytes) = (Vec::new(), Vec::new(), 0);
    while let Some(item) = results.try_next().await.map_err(refused)? {
        match item {
            Either::Left(_) if rows.is_empty() => {}
            Either::Left(_) => {
                last = std::mem::take(&mut rows);
                bytes = 0;
            }
            Either::Right(row) => {
                let mut object = Map::new();
                for (index, column) in row.columns().iter().enumerate() {
                    let raw = row.try_get_raw(index)?;
                    let text = if raw.is_null() { None } else { Some(raw.as_str().map_err(sqlx::Error::Decode)?) };
                    bytes += text.map_or(4, str::len) + column.name().len();
                    let oid = column.type_info().oid().map_or(0, |oid| oid.0);
                    object.insert(column.name().to_owned(), text.map_or(Value::Null, |text| values::json(oid, text)));
                }
                rows.push(Value::Object(object));
                if bytes > MAX_RESULT_BYTES {
                    return Err(too_many());
                }
            }
        }
    }
    Ok(Value::Array(last))
}

fn check(sql: &str) -> Result<(), ApiError> {
    match sql.len() {
        0 => Err(ApiError::bad("The query is empty")),
        bytes if bytes > MAX_SQL_BYTES => Err(ApiError::bad(format!("A query has {} MB at most", MAX_SQL_BYTES >> 20))),
        _ => Ok(()),
    }
}

fn parameter(value: &Value) -> Param {
    match value {
        Value::Null => Param::nullable(None::<String>),
        Value::String(text) => Param::unknown(text.clone()),
        other => Param::unknown(other.to_string()),
    }
}

fn too_many() -> ApiError {
    ApiError::bad(format!("The result has more than {} MB: ask for fewer rows", MAX_RESULT_BYTES >> 20))
}

/// Collects rows as JSON objects, up to `MAX_RESULT_BYTES`.
#[derive(Default)]
struct JsonRows {
    columns: Option<Arc<[Column]>>,
    rows: Vec<Value>,
    bytes: usize,
}

impl JsonRows {
    fn finish(self) -> Result<Value, ApiError> {
        if self.bytes > MAX_RESULT_BYTES { Err(too_many()) } else { Ok(Value::Array(self.rows)) }
    }
}

impl RowSink for JsonRows {
    fn start(&mut self, columns: &Arc<[Column]>) {
        *self = Self { columns: Some(Arc::clone(columns)), ..Self::default() };
    }

    fn row(&mut self, row: Row) {
        if self.bytes > MAX_RESULT_BYTES {
            return;
        }
        let columns = self.columns.iter().flat_map(|columns| columns.iter());
        let mut object = Map::new();
        for (column, value) in columns.zip(row.values()) {
            self.bytes += value.map_or(4, <[u8]>::len) + column.name.len();
            let value = value.map(|bytes| values::json(column.type_oid, &String::from_utf8_lossy(bytes)));
            object.insert(column.name.to_string(), value.unwrap_or_default());
        }
        self.rows.push(Value::Object(object));
    }
}

/// Converts a PostgreSQL error to the hosted API's text.
pub(super) fn refused(error: sqlx::Error) -> ApiError {
    match &error {
        sqlx::Error::Database(refusal) => {
            let code = refusal.code().unwrap_or_default();
            ApiError::bad(format!("Failed to run sql query: ERROR:  {code}: {}", refusal.message()))
        }
        _ => ApiError::from(error),
    }
}

fn refused_by_client(error: &ClientError, read_only: bool) -> ApiError {
    match error {
        ClientError::Db(error) => {
            let secrets = (read_only && error.code == NOT_PERMITTED).then_some(super::Sessions::NO_SECRETS);
            let hint = error.hint.as_deref().or(secrets).map(|hint| format!("\nHINT:  {hint}")).unwrap_or_default();
            ApiError::bad(format!("Failed to run sql query: ERROR:  {}: {}{hint}", error.code, error.message))
        }
        ClientError::TooLarge => too_many(),
        other => ApiError::internal("running an SQL query failed", other),
    }
}
