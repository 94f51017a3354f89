//! A change as one caller sees it. All queries run as that caller: the check whether the row and its columns may be read, the conversion of
//! values and the filters' comparisons. So nothing that a project defines runs with more rights than the caller has.

use std::collections::HashMap;
use std::time::Duration;

use cloch_sql::rest::sql::quoted;
use cloch_sql::{Caller, Database, LocalSettings};
use serde_json::{Map, Value};
use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, Postgres, Row, Transaction};

use super::compare::Patterns;
use super::filter::{Filter, FilterError};
use super::pgoutput::{Cell, Kind};
use super::replication_slot::{Column, Table};

/// A change, with its values by the table's columns.
#[derive(Debug)]
pub(super) struct RowChange<'a> {
    pub(super) table: &'a Table,
    pub(super) kind: Kind,
    /// The new row, if there is one.
    pub(super) new: Option<HashMap<&'a str, &'a Cell>>,
    /// The old replica identity, if there is one.
    pub(super) old: Option<HashMap<&'a str, &'a Cell>>,
}

/// The visible part of a change.
#[derive(Debug)]
pub(super) enum Seen {
    /// Nothing.
    Hidden,
    /// An error message in place of the change.
    Refused(&'static str),
    /// The values of the columns that the caller may read.
    Shown { new: Option<Map<String, Value>>, old: Option<Map<String, Value>>, columns: Vec<Column> },
}

const NO_KEY: &str = "Error 400: Bad Request, no primary key";
const NO_RIGHT: &str = "Error 401: Unauthorized";

/// `statement_timeout` of the query for the visible part of a change.
const VISIBILITY_TIMEOUT: Duration = Duration::from_secs(2);
/// `statement_timeout` for evaluating the filters of one subscription.
pub(super) const FILTER_TIMEOUT: Duration = Duration::from_millis(50);
/// SQLSTATE `query_canceled`: a statement exceeded its timeout.
const QUERY_CANCELED: &str = "57014";

/// Whether an error is a statement timeout.
pub(super) fn is_timeout(error: &sqlx::Error) -> bool {
    error.as_database_error().and_then(|error| error.code()).is_some_and(|code| code == QUERY_CANCELED)
}

impl RowChange<'_> {
    /// The row that filters apply to.
    fn filtered(&self) -> Option<&HashMap<&str, &Cell>> {
        if self.kind == Kind::Delete { self.old.as_ref() } else { self.new.as_ref() }
    }

    /// The column and value that a filter compares; `None` if the row lacks them.
    fn compared(&self, filter: &Filter) -> Option<(&Column, &Cell)> {
        let column = self.table.columns.iter().find(|column| column.name == filter.column)?;
        Some((column, self.filtered()?.get(filter.column.as_str())?))
    }

    /// Whether a filter is met; `None` if PostgreSQL has to evaluate it.
    pub(super) fn is_met(&self, filter: &Filter, patterns: &Patterns) -> Option<bool> {
        match self.compared(filter) {
            Some((column, cell)) => filter.is_met(&column.type_sql, cell, patterns),
            None => Some(false),
        }
    }
}

/// Begins a transaction as a caller, with a `statement_timeout`.
async fn begin(
    database: &Database,
    caller: &Caller,
    timeout: Duration,
) -> sqlx::Result<Transaction<'static, Postgres>> {
    let mut settings = LocalSettings::of(caller);
    settings.set("statement_timeout", timeout.as_millis().to_string());
    database.begin_with(caller.role(), &settings).await
}

/// Queries the visible part of a change.
pub(super) async fn see(database: &Database, caller: &Caller, change: &RowChange<'_>) -> sqlx::Result<Seen> {
    let table = change.table;
    if !table.columns.iter().any(|column| column.is_key) {
        return Ok(Seen::Refused(NO_KEY));
    }
    let mut transaction = begin(database, caller, VISIBILITY_TIMEOUT).await?;
    let permissions = permissions(&mut transaction, table).await?;
    if table.columns.iter().any(|column| column.is_key && !permissions.columns.contains(&column.number)) {
        return Ok(Seen::Refused(NO_RIGHT));
    }
    if !permissions.may_see_rows {
        return Ok(Seen::Hidden);
    }
    let columns: Vec<Column> =
        table.columns.iter().filter(|column| permissions.columns.contains(&column.number)).cloned().collect();
    if let (Some(new), true) = (&change.new, change.kind != Kind::Delete)
        && !is_visible(&mut transaction, table, new).await?
    {
        return Ok(Seen::Hidden);
    }
    let mut record = async |row: &Option<HashMap<&str, &Cell>>, columns: &[Column]| match row {
        Some(row) => json(&mut transaction, columns, row).await.map(Some),
        None => Ok(None),
    };
    let new = record(&change.new, &columns).await?;
    let keys_only = change.kind == Kind::Delete && table.row_security;
    let old_columns: Vec<Column> = columns.iter().filter(|column| column.is_key || !keys_only).cloned().collect();
    let old = record(&change.old, &old_columns).await?;
    transaction.rollback().await?;
    Ok(Seen::Shown { new, old, columns })
}

/// What a caller may read of a table.
#[derive(Debug, sqlx::FromRow)]
struct Permissions {
    /// Attribute numbers of the readable columns.
    columns: Vec<i16>,
    /// False if no policy lets the role read any row. Policies can be evaluated for existing rows only; as upstream, the key of a deleted
    /// row is sent to every role that may read some row.
    may_see_rows: bool,
}

