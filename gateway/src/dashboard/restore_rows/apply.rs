//! Restores the rows of a table that the operator has chosen: inserts deleted rows and updates changed rows in one transaction. The values
//! come from the temporary copy of the database. The operator sees the SQL statements with the values in their text; the server runs them
//! with the values as parameters.

use std::collections::HashMap;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::json;
use sha2::{Digest, Sha256};
use sqlx::postgres::PgDatabaseError;
use sqlx::{AssertSqlSafe, Postgres, Row, Transaction};

use super::table::{Key, Table, Texts, begin_then, end_comparison, place};
use crate::dashboard::audit::Note;
use crate::dashboard::database::Mode;
use crate::dashboard::extract::Input;
use crate::dashboard::rows::literal;
use crate::dashboard::schema::Column;
use crate::dashboard::{ApiError, DashboardState};

/// Maximum number of rows that one request restores.
const MAX_ROWS: usize = 500;
/// Maximum total size in bytes of the values of the rows that one request restores.
const MAX_BYTES: i64 = 4 << 20;
/// Maximum number of parameters of a statement. PostgreSQL allows 65,535.
const MAX_PARAMETERS: usize = 60_000;

#[derive(Deserialize)]
pub(super) struct Chosen {
    schema: String,
    table: String,
    keys: Vec<Key>,
}

#[derive(Deserialize)]
pub(super) struct Confirmed {
    #[serde(flatten)]
    chosen: Chosen,
    /// Digest of the statements that the operator has seen. If the statements would be different now, the request is refused.
    digest: String,
}

/// The chosen rows: those to insert, with all values, and those to update, with the changed values.
struct Rows<'a> {
    table: &'a Table,
    inserted: Vec<Texts>,
    updated: Vec<Update<'a>>,
}

struct Update<'a> {
    key: &'a Key,
    /// Changed columns, each with its value in the copy.
    values: Vec<(&'a Column, Option<String>)>,
}

/// A statement with the number of rows that it affects.
#[derive(Debug, PartialEq)]
struct Statement {
    text: String,
    /// Parameters; empty if the text contains the values.
    values: Texts,
    rows: u64,
}

/// Returns the statements that restore the chosen rows, without running them.
pub(super) async fn sql(
    State(state): State<DashboardState>,
    Input(chosen): Input<Chosen>,
) -> Result<Response, ApiError> {
    let (copy, moment) = state.row_copy.connect().await?;
    let table = Table::find(&state, &copy, &chosen.schema, &chosen.table).await?;
    let mut now = state.begin_now(Mode::Read).await?;
    let rows = Rows::read(&table, &chosen.keys, &mut begin_then(&copy).await?, &mut now, false).await?;
    let shown = rows.shown();
    let note = Note(json!({ "schema": chosen.schema, "table": chosen.table, "moment": moment }));
    let body = json!({
        "sql": shown, "digest": digest(&shown), "inserted": rows.inserted.len(), "updated": rows.updated.len(),
    });
    Ok((axum::Extension(note), Json(body)).into_response())
}

/// Runs the statements that the operator has seen. No row is restored if the rows have changed since the operator saw the statements, or if
/// a statement fails.
pub(super) async fn apply(
    State(state): State<DashboardState>,
    Input(Confirmed { chosen, digest: seen }): Input<Confirmed>,
) -> Result<Response, ApiError> {
    let (copy, moment) = state.row_copy.connect().await?;
    let table = Table::find(&state, &copy, &chosen.schema, &chosen.table).await?;
    let mut transaction = state.begin_now(Mode::Write).await?;
    let rows = Rows::read(&table, &chosen.keys, &mut begin_then(&copy).await?, &mut transaction, true).await?;
    if digest(&rows.shown()) != seen {
        return Err(ApiError::conflict("The rows have changed since the SQL was shown. No row was restored")
            .with_hint("Show the SQL again"));
    }
    end_comparison(&mut transaction).await?;
    for statement in rows.statements(true) {
        statement.run(&mut transaction).await?;
    }
    transaction.commit().await.map_err(refused)?;
    let (inserted, updated) = (rows.inserted.len(), rows.updated.len());
    let note = Note(json!({
        "schema": chosen.schema, "table": chosen.table, "moment": moment, "inserted": inserted, "updated": updated,
    }));
    Ok((axum::Extension(note), Json(json!({ "inserted": inserted, "updated": updated }))).into_response())
}

