//! Exports rows as CSV. The rows are read from a cursor in batches, as fast as the client receives the file.

use std::borrow::Cow;
use std::time::Duration;

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
use tokio::time::{Instant, timeout_at};

use super::page::PageRequest;
use super::statement::{Selection, Statement};
use super::{reader, reads};
use crate::dashboard::database::{As, Mode};
use crate::dashboard::extract::Params;
use crate::dashboard::operators::Session;
use crate::dashboard::schema::Relation;
use crate::dashboard::{ApiError, DashboardState};

/// Number of rows per batch of an export; small, because a batch is held in memory, and a value may have many megabytes.
const BATCH_ROWS: usize = 200;
/// Maximum duration of an export, including the time that the client takes to receive the file. The maximum exists because the export's
/// transaction keeps PostgreSQL from removing dead rows.
const EXPORT_TIMEOUT: Duration = Duration::from_mins(30);

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
    entry.end(state.database.operators(), status, None).await;
    file
}

async fn export(state: &DashboardState, asked: &PageRequest, who: &As, raw: bool) -> Result<Response, ApiError> {
    let relation = Relation::find(state.database.admin(), &asked.schema, &asked.table).await?;
    let statement = Selection::new(&relation, &asked.filters, &asked.sort)?.whole()?;
    let deadline = Instant::now() + EXPORT_TIMEOUT;
    let mut transaction = state.begin(who, Mode::Read).await?;
    bound(&mut transaction, deadline).await?;
    // An error while the cursor is opened becomes an error response. A later error aborts the response, because its status
    // is already sent.
    open(&mut transaction, &statement).await?;
    let names: Vec<String> = relation.columns.iter().map(|column| column.name.clone()).collect();
    let (sender, receiver) = channel(2);
    let place = (relation.schema.clone(), relation.name.clone());
    tokio::spawn(run(place, transaction, names, raw, sender, deadline));
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

/// Sets `statement_timeout` to the time until the deadline of the export.
async fn bound(transaction: &mut Transaction<'_, Postgres>, deadline: Instant) -> Result<(), ApiError> {
    let left = deadline.saturating_duration_since(Instant::now()).as_millis().max(1);
    let set = sqlx::query("select set_config('statement_timeout', $1, true)").bind(format!("{left}ms"));
    set.execute(&mut **transaction).await?;
    Ok(())
}

/// Sends the complete CSV file to the client. If an error occurs, sends the error instead of the rest of the file, which aborts the response.
/// At the deadline the transaction ends, even if the client does not receive data.
async fn run(
    (schema, table): (String, String),
    transaction: Transaction<'_, Postgres>,
    names: Vec<String>,
    raw: bool,
    sender: Sender<Part>,
    deadline: Instant,
) {
    let error = match timeout_at(deadline, send(transaction, &names, raw, &sender, deadline)).await {
        Ok(Ok(())) => return,
        Ok(Err(error)) => format!("{error:?}"),
        Err(_) => {
            tracing::warn!(
                schema,
                table,
                "dashboard: CSV export of a table aborted, the export took more than {} minutes",
                EXPORT_TIMEOUT.as_secs() / 60
            );
            "the export took too long".to_owned()
        }
    };
    drop(sender.send(Err(std::io::Error::other(error))).await);
}

async fn send(
    mut transaction: Transaction<'_, Postgres>,
    names: &[String],
    raw: bool,
    sender: &Sender<Part>,
    deadline: Instant,
) -> Result<(), ApiError> {
    let unwritten = |error: csv::Error| ApiError::internal("a CSV file cannot be written", error);
    let mut batch = csv::Writer::from_writer(Vec::new());
    batch.write_record(names.iter().map(|name| cell(name, raw).into_owned())).map_err(unwritten)?;
    loop {
        bound(&mut transaction, deadline).await?;
        let text = format!("fetch {BATCH_ROWS} from exported");
        // The text of the `fetch` statement is the same for all tables but its result columns differ by table, so the statement must not be
        // cached as a prepared statement.
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
        // If the client has disconnected, the export's transaction is dropped, which closes the cursor.
        if sender.send(Ok(bytes.into())).await.is_err() || rows.len() < BATCH_ROWS {
            return Ok(());
        }
        batch = csv::Writer::from_writer(Vec::new());
    }
}

fn cell(value: &str, raw: bool) -> Cow<'_, str> {
    if raw { Cow::Borrowed(value) } else { without_formula(value) }
}

/// Prefixes a CSV value with an apostrophe if a spreadsheet would run it as a formula (OWASP, "CSV Injection"). Numbers stay unchanged.
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
    use cloch_sql::testing::TestDatabase;

    use super::*;

    /// Exports a query with a time limit to a client that receives the file immediately, or only after a delay. Returns the received parts
    /// of the file.
    async fn exported(database: &TestDatabase, sql: &'static str, limit: Duration, idle: Duration) -> Vec<Part> {
        let mut transaction = cloch_sql::transaction::begin(database.database().admin()).await.unwrap();
        sqlx::raw_sql(sql).execute(&mut *transaction).await.unwrap();
        let (sender, mut receiver) = channel(2);
        tokio::spawn(run(
            ("public".to_owned(), "t".to_owned()),
            transaction,
            vec!["n".to_owned()],
            false,
            sender,
            Instant::now() + limit,
        ));
        tokio::time::sleep(idle).await;
        let mut parts = Vec::new();
        while let Some(part) = receiver.recv().await {
            parts.push(part);
        }
        parts
    }

    async fn open_transactions(database: &TestDatabase) -> i64 {
        let text =
            "select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
                       and xact_start is not null and query like '%exported%'";
        sqlx::query_scalar(text).fetch_one(database.superuser()).await.unwrap()
    }

    #[tokio::test]
    async fn an_export_ends_at_its_deadline_and_is_aborted() {
        let database = TestDatabase::platform().await;
        let (short, long) = (Duration::from_millis(500), Duration::from_secs(60));
        let rows = "declare exported no scroll cursor for select n::text from generate_series(1, 2000) as n";
        let whole = exported(&database, rows, long, Duration::ZERO).await;
        assert_eq!((whole.len(), whole.iter().filter(|part| part.is_ok()).count()), (11, 11));
        // The client receives no data for two seconds.
        let parts = exported(&database, rows, short, Duration::from_secs(2)).await;
        assert!(parts.len() < 11 && parts.last().unwrap().is_err(), "{} parts", parts.len());
        assert_eq!(open_transactions(&database).await, 0);
        // The statement takes longer than the time limit of the export.
        let slow =
            "declare exported no scroll cursor for select n::text from generate_series(1, 2000) as n, pg_sleep(60)";
        let begun = Instant::now();
        let parts = exported(&database, slow, short, Duration::ZERO).await;
        assert!(parts.last().unwrap().is_err() && begun.elapsed() < Duration::from_secs(20));
    }

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
