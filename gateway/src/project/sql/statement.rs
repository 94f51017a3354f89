//! Runs one statement in a transaction and returns its rows as JSON.

use std::sync::Arc;

use cloch_core::disk_full;
use cloch_sql::client::{BatchStatement, ClientError, Column, Param, Row, RowSink};
use serde_json::{Map, Value};

use super::limits::{MAX_RESULT_BYTES, check, too_many};
use super::session::SqlSession;
use super::{read_only, values};
use crate::project::sessions::STATEMENT_TIMEOUT;
use crate::project::{ProjectError, SqlRefusal};

/// SQL statement that sets the transaction's statement timeout. Because it is a query, it also takes the transaction's snapshot: after
/// that, PostgreSQL refuses `set transaction read write`.
const SETTINGS: &str = "select set_config('statement_timeout', $1, true)";

/// Runs a single statement and returns its rows. PostgreSQL refuses to prepare a text with several statements. A read-only statement runs
/// in a read-only transaction of a login that cannot write. A `commit` or `set transaction read write` in the statement gives no additional
/// rights, because no further statement of the client runs in the session.
pub(super) async fn run(
    mut session: SqlSession,
    sql: &str,
    parameters: &[Value],
    read_only: bool,
) -> Result<Value, ProjectError> {
    check(sql)?;
    let (begin, end) = if read_only { (read_only::BEGIN, read_only::END) } else { ("begin read write", "commit") };
    let values: Vec<Param> = parameters.iter().map(parameter).collect();
    let settings = [Param::unknown(STATEMENT_TIMEOUT)];
    let mut sink = JsonRows::default();
    let mut steps = [
        BatchStatement::silent(begin, &[]),
        BatchStatement::silent(SETTINGS, &settings),
        BatchStatement { sql, params: &values, sink: Some(&mut sink) },
        BatchStatement::silent(end, &[]),
    ];
    session.connection.run("", &mut steps).await.map_err(|error| refused(error, read_only))?;
    sink.finish()
}

fn parameter(value: &Value) -> Param {
    match value {
        Value::Null => Param::nullable(None::<String>),
        Value::String(text) => Param::unknown(text.clone()),
        other => Param::unknown(other.to_string()),
    }
}

/// Collects result rows as JSON objects. Fails if the values of all rows have more than `MAX_RESULT_BYTES` in total.
#[derive(Default)]
struct JsonRows {
    columns: Option<Arc<[Column]>>,
    rows: Vec<Value>,
    bytes: usize,
}

impl JsonRows {
    fn finish(self) -> Result<Value, ProjectError> {
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

fn refused(error: ClientError, read_only: bool) -> ProjectError {
    match error {
        ClientError::Db(error) if error.code == disk_full::SQLSTATE => {
            disk_full::report("project API");
            ProjectError::DiskFull
        }
        ClientError::Db(error) => {
            let mut refusal = SqlRefusal::from(*error);
            if read_only && refusal.hint.is_none() {
                refusal.hint = read_only::hint(&refusal.code).map(str::to_owned);
            }
            ProjectError::Sql(Box::new(refusal))
        }
        ClientError::TooLarge => too_many(),
        other => ProjectError::internal("running an SQL query failed", other),
    }
}