async fn permissions(transaction: &mut Transaction<'_, Postgres>, table: &Table) -> sqlx::Result<Permissions> {
    sqlx::query_as(
        "select coalesce(array_agg(attnum) filter (where has_column_privilege(attrelid, attnum, 'select')), '{}') as columns,
                not row_security_active($1::bigint::oid) or exists (
                  select from pg_catalog.pg_policy, unnest(polroles) as role
                   where polrelid = $1::bigint::oid and polpermissive and polcmd in ('r', '*')
                     and (role = 0 or pg_has_role(role, 'usage'))) as may_see_rows
           from pg_catalog.pg_attribute where attrelid = $1::bigint::oid and attnum > 0 and not attisdropped",
    )
    .bind(i64::from(table.oid))
    .fetch_one(&mut **transaction)
    .await
}

/// Whether the caller can select the row by its key.
async fn is_visible(
    transaction: &mut Transaction<'_, Postgres>,
    table: &Table,
    row: &HashMap<&str, &Cell>,
) -> sqlx::Result<bool> {
    let keys: Vec<&Column> = table.columns.iter().filter(|column| column.is_key).collect();
    let conditions: Vec<String> = keys
        .iter()
        .enumerate()
        .map(|(at, column)| format!("{} = ${}::text::{}", quoted(&column.name), at + 1, column.type_sql))
        .collect();
    let statement = format!(
        "select exists (select from {}.{} where {})",
        quoted(&table.schema),
        quoted(&table.name),
        conditions.join(" and ")
    );
    let mut query = sqlx::query_scalar(AssertSqlSafe(statement));
    for column in keys {
        query = query.bind(text(row.get(column.name.as_str())));
    }
    query.fetch_one(&mut **transaction).await
}

/// Evaluates filters of a change in PostgreSQL: all in one statement, with the timeout of one.
pub(super) async fn ask_filters(
    database: &Database,
    caller: &Caller,
    change: &RowChange<'_>,
    filters: &[&Filter],
) -> sqlx::Result<Vec<bool>> {
    let compared: Vec<(&Filter, &Column, Option<&str>)> = filters
        .iter()
        .filter_map(|filter| {
            let (column, cell) = change.compared(filter)?;
            Some((*filter, column, if let Cell::Text(text) = cell { Some(text.as_str()) } else { None }))
        })
        .collect();
    let conditions: Vec<String> = compared
        .iter()
        .enumerate()
        .map(|(at, (filter, column, _))| {
            let (value, arguments) = (format!("${}::text", 2 * at + 1), format!("${}", 2 * at + 2));
            format!("coalesce({}, false)", filter.sql(&value, &arguments, &column.type_sql))
        })
        .collect();
    let mut query = sqlx::query_scalar(AssertSqlSafe(format!("select array[{}]::boolean[]", conditions.join(", "))));
    for (filter, _, value) in &compared {
        query = query.bind(*value).bind(&filter.values);
    }
    let mut transaction = begin(database, caller, FILTER_TIMEOUT).await?;
    // The statement's text depends on the number of filters, so it is not kept as a prepared statement.
    let met = query.persistent(false).fetch_one(&mut *transaction).await?;
    transaction.rollback().await?;
    Ok(met)
}

/// The values as JSON, converted by PostgreSQL.
async fn json(
    transaction: &mut Transaction<'_, Postgres>,
    columns: &[Column],
    row: &HashMap<&str, &Cell>,
) -> sqlx::Result<Map<String, Value>> {
    let there: Vec<(&Column, Option<&str>)> = columns
        .iter()
        .filter_map(|column| match row.get(column.name.as_str())? {
            Cell::Unchanged => None,
            Cell::Null => Some((column, None)),
            Cell::Text(text) => Some((column, Some(text.as_str()))),
        })
        .collect();
    if there.is_empty() {
        return Ok(Map::new());
    }
    let values: Vec<String> = there
        .iter()
        .enumerate()
        .map(|(at, (column, _))| format!("to_jsonb(${}::text::{})::text", at + 1, column.type_sql))
        .collect();
    let mut query = sqlx::query(AssertSqlSafe(format!("select {}", values.join(", "))));
    for (_, value) in &there {
        query = query.bind(*value);
    }
    let found: PgRow = query.fetch_one(&mut **transaction).await?;
    there
        .iter()
        .enumerate()
        .map(|(at, (column, _))| {
            let text: Option<String> = found.try_get(at)?;
            let value = text.map_or(Ok(Value::Null), |text| serde_json::from_str(&text));
            Ok((column.name.clone(), value.map_err(|error| sqlx::Error::Decode(error.into()))?))
        })
        .collect()
}

/// Checks in PostgreSQL whether a filter's values have the column's type, and whether its pattern is valid.
pub(super) async fn try_filter(
    database: &Database,
    caller: &Caller,
    column: &Column,
    filter: &Filter,
) -> sqlx::Result<Result<(), FilterError>> {
    let mut transaction = begin(database, caller, FILTER_TIMEOUT).await?;
    let statement = format!("select {}", filter.sql("$1::text", "$2", &column.type_sql));
    // PostgreSQL compiles a pattern only when it is compared with a value.
    let value = filter.operator.is_pattern().then_some("");
    let tried = sqlx::query(AssertSqlSafe(statement)).bind(value).bind(&filter.values).execute(&mut *transaction).await;
    Ok(match tried {
        Ok(_) => Ok(()),
        Err(error) if is_timeout(&error) => Err(FilterError::TooSlow(filter.column.clone())),
        Err(error) if error.as_database_error().is_some() => Err(FilterError::Value(filter.column.clone())),
        Err(error) => return Err(error),
    })
}

fn text<'a>(cell: Option<&&'a Cell>) -> Option<&'a str> {
    match cell {
        Some(Cell::Text(text)) => Some(text),
        _ => None,
    }
}
