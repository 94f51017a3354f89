//! Reads a page of rows, or one complete value.

use std::time::Instant;

use axum::extract::State;
use axum::{Extension, Json};
use http::StatusCode;
use http::request::Parts;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, Postgres, Row, Transaction};

use super::statement::{Filter, MAX_CHARS, MAX_ROWS, Part, Selection, Sort, Statement};
use super::{reader, reads};
use crate::dashboard::database::{As, Mode};
use crate::dashboard::extract::Input;
use crate::dashboard::operators::Session;
use crate::dashboard::schema::Relation;
use crate::dashboard::{ApiError, DashboardState};

/// Maximum number of matching rows that are counted if no exact count is requested.
const COUNTED_ROWS: i64 = 10_000;
/// Maximum size in bytes of a complete value.
const MAX_CELL_BYTES: i64 = 16 << 20;

/// Request for a page of rows: relation, identity, filters and order.
#[derive(Debug, Deserialize)]
pub(super) struct PageRequest {
    pub(super) schema: String,
    pub(super) table: String,
    #[serde(rename = "as")]
    pub(super) who: Option<As>,
    #[serde(default)]
    pub(super) filters: Vec<Filter>,
    #[serde(default)]
    pub(super) sort: Vec<Sort>,
    limit: Option<i64>,
    offset: Option<i64>,
    after: Option<Vec<String>>,
    count: Option<Count>,
}

#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Count {
    Estimated,
    Exact,
}

#[derive(Debug, Default, Serialize)]
pub(super) struct Page {
    columns: Vec<String>,
    rows: Vec<Vec<Option<String>>>,
    /// Row and column indexes of the values that this page truncates or omits.
    cut: Vec<(usize, usize)>,
    /// Values of the sort columns in the last row; the next page begins after these values. `None` on the last page, or if the pages of this
    /// relation can be selected only by offset.
    next: Option<Vec<String>>,
    count: Option<i64>,
    is_exact: bool,
    /// Duration of the request in milliseconds.
    ms: u64,
}

/// Returns the identity with which rows are read by default: the project's owner `postgres`.
pub(super) fn owner() -> As {
    As::Role("postgres".to_owned())
}

pub(super) async fn read(
    State(state): State<DashboardState>,
    Extension(session): Extension<Session>,
    parts: Parts,
    Input(asked): Input<PageRequest>,
) -> Result<Json<Page>, ApiError> {
    let began = Instant::now();
    let place = (asked.schema.as_str(), asked.table.as_str());
    let who = reader(&state, &session.operator, place, asked.who.clone()).await?;
    let entry = reads::record(&state, (&parts, &session), "rows.read", place, &who).await?;
    let read = page(&state, &asked, &who, began).await;
    if let Some(entry) = entry {
        let status = read.as_ref().map_or_else(ApiError::status, |_| StatusCode::OK);
        entry.end(state.database.operators(), status, None).await;
    }
    read.map(Json)
}

async fn page(state: &DashboardState, asked: &PageRequest, who: &As, began: Instant) -> Result<Page, ApiError> {
    let relation = Relation::find(state.database.admin(), &asked.schema, &asked.table).await?;
    let selection = Selection::new(&relation, &asked.filters, &asked.sort)?;
    let limit = asked.limit.unwrap_or(200).clamp(1, MAX_ROWS);
    let part = asked.after.clone().map_or(Part::Offset(asked.offset.unwrap_or(0)), Part::After);
    let mut transaction = state.begin(who, Mode::Read).await?;
    let rows = fetch(&mut transaction, &selection.page(&part, limit)?).await?;
    let mut page =
        Page { columns: relation.columns.iter().map(|column| column.name.clone()).collect(), ..Page::default() };
    for row in &rows {
        page.push(row, relation.columns.len())?;
    }
    page.next = page.next_after(&selection, limit);
    if let Some(count) = asked.count {
        let everything = asked.filters.is_empty() && asked.who.is_none();
        let estimate = relation.estimate().filter(|_| everything);
        (page.count, page.is_exact) = number(&mut transaction, &selection.matching()?, count, estimate).await?;
    }
    page.ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(page)
}

impl Page {
    /// Appends a row to the page. Truncates long values, and records the row and column indexes of truncated and omitted values.
    fn push(&mut self, row: &PgRow, columns: usize) -> Result<(), ApiError> {
        let place = self.rows.len();
        let mut values = Vec::with_capacity(columns);
        for column in 0..columns {
            let mut value: Option<String> = row.try_get(column)?;
            if let Some(text) = &mut value
                && let Some((end, _)) = text.char_indices().nth(MAX_CHARS)
            {
                text.truncate(end);
                self.cut.push((place, column));
            }
            values.push(value);
        }
        let left_out: Vec<i32> = row.try_get(columns)?;
        self.cut.extend(left_out.into_iter().filter_map(|column| Some((place, usize::try_from(column).ok()?))));
        self.rows.push(values);
        Ok(())
    }

