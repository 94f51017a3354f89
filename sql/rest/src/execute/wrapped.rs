//! Wrapped statements, which can serve every request: PostgreSQL builds the response body and counts the rows in one statement with a CTE,
//! as in PostgREST.

use bytes::Bytes;

use super::job::{Job, Outcome, api_error, planned_rows};
use super::runner::Runner;
use super::transaction::TransactionStatements;
use crate::anon_limits::VisitorWrite;
use crate::error::ApiError;
use crate::media_type::MediaType;
use crate::plan::Source;
use crate::request::{Mutation, check_statement};
use crate::sql::{RowLimit, main_statement, pre_request};
use cloch_sql::client::{BatchStatement, ClientError, Rows};

/// OID of the PostgreSQL type `bytea`, the type of a binary response body.
const BYTEA_OID: u32 = 17;

/// Executes a request with the wrapped statement, in which PostgreSQL builds the response body.
pub(super) async fn run(runner: &Runner, job: Job<'_>) -> Result<Outcome, ApiError> {
    let Job { plan, request, settings, .. } = job;
    let limit = row_limit(job);
    let guard = if limit == RowLimit::None { String::new() } else { format!("rows:{:032x}:", rand::random::<u128>()) };
    let main = main_statement(plan, &request.preferences, settings.max_rows, limit, &guard);
    if main.has_empty_name {
        return Err(ApiError::empty_name());
    }
    check_statement(&main.text)?;
    let transaction = TransactionStatements::of(job);
    let before = settings.pre_request.as_ref().map(pre_request);
    let planned = job.planned_count();
    let (mut rows, mut expected) = (Rows::default(), Rows::default());
    let run = async {
        let mut main_and_count = vec![BatchStatement { sql: &main.text, params: &main.params, sink: Some(&mut rows) }];
        if let Some(sql) = &planned {
            main_and_count.push(BatchStatement { sql: &sql.text, params: &sql.params, sink: Some(&mut expected) });
        }
        let mut steps = transaction.around(job, before.as_ref(), main_and_count);
        runner.run(job, &main, &mut steps).await
    };
    let lsn =
        run.await.map_err(|error| wrong_rows(&error, &guard, job).unwrap_or_else(|| api_error(error, job.caller)))?;
    let mut outcome = if matches!(plan.media_type, MediaType::Plan { .. }) { explained(&rows) } else { read(&rows) };
    outcome.lsn = lsn;
    if !limit.counts_written() {
        outcome.written = None;
    }
    outcome.planned = expected.rows().first().and_then(|row| planned_rows(row.text(0)?));
    Ok(outcome)
}

/// Returns the limit on the number of rows that a write may affect. The statement itself checks the limit: if the limit is exceeded,
/// PostgreSQL rolls the transaction back. A read has no limit here; its rows are counted after the transaction, because a read has no
/// effect that must be rolled back.
pub(super) fn row_limit(job: Job<'_>) -> RowLimit {
    let Job { plan, request, .. } = job;
    let wants_object = matches!(plan.media_type, MediaType::Object { .. });
    let max_affected = request.preferences.max_affected.filter(|_| request.preferences.is_strict());
    let of_visitor = job.visitor.and_then(VisitorWrite::unknown_rows);
    match &plan.source {
        _ if matches!(plan.media_type, MediaType::Plan { .. }) => RowLimit::None,
        Source::Write(Mutation::Upsert, _) => RowLimit::One,
        Source::Write(..) if wants_object => of_visitor.map_or(RowLimit::One, RowLimit::OneCounted),
        Source::Call(_, call) if wants_object && call.function.returns_set && !plan.read_only => RowLimit::One,
        Source::Write(Mutation::Update | Mutation::Delete, _) => match (max_affected, of_visitor) {
            (max, Some(of_visitor)) => RowLimit::Counted(max.map_or(of_visitor, |max| max.min(of_visitor))),
            (Some(max), None) => RowLimit::AtMost(max),
            (None, None) => RowLimit::None,
        },
        Source::Call(..) => max_affected.map_or(RowLimit::None, RowLimit::AtMost),
        _ => RowLimit::None,
    }
}

/// Returns the API error if the statement failed because it affected a number of rows that the request does not allow, or `None` if it
/// failed for a different reason. `guard` is the random text that precedes the number of rows in PostgreSQL's error message.
fn wrong_rows(error: &ClientError, guard: &str, job: Job<'_>) -> Option<ApiError> {
    let Job { plan, request, .. } = job;
    let ClientError::Db(error) = error else { return None };
    if guard.is_empty() || error.code != "22P02" {
        return None;
    }
    let (_, rest) = error.message.split_once(guard)?;
    let rows: i64 = rest.split('"').next()?.parse().ok()?;
    Some(match &plan.source {
        Source::Write(Mutation::Upsert, _) => ApiError::put_mismatch(),
        _ if matches!(row_limit(job), RowLimit::OneCounted(most) if rows > most) => job.visitor?.too_many(rows)?,
        _ if matches!(plan.media_type, MediaType::Object { .. }) && rows != 1 => ApiError::not_single(rows),
        _ if request.preferences.max_affected.is_some_and(|most| request.preferences.is_strict() && rows > most) => {
            ApiError::max_affected(rows)
        }
        _ => job.visitor?.too_many(rows)?,
    })
}

fn read(rows: &Rows) -> Outcome {
    let Some(row) = rows.rows().first() else { return Outcome::default() };
    let number = |index| row.text(index).and_then(|text| text.parse().ok());
    let text = |index| row.text(index).map(str::to_owned);
    let body = row.value(3).unwrap_or_default();
    let is_binary = rows.columns().get(3).is_some_and(|column| column.type_oid == BYTEA_OID);
    Outcome {
        total: number(0),
        rows: number(1).unwrap_or_default(),
        location: text(2),
        body: vec![if is_binary { from_hex(&body) } else { body }],
        headers: text(4),
        status: text(5),
        inserted: number(6),
        written: number(7),
        planned: None,
        lsn: None,
    }
}

/// Decodes the hexadecimal text format of a `bytea` value, such as `\x01ff`.
fn from_hex(text: &Bytes) -> Bytes {
    text.strip_prefix(b"\\x").and_then(|digits| hex::decode(digits).ok()).map_or_else(|| text.clone(), Bytes::from)
}

/// Builds the outcome of an EXPLAIN statement: the response body contains the lines of the query plan.
fn explained(rows: &Rows) -> Outcome {
    let lines = rows.rows().iter().filter_map(|row| row.text(0));
    let body = lines.fold(String::new(), |text, line| text + line + "\n");
    Outcome { body: vec![body.into()], ..Outcome::default() }
}
