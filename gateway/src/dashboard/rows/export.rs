//! CSV export of rows. A cursor is read in batches, as fast as the client receives them.

use std::borrow::Cow;

use axum::Extension;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use http::request::Parts;
use serde::Deserialize;
use sqlx::{AssertSqlSafe, Postgres, Row, Transaction};
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::page::PageRequest;
use super::statement::{Selection, Statement};
use super::{reader, reads};
use crate::dashboard::database::{As, Mode};
use crate::dashboard::extract::Params;
use crate::dashboard::operators::Session;
use crate::dashboard::schema::Relation;
use crate::dashboard::{ApiError, DashboardState};

/// Number of rows in a batch. A batch is held in memory, and a value may have many megabytes.
const BATCH_ROWS: usize = 200;
/// `statement_timeout` of the export, which applies to each batch.
const TIMEOUT: &str = "30min";

#[derive(Deserialize)]
pub(super) struct Query {
    /// Body of a `/rows/read` request as JSON.
    request: String,
    /// Whether values are exported unchanged, for import into another database. Otherwise values that a spreadsheet would run as formulas
    /// are escaped.
    #[serde(default)]
    raw: bool,
}

pub(super) async fn csv(
    State(state): State<DashboardState>,
    Extension(session): Extension<Session>,
    parts: Parts,
    Params(query): Params<Query>,
) -> Result<Response, ApiError> {
    let asked: PageRequest =
        serde_json::from_str(&query.request).map_err(|error| ApiError::bad_request(format!("request: {error}")))?;
    let place = (asked.schema.as_str(), asked.table.as_str());
    let who = reader(&state, &session.operator, place, asked.who.clone()).await?;
    let entry = reads::record_always(&state, (&parts, &session), "rows.export", place, &who).await?;
    let file = export(&state, &asked, &who, query.raw).await;
    let status = file.as_ref().map_or_else(ApiError::status, |_| StatusCode::OK);
    entry.end(state.database.admin(), status, None).await;
    file
}

async fn export(state: &DashboardState, asked: &PageRequest, who: &As, raw: bool) -> Result<Response, ApiError> {
    let relation = Relation::find(state.database.admin(), &asked.schema, &asked.table).await?;
    let statement = Selection::new(&relation, &asked.filters, &asked.sort)?.whole()?;
    let mut transaction = state.begin(who, Mode::Read).await?;
    sqlx::query("select set_config('statement_timeout', $1, true)").bind(TIMEOUT).execute(&mut *transaction).await?;
    // An error of the first statement becomes an error response. A later error aborts the file.
    open(&mut transaction, &statement).await?;
    let names: Vec<String> = relation.columns.iter().map(|column| column.name.clone()).collect();
    let (sender, receiver) = channel(2);
    tokio::spawn(async move {
        if let Err(error) = send(transaction, &names, raw, &sender).await {
            let error = std::io::Error::other(format!("{error:?}"));
            drop(sender.send(Err(error)).await);
        }
    });
    let headers = [
        (CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()),
        (CONTENT_DISPOSITION, format!("attachment; filename=\"{}.csv\"", file_name(&relation.name))),
    ];
    Ok((headers, Body::from_stream(stream(receiver))).into_response())
}

async fn open(transaction: &mut Transaction<'_, Postgres>, statement: &Statement) -> Result<(), ApiError> {
    let text = format!("declare exported no scroll cursor for {}", statement.text);
    let mut query = sqlx::query(AssertSqlSafe(text)).persistent(false);
    for value in &statement.values {
        query = query.bind(value);
    }
    query.execute(&mut **transaction).await.map(drop).map_err(ApiError::database)
}

type Part = std::io::Result<Bytes>;

async fn send(
    mut transaction: Transaction<'_, Postgres>,
    names: &[String],
    raw: bool,
    sender: &Sender<Part>,
) -> Result<(), ApiError> {
    let unwritten = |error: csv::Error| ApiError::internal("a CSV file cannot be written", error);
    let mut batch = csv::Writer::from_writer(Vec::new());
    batch.write_record(names.iter().map(|name| cell(name, raw).into_owned())).map_err(unwritten)?;
    loop {
        let text = format!("fetch {BATCH_ROWS} from exported");
        // The same statement text returns different columns for another table, so it must not be cached as a prepared statement.
        let rows = sqlx::query(AssertSqlSafe(text)).persistent(false).fetch_all(&mut *transaction).await;
        let rows = rows.map_err(ApiError::database)?;
        for row in &rows {
            let mut record = Vec::with_capacity(names.len());
            for column in 0..names.len() {
                record.push(cell(row.try_get::<Option<&str>, _>(column)?.unwrap_or_default(), raw));
            }
            batch.write_record(record.iter().map(|value| value.as_bytes())).map_err(unwritten)?;
        }
        let bytes = batch.into_inner().map_err(|error| ApiError::internal("a CSV file cannot be written", error))?;
        // If the client has disconnected, the transaction is dropped, which closes the cursor.
        if sender.send(Ok(bytes.into())).await.is_err() || rows.len() < BATCH_ROWS {
            return Ok(());
        }
        batch = csv::Writer::from_writer(Vec::new());
    }
}

fn cell(value: &str, raw: bool) -> Cow<'_, str> {
    if raw { Cow::Borrowed(value) } else { without_formula(value) }
}

/// Prefixes a value with an apostrophe if a spreadsheet would run it as a formula (OWASP, "CSV Injection"). Numbers stay unchanged.
fn without_formula(value: &str) -> Cow<'_, str> {
    let begins = value.trim_start_matches([' ', '\u{a0}', '\u{feff}', '"']);
    let is_formula = begins.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '|', '%', '＝', '＋', '－', '＠']);
    if is_formula && !is_number(value) { Cow::Owned(format!("'{value}")) } else { Cow::Borrowed(value) }
}

fn is_number(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E'))
        && value.parse::<f64>().is_ok()
}

fn stream(receiver: Receiver<Part>) -> impl futures_util::Stream<Item = Part> {
    futures_util::stream::unfold(receiver, async |mut receiver| {
        let part = receiver.recv().await?;
        Some((part, receiver))
    })
}

/// Returns a file name of letters, digits, `_` and `-`, safe for a response header.
fn file_name(table: &str) -> String {
    let name: String = table.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-')).take(60).collect();
    if name.is_empty() { "table".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::without_formula;

    #[test]
    fn no_value_is_a_formula_and_numbers_stay() {
        for value in [
            "=1+1",
            "+SUM(A1)",
            "-2+3",
            "@x",
            "\t=1",
            " =cmd|' /C calc'!A0",
            "|x",
            "%x",
            "\"=1",
            "＝1",
            "-",
            "+e",
            "\r=1",
        ] {
            assert_eq!(without_formula(value), format!("'{value}"));
        }
        for value in ["", "a=b", "-5", "+4.50", "-1e-3", "2020-01-01", "'=1", "x@y.example", "{\"a\": 1}"] {
            assert_eq!(without_formula(value), value);
        }
    }
}
