//! A table change with its values by column, and the evaluation of filters in PostgreSQL. Filters are evaluated with the role of the caller,
//! so that SQL of the project (such as the code of user-defined types) never has more rights than the caller.

use std::collections::HashMap;
use std::time::Duration;

use cloch_sql::{Caller, Database, LocalSettings};
use serde_json::{Map, Value};
use sqlx::{AssertSqlSafe, Postgres, Transaction};

use super::compare::Patterns;
use super::filter::{Filter, FilterError};
use super::pgoutput::{Cell, Change, Kind, Relation};
use super::replication_slot::{Column, Table};
use crate::sqlstate::{INSUFFICIENT_PRIVILEGE, INVALID_PARAMETER_VALUE};

#[derive(Debug)]
pub(super) struct RowChange<'a> {
    pub(super) table: &'a Table,
    pub(super) kind: Kind,
    /// New row by column name. `None` for a deletion.
    pub(super) new: Option<HashMap<&'a str, &'a Cell>>,
    /// Values of the old row in the columns of the replica identity, by column name. `None` for an insert.
    pub(super) old: Option<HashMap<&'a str, &'a Cell>>,
}

/// `statement_timeout` for evaluating the filters of one subscription in PostgreSQL.
pub(super) const FILTER_TIMEOUT: Duration = Duration::from_millis(50);
/// SQLSTATE `query_canceled`: a statement exceeded its timeout.
pub(super) const QUERY_CANCELED: &str = "57014";

pub(super) fn is_timeout(error: &sqlx::Error) -> bool {
    error.as_database_error().and_then(|error| error.code()).is_some_and(|code| code == QUERY_CANCELED)
}

/// Whether a transaction cannot begin because the caller's role does not exist, or the database login may not switch to the role.
fn is_role_refused(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(|error| error.code());
    code.is_some_and(|code| [INSUFFICIENT_PRIVILEGE, INVALID_PARAMETER_VALUE].contains(&&*code))
}

impl<'a> RowChange<'a> {
    /// Assigns the values of a change to the columns of its table. If an update contains no old key, the key did not change, so the new
    /// values are also used as the old key.
    pub(super) fn new(relation: &'a Relation, table: &'a Table, change: &'a Change) -> Self {
        let names = || relation.columns.iter().map(|(name, _)| name.as_str());
        let identity = |cells: &'a [Cell]| -> HashMap<&'a str, &'a Cell> {
            let is_key = |((_, is_key), _): &(&(String, bool), &Cell)| *is_key;
            relation.columns.iter().zip(cells).filter(is_key).map(|((name, _), cell)| (name.as_str(), cell)).collect()
        };
        let old = match (&change.old, &change.new) {
            (Some(old), _) => Some(identity(old)),
            (None, Some(new)) if change.kind == Kind::Update => Some(identity(new)),
            _ => None,
        };
        let new = change.new.as_ref().map(|cells| {
            let mut row: HashMap<&str, &Cell> = names().zip(cells).collect();
            for (name, cell) in &mut row {
                if let (Cell::Unchanged, Some(known)) = (*cell, old.as_ref().and_then(|old| old.get(name))) {
                    *cell = known;
                }
            }
            row
        });
        Self { table, kind: change.kind, new, old }
    }

    /// Returns the new row and the old row of the change, in this order, if present.
    pub(super) fn rows(&self) -> impl Iterator<Item = &HashMap<&'a str, &'a Cell>> {
        self.new.iter().chain(&self.old)
    }

    /// Returns the row to which filters apply: the old row of a deletion, otherwise the new row. `None` if the change does not contain this
    /// row.
    fn filtered(&self) -> Option<&HashMap<&str, &Cell>> {
        if self.kind == Kind::Delete { self.old.as_ref() } else { self.new.as_ref() }
    }

    /// Returns the column that a filter names and its value in the change. `None` if the row lacks the column.
    fn compared(&self, filter: &Filter) -> Option<(&Column, &Cell)> {
        let column = self.table.columns.iter().find(|column| column.name == filter.column)?;
        Some((column, self.filtered()?.get(filter.column.as_str())?))
    }

    /// Whether the change meets a filter. `None` if PostgreSQL has to evaluate the filter.
    pub(super) fn is_met(&self, filter: &Filter, patterns: &Patterns) -> Option<bool> {
        match self.compared(filter) {
            Some((column, cell)) => filter.is_met(&column.type_sql, cell, patterns),
            None => Some(false),
        }
    }
}

/// Returns the texts of a row by column, without the values that the change does not contain (unchanged TOASTed values).
pub(super) fn texts(row: &HashMap<&str, &Cell>) -> Map<String, Value> {
    let cell = |(name, cell): (&&str, &&Cell)| match cell {
        Cell::Unchanged => None,
        Cell::Null => Some(((*name).to_owned(), Value::Null)),
        Cell::Text(text) => Some(((*name).to_owned(), text.clone().into())),
    };
    row.iter().filter_map(cell).collect()
}

/// Begins a database transaction with the role and claims of a caller and with a `statement_timeout`.
pub(super) async fn begin(
    database: &Database,
    caller: &Caller,
    timeout: Duration,
) -> sqlx::Result<Transaction<'static, Postgres>> {
    let mut settings = LocalSettings::of(caller);
    settings.set("statement_timeout", timeout.as_millis().to_string());
    database.begin_with(caller.role(), &settings).await
}

/// Evaluates filters for a change in PostgreSQL. Returns one result per filter. All filters share one statement and one timeout.
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
    // The text of the statement depends on the number of filters, so the statement is not kept as a prepared statement.
    let met = query.persistent(false).fetch_one(&mut *transaction).await?;
    transaction.rollback().await?;
    Ok(met)
}

/// Checks in PostgreSQL whether the values of a filter have the type of the column, and whether its pattern is valid.
pub(super) async fn try_filter(
    database: &Database,
    caller: &Caller,
    column: &Column,
    filter: &Filter,
) -> sqlx::Result<Result<(), FilterError>> {
    let mut transaction = match begin(database, caller, FILTER_TIMEOUT).await {
        Ok(transaction) => transaction,
        // A role to which the login cannot switch affects only this caller. Returning a database error would make all subscribers wait,
        // as during an outage of the database.
        Err(error) if is_role_refused(&error) => return Ok(Err(FilterError::Role(caller.role().to_owned()))),
        Err(error) => return Err(error),
    };
    let statement = format!("select {}", filter.check_sql("$1::text", "$2", &column.type_sql));
    // A pattern is compared with an empty text, because PostgreSQL compiles a pattern only when it is matched with a value.
    let value = filter.operator.is_pattern().then_some("");
    let tried = sqlx::query(AssertSqlSafe(statement)).bind(value).bind(&filter.values).execute(&mut *transaction).await;
    Ok(match tried {
        Ok(_) => Ok(()),
        Err(error) if is_timeout(&error) => Err(FilterError::TooSlow(filter.column.clone())),
        Err(error) if error.as_database_error().is_some() => Err(FilterError::Value(filter.column.clone())),
        Err(error) => return Err(error),
    })
}
