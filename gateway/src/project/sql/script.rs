//! Runs an SQL script and returns the rows of the last statement that returns rows.

use futures_util::TryStreamExt;
use serde_json::{Map, Value};
use sqlx::{AssertSqlSafe, Column as _, Either, PgConnection, Row as _, ValueRef};

use super::limits::{MAX_RESULT_BYTES, check, too_many};
use super::values;
use crate::project::ProjectError;

/// Runs an SQL script by PostgreSQL's simple query protocol.
pub(super) async fn run(mut connection: PgConnection, sql: &str) -> Result<Value, ProjectError> {
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

fn refused(error: sqlx::Error) -> ProjectError {
    ProjectError::of_statement(error).without_hint()
}
