//! Finds the rows of a table that can be restored: rows of the temporary copy of the database that the table does not have now, or that
//! have other values now.

use std::time::{Duration, Instant};

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, Postgres, Row, Transaction};

use super::table::{Key, Table, Texts, begin_then};
use crate::dashboard::audit::Note;
use crate::dashboard::database::Mode;
use crate::dashboard::extract::Input;
use crate::dashboard::schema::Column;
use crate::dashboard::{ApiError, DashboardState};

/// Maximum number of rows on a page.
const PAGE_ROWS: usize = 100;
/// Number of rows in a batch: they are read together from the restored copy of the database, and compared with the table.
const BATCH_ROWS: usize = 500;
/// Time after which a page ends, even if it has fewer than `PAGE_ROWS` rows. The next page continues after the last compared row.
const SEARCH_TIME: Duration = Duration::from_secs(8);
/// Maximum length in characters of a shown value.
const MAX_CHARS: usize = 200;

#[derive(Deserialize)]
pub(super) struct FindRequest {
    schema: String,
    table: String,
    /// Text that a row of the copy must contain; empty for all rows.
    #[serde(default)]
    search: String,
    /// Key of the row after which the page begins; `None` for the first page.
    after: Option<Key>,
}

/// Page of rows that can be restored.
#[derive(Debug, Default, Serialize)]
struct Page {
    moment: DateTime<Utc>,
    columns: Vec<String>,
    left_out: Vec<String>,
    rows: Vec<FoundRow>,
    /// Number of rows of the copy that were compared with the table for this page.
    compared: usize,
    /// Key of the row after which the next page begins; `None` on the last page.
    next: Option<Key>,
}

#[derive(Debug, Serialize)]
struct FoundRow {
    key: Key,
    /// Names of the changed columns; `None` if the row is deleted.
    changed: Option<Vec<String>>,
    /// Values of the row in the copy, truncated to `MAX_CHARS` characters.
    values: Texts,
}

/// A row of the copy: key, digests of the compared columns, and truncated values.
struct Then {
    key: Key,
    digests: Texts,
    values: Texts,
}

pub(super) async fn find(
    State(state): State<DashboardState>,
    Input(asked): Input<FindRequest>,
) -> Result<Response, ApiError> {
    let (copy, moment) = state.row_copy.connect().await?;
    let table = Table::find(&state, &copy, &asked.schema, &asked.table).await?;
    let mut then = begin_then(&copy).await?;
    let mut now = state.begin_now(Mode::Read).await?;
    let page = Page {
        moment,
        columns: table.inserted.iter().map(|column| column.name.clone()).collect(),
        left_out: table.left_out.clone(),
        ..Page::default()
    };
    let page = fill(page, &table, &asked, &mut then, &mut now).await?;
    let note = Note(json!({ "schema": asked.schema, "table": asked.table, "moment": moment }));
    Ok((axum::Extension(note), Json(page)).into_response())
}

async fn fill(
    mut page: Page,
    table: &Table,
    asked: &FindRequest,
    then: &mut Transaction<'_, Postgres>,
    now: &mut Transaction<'_, Postgres>,
) -> Result<Page, ApiError> {
    let deadline = Instant::now() + SEARCH_TIME;
    let mut after = asked.after.clone();
    loop {
        let batch = read(table, after.as_ref(), &asked.search, then).await?;
        let is_last = batch.len() < BATCH_ROWS;
        let keys: Vec<Key> = batch.iter().map(|row| row.key.clone()).collect();
        let present = table.now(now, &keys, false).await?;
        for (place, row) in batch.into_iter().enumerate() {
            if page.rows.len() == PAGE_ROWS {
                page.next = after;
                return Ok(page);
            }
            after = Some(row.key.clone());
            page.compared += 1;
            let changed = present.get(&place).map(|present| table.changed(&row.digests, present));
            if changed.as_ref().is_none_or(|changed| !changed.is_empty()) {
                let changed = changed.map(|changed| changed.into_iter().map(|column| column.name.clone()).collect());
                page.rows.push(FoundRow { key: row.key, changed, values: row.values });
            }
        }
        if is_last {
            return Ok(page);
        }
        if Instant::now() >= deadline {
            page.next = after;
            return Ok(page);
        }
    }
}

/// Reads at most `BATCH_ROWS` rows of the copy in the order of the key: those after the key `after` whose values contain the text `search`.
async fn read(
    table: &Table,
    after: Option<&Key>,
    search: &str,
    then: &mut Transaction<'_, Postgres>,
) -> Result<Vec<Then>, ApiError> {
    let key: Vec<String> = table.key.iter().map(|column| format!("t.{}", column.quoted())).collect();
    let key = key.join(", ");
    let (mut conditions, mut values) = (Vec::new(), Vec::new());
    if let Some(after) = after {
        if after.len() != table.key.len() {
            return Err(ApiError::bad_request("after: it must have a value for each column of the key"));
        }
        let bound = |(place, column): (usize, &Column)| format!("${}::{}", place + 1, column.type_name);
        let bound: Vec<String> = table.key.iter().enumerate().map(bound).collect();
        conditions.push(format!("({key}) > ({})", bound.join(", ")));
        values.extend(after.iter().cloned());
    }
    if !search.is_empty() {
        values.push(search.to_lowercase());
        let row = Table::texts(&table.inserted, None);
        conditions.push(format!("position(${} in lower(array_to_string({row}, ' '))) > 0", values.len()));
    }
    let conditions = if conditions.is_empty() { String::new() } else { format!(" where {}", conditions.join(" and ")) };
    let text = format!(
        "select {}, {}, {} from {} as t{conditions} order by {key} limit {BATCH_ROWS}",
        Table::texts(&table.key, None),
        table.digests(),
        Table::texts(&table.inserted, Some(MAX_CHARS)),
        table.name
    );
    let mut query = sqlx::query(AssertSqlSafe(text)).persistent(false);
    for value in values {
        query = query.bind(value);
    }
    let rows = query.fetch_all(&mut **then).await.map_err(ApiError::database)?;
    let read = |row: &PgRow| Ok(Then { key: row.try_get(0)?, digests: row.try_get(1)?, values: row.try_get(2)? });
    Ok(rows.iter().map(read).collect::<sqlx::Result<Vec<Then>>>()?)
}