fn digest(text: &str) -> String {
    hex::encode(Sha256::digest(text))
}

/// Converts the error of a statement to an error response. The hint contains PostgreSQL's error detail, which names the conflicting values.
fn refused(error: sqlx::Error) -> ApiError {
    let detail = match &error {
        sqlx::Error::Database(refusal) => {
            refusal.try_downcast_ref::<PgDatabaseError>().and_then(PgDatabaseError::detail).map(str::to_owned)
        }
        _ => None,
    };
    let hint = detail.map_or_else(String::new, |detail| format!("{detail} "));
    ApiError::database(error).with_hint(format!("{hint}No row was restored."))
}

impl<'a> Rows<'a> {
    /// Reads the rows with the keys `keys` in a transaction on the copy (`then`) and in a transaction on the project's database (`now`),
    /// and determines which rows have to be inserted or updated. `is_locked`: whether the rows of the project's database are locked.
    async fn read(
        table: &'a Table,
        keys: &'a [Key],
        then: &mut Transaction<'_, Postgres>,
        now: &mut Transaction<'_, Postgres>,
        is_locked: bool,
    ) -> Result<Self, ApiError> {
        if keys.is_empty() || keys.len() > MAX_ROWS {
            return Err(ApiError::bad_request(format!("1 to {MAX_ROWS} rows at once")));
        }
        if keys.iter().any(|key| key.len() != table.key.len()) {
            return Err(ApiError::bad_request("keys: each must have a value for each column of the key"));
        }
        let present = table.now(now, keys, is_locked).await?;
        let mut rows = Self { table, inserted: Vec::new(), updated: Vec::new() };
        for (place, values, digests) in values(table, keys, then).await? {
            let Some(key) = keys.get(place) else { continue };
            match present.get(&place) {
                None => rows.inserted.push(values),
                Some(present) => {
                    let update = rows.update(key, &values, &digests, present);
                    rows.updated.extend(update);
                }
            }
        }
        match rows.inserted.is_empty() && rows.updated.is_empty() {
            true => Err(ApiError::conflict("The table has these rows with the same values already")),
            false => Ok(rows),
        }
    }

