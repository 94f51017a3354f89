//! A change as one caller sees it. All of it runs as that caller: the row's right to be read, the columns', the conversion of
//! values and the filters' comparisons, so that nothing a project defines runs with more rights than its reader has.

use std::collections::HashMap;

use cloch_sql::rest::sql::quoted;
use cloch_sql::{Caller, Database};
use serde_json::{Map, Value};
use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, Postgres, Row, Transaction};

use super::filter::{Filter, FilterError};
use super::pgoutput::{Cell, Kind};
use super::source::{Column, Table};

/// A change, with its values by the table's columns.
#[derive(Debug)]
pub(super) struct RowChange<'a> {
    pub(super) table: &'a Table,
    pub(super) kind: Kind,
    /// The row after, where there is one.
    pub(super) new: Option<HashMap<&'a str, &'a Cell>>,
    /// The replica identity before, where there is one.
    pub(super) old: Option<HashMap<&'a str, &'a Cell>>,
}

/// What a caller may know of a change.
#[derive(Debug)]
pub(super) enum Seen {
    /// Nothing.
    Hidden,
    /// That it cannot be shown, and why.
    Refused(&'static str),
    /// The values of the columns it may read, and which filters are met.
    Shown { new: Option<Map<String, Value>>, old: Option<Map<String, Value>>, columns: Vec<Column>, met: Vec<bool> },
}

const NO_KEY: &str = "Error 400: Bad Request, no primary key";
const NO_RIGHT: &str = "Error 401: Unauthorized";

impl RowChange<'_> {
    /// The row that filters look at.
    fn filtered(&self) -> Option<&HashMap<&str, &Cell>> {
        if self.kind == Kind::Delete { self.old.as_ref() } else { self.new.as_ref() }
    }
}

/// Asks PostgreSQL what a caller sees of a change.
pub(super) async fn see(
    database: &Database,
    caller: &Caller,
    change: &RowChange<'_>,
    filters: &[&Filter],
) -> sqlx::Result<Seen> {
    let table = change.table;
    if !table.columns.iter().any(|column| column.is_key) {
        return Ok(Seen::Refused(NO_KEY));
    }
    let mut transaction = database.begin_as(caller).await?;
    let readable = readable_columns(&mut transaction, table).await?;
    if table.columns.iter().any(|column| column.is_key && !readable.contains(&column.number)) {
        return Ok(Seen::Refused(NO_RIGHT));
    }
    let columns: Vec<Column> =
        table.columns.iter().filter(|column| readable.contains(&column.number)).cloned().collect();
    if let (Some(new), true) = (&change.new, change.kind != Kind::Delete)
        && !is_visible(&mut transaction, table, new).await?
    {
        return Ok(Seen::Hidden);
    }
    let met = met(&mut transaction, change, filters).await?;
    let mut record = async |row: &Option<HashMap<&str, &Cell>>, columns: &[Column]| match row {
        Some(row) => json(&mut transaction, columns, row).await.map(Some),
        None => Ok(None),
    };
    let new = record(&change.new, &columns).await?;
    let keys_only = change.kind == Kind::Delete && table.row_security;
    let old_columns: Vec<Column> = columns.iter().filter(|column| column.is_key || !keys_only).cloned().collect();
    let old = record(&change.old, &old_columns).await?;
    transaction.rollback().await?;
    Ok(Seen::Shown { new, old, columns, met })
}

async fn readable_columns(transaction: &mut Transaction<'_, Postgres>, table: &Table) -> sqlx::Result<Vec<i16>> {
    sqlx::query_scalar(
        "select attnum from pg_catalog.pg_attribute
          where attrelid::bigint = $1 and attnum > 0 and has_column_privilege(attrelid, attnum, 'select')",
    )
    .bind(i64::from(table.oid))
    .fetch_all(&mut **transaction)
    .await
}

/// Whether the caller finds the row by its key.
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

/// Which filters the change meets.
async fn met(
    transaction: &mut Transaction<'_, Postgres>,
    change: &RowChange<'_>,
    filters: &[&Filter],
) -> sqlx::Result<Vec<bool>> {
    let Some(row) = change.filtered() else { return Ok(vec![false; filters.len()]) };
    let mut met = Vec::with_capacity(filters.len());
    for filter in filters {
        let column = change.table.columns.iter().find(|column| column.name == filter.column);
        let cell = row.get(filter.column.as_str());
        met.push(match (column, cell) {
            (Some(column), Some(Cell::Text(_) | Cell::Null)) => {
                let statement = format!("select {}", filter.sql("$1::text", "$2", &column.type_sql));
                sqlx::query_scalar::<_, Option<bool>>(AssertSqlSafe(statement))
                    .bind(text(cell))
                    .bind(&filter.values)
                    .fetch_one(&mut **transaction)
                    .await?
                    .unwrap_or(false)
            }
            _ => false,
        });
    }
    Ok(met)
}

/// The values as JSON, as PostgreSQL writes them.
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

/// Whether a caller may filter a table so: the column is there, readable, and the value is one of its type.
pub(super) async fn check_filter(
    database: &Database,
    caller: &Caller,
    table: &Table,
    filter: &Filter,
) -> sqlx::Result<Result<(), FilterError>> {
    let no_column = Err(FilterError::Column(filter.column.clone()));
    let Some(column) = table.columns.iter().find(|column| column.name == filter.column) else { return Ok(no_column) };
    let mut transaction = database.begin_as(caller).await?;
    if !readable_columns(&mut transaction, table).await?.contains(&column.number) {
        return Ok(no_column);
    }
    let statement = format!("select {}", filter.sql("$1::text", "$2", &column.type_sql));
    let tried =
        sqlx::query(AssertSqlSafe(statement)).bind(None::<&str>).bind(&filter.values).execute(&mut *transaction).await;
    Ok(match tried {
        Ok(_) => Ok(()),
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