    fn next_after(&self, selection: &Selection<'_>, limit: i64) -> Option<Vec<String>> {
        let last = self.rows.len().checked_sub(1)?;
        let places = selection.places().filter(|_| i64::try_from(self.rows.len()) == Ok(limit))?;
        let is_whole = |place: &usize| !self.cut.contains(&(last, *place));
        let row = self.rows.get(last)?;
        places.iter().map(|place| row.get(*place)?.clone().filter(|_| is_whole(place))).collect()
    }
}

async fn fetch(transaction: &mut Transaction<'_, Postgres>, statement: &Statement) -> Result<Vec<PgRow>, ApiError> {
    // Names are quoted and come from the catalog; values are bound. The statement is not cached as a prepared statement, because almost every
    // request has another text.
    let mut query = sqlx::query(AssertSqlSafe(statement.text.clone())).persistent(false);
    for value in &statement.values {
        query = query.bind(value);
    }
    query.fetch_all(&mut **transaction).await.map_err(ApiError::database)
}

/// Returns the number of matching rows and whether it is exact. If `count` does not request the exact number and more than `COUNTED_ROWS`
/// rows match, the number is an estimate: `estimate` from the catalog, or the planner's estimate if `estimate` is `None`.
async fn number(
    transaction: &mut Transaction<'_, Postgres>,
    matching: &Statement,
    count: Count,
    estimate: Option<i64>,
) -> Result<(Option<i64>, bool), ApiError> {
    let bound = if count == Count::Exact { String::new() } else { format!(" limit {}", COUNTED_ROWS + 1) };
    let text = format!("select count(*) from ({}{bound}) as counted", matching.text);
    let counted = fetch(transaction, &Statement { text, values: matching.values.clone() }).await?;
    let counted: i64 = counted.first().map_or(Ok(0), |row| row.try_get(0))?;
    if count == Count::Exact || counted <= COUNTED_ROWS {
        return Ok((Some(counted), true));
    }
    if let Some(rows) = estimate {
        return Ok((Some(rows.max(counted)), false));
    }
    let text = format!("explain (format json) {}", matching.text);
    let plan = fetch(transaction, &Statement { text, values: matching.values.clone() }).await?;
    let plan: Option<Value> = plan.first().map(|row| row.try_get(0)).transpose()?;
    let rows = plan.and_then(|plan| plan.pointer("/0/Plan/Plan Rows")?.as_i64());
    Ok((rows.map(|rows| rows.max(counted)), false))
}

/// Request for one complete value of a row.
#[derive(Debug, Deserialize)]
pub(super) struct Cell {
    schema: String,
    table: String,
    #[serde(rename = "as")]
    who: Option<As>,
    key: Map<String, Value>,
    column: String,
}

pub(super) async fn cell(
    State(state): State<DashboardState>,
    Extension(session): Extension<Session>,
    parts: Parts,
    Input(asked): Input<Cell>,
) -> Result<Json<Value>, ApiError> {
    let place = (asked.schema.as_str(), asked.table.as_str());
    let who = reader(&state, &session.operator, place, asked.who.clone()).await?;
    let entry = reads::record(&state, (&parts, &session), "rows.cell", place, &who).await?;
    let read = value(&state, &asked, &who).await;
    if let Some(entry) = entry {
        let status = read.as_ref().map_or_else(ApiError::status, |_| StatusCode::OK);
        entry.end(state.database.operators(), status, None).await;
    }
    read.map(Json)
}

async fn value(state: &DashboardState, asked: &Cell, who: &As) -> Result<Value, ApiError> {
    let relation = Relation::find(state.database.admin(), &asked.schema, &asked.table).await?;
    let column = relation.column(&asked.column)?;
    let filters: Vec<Filter> = asked
        .key
        .iter()
        .map(|(name, value)| Filter { column: name.clone(), op: super::statement::Op::Eq, value: value.clone() })
        .collect();
    let has_key = relation.key().next().is_some() && relation.key().all(|column| asked.key.contains_key(&column.name));
    if !has_key {
        return Err(ApiError::bad_request("One value is found by the whole key of its row"));
    }
    let mut statement = Selection::new(&relation, &filters, &[])?.matching()?;
    let name = format!("t.{}", column.quoted());
    let select = format!(
        "select octet_length({name}::text), case when octet_length({name}::text) <= {MAX_CELL_BYTES} then {name}::text end"
    );
    statement.text = statement.text.replacen("select 1", &select, 1);
    let mut transaction = state.begin(who, Mode::Read).await?;
    let rows = fetch(&mut transaction, &statement).await?;
    let row = rows.first().ok_or_else(|| ApiError::not_found("There is no such row any more"))?;
    let (bytes, value): (Option<i32>, Option<String>) = (row.try_get(0)?, row.try_get(1)?);
    match (bytes, &value) {
        (Some(_), None) => Err(ApiError::too_large(format!("The value has more than {} MB", MAX_CELL_BYTES >> 20))),
        _ => Ok(json!({ "value": value })),
    }
}