    /// Returns the update of a row with the values of the copy; `None` if the row has the same values now. `then` and `now` are the digests
    /// of the values in the copy and in the project's database.
    fn update(&self, key: &'a Key, values: &[Option<String>], then: &Texts, now: &Texts) -> Option<Update<'a>> {
        let by_name: HashMap<&str, &Option<String>> =
            self.table.inserted.iter().map(|column| column.name.as_str()).zip(values).collect();
        let value = |column: &Column| by_name.get(column.name.as_str()).and_then(|value| (*value).clone());
        let values: Vec<_> = self.table.changed(then, now).into_iter().map(|column| (column, value(column))).collect();
        (!values.is_empty()).then_some(Update { key, values })
    }

    /// Returns the statements with their values as one text, which the operator reads.
    fn shown(&self) -> String {
        self.statements(false).into_iter().map(|statement| statement.text).collect::<Vec<_>>().join("\n\n")
    }

    /// Returns the statements that restore the rows. `is_bound`: whether the values are parameters; if not, the text contains the values.
    fn statements(&self, is_bound: bool) -> Vec<Statement> {
        let columns = &self.table.inserted;
        let chunk = (MAX_PARAMETERS / columns.len().max(1)).max(1);
        let inserts = self.inserted.chunks(chunk).map(|rows| insert(self.table, rows, Values::new(is_bound)));
        let updates = self.updated.iter().map(|row| update(self.table, row, Values::new(is_bound)));
        inserts.chain(updates).collect()
    }
}

/// Reads the chosen rows from the copy. Returns for each row the position of its key in `keys`, the values of the columns that an insert
/// sets, and the digests of the compared columns.
async fn values(
    table: &Table,
    keys: &[Key],
    then: &mut Transaction<'_, Postgres>,
) -> Result<Vec<(usize, Texts, Texts)>, ApiError> {
    let texts = Table::texts(&table.inserted, None);
    let size = format!("coalesce(sum(octet_length({texts}::text)), 0)::bigint");
    let size = table.rows(then, &size, keys, "").await?;
    let size: i64 = size.first().map_or(Ok(0), |row| row.try_get(0))?;
    if size > MAX_BYTES {
        return Err(ApiError::too_large(format!(
            "The values of the chosen rows have more than {} MB",
            MAX_BYTES >> 20
        ))
        .with_hint("Choose fewer rows, or extract them with `cloch restore --only`"));
    }
    let select = format!("k.place, {texts}, {}", table.digests());
    let rows = table.rows(then, &select, keys, " order by k.place").await?;
    let mut found = Vec::new();
    for row in rows {
        found.push((place(&row)?, row.try_get(1)?, row.try_get(2)?));
    }
    if found.len() != keys.len() {
        return Err(ApiError::bad_request("keys: the copy does not have exactly one row for each key"));
    }
    Ok(found)
}

fn insert(table: &Table, rows: &[Texts], mut values: Values) -> Statement {
    let names: Vec<String> = table.inserted.iter().map(Column::quoted).collect();
    // Without this clause, PostgreSQL refuses values for columns that are `generated always as identity`.
    let overriding = match table.inserted.iter().any(|column| column.is_identity) {
        true => " overriding system value",
        false => "",
    };
    let mut lines = Vec::new();
    for row in rows {
        let row: Vec<String> =
            table.inserted.iter().zip(row).map(|(column, value)| values.put(value, column)).collect();
        lines.push(format!("  ({})", row.join(", ")));
    }
    let text = format!("insert into {} ({}){overriding}\nvalues\n{};", table.name, names.join(", "), lines.join(",\n"));
    Statement { text, values: values.bound, rows: rows.len() as u64 }
}

fn update(table: &Table, row: &Update<'_>, mut values: Values) -> Statement {
    let mut parts = Vec::new();
    for (column, value) in &row.values {
        parts.push(format!("{} = {}", column.quoted(), values.put(value, column)));
    }
    let mut conditions = Vec::new();
    for (column, value) in table.key.iter().zip(row.key) {
        conditions.push(format!("{} = {}", column.quoted(), values.put(&Some(value.clone()), column)));
    }
    let (parts, conditions) = (parts.join(",\n       "), conditions.join(" and "));
    let text = format!("update {}\n   set {parts}\n where {conditions};", table.name);
    Statement { text, values: values.bound, rows: 1 }
}

/// Writes values into a statement: as literals, or as parameters with the column's type.
struct Values {
    is_bound: bool,
    bound: Texts,
}

impl Values {
    fn new(is_bound: bool) -> Self {
        Self { is_bound, bound: Vec::new() }
    }

    fn put(&mut self, value: &Option<String>, column: &Column) -> String {
        if !self.is_bound {
            return value.as_deref().map_or_else(|| "null".to_owned(), literal);
        }
        self.bound.push(value.clone());
        format!("${}::{}", self.bound.len(), column.type_name)
    }
}

impl Statement {
    async fn run(self, transaction: &mut Transaction<'_, Postgres>) -> Result<(), ApiError> {
        let mut query = sqlx::query(AssertSqlSafe(self.text)).persistent(false);
        for value in self.values {
            query = query.bind(value);
        }
        let done = query.execute(&mut **transaction).await.map_err(refused)?.rows_affected();
        match done == self.rows {
            true => Ok(()),
            false => Err(ApiError::conflict(format!(
                "A statement affected {done} rows instead of {}: a trigger skips rows. No row was restored",
                self.rows
            ))),
        }
    }
}

#[cfg(test)]
#[path = "apply_tests.rs"]
mod tests;
