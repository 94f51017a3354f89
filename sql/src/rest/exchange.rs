//! The fourth stage: a request's statements as one batch, and what came of them.

use bytes::Bytes;
use moka::sync::Cache;

use super::Settings;
use super::error::ApiError;
use super::json::JsonRows;
use super::plan::{BodyMaker, RowsPlan, Source};
use super::request::{ApiRequest, MediaType, Mutation, Transaction};
use super::sql::{RowLimit, Sql, counted_rows, main_statement, planned_count, pre_request, read_statement};
use crate::caller::{ANON, Caller};
use crate::catalog::Catalog;
use crate::client::{ClientError, Pool, Rows, Step};

/// What a body of an SQL-built answer is when it is no text.
const BYTEA: u32 = 17;
/// Statements remembered as having columns that only PostgreSQL makes JSON of.
const REMEMBERED: u64 = 10_000;

/// What the database gave back.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// Rows that the conditions leave, where they were counted.
    pub(super) total: Option<i64>,
    /// Rows in the answer.
    pub(super) rows: i64,
    /// The inserted row's key, as a JSON array of name and value.
    pub(super) location: Option<String>,
    /// The body, in pieces.
    pub(super) body: Vec<Bytes>,
    /// `response.headers`
    pub(super) headers: Option<String>,
    /// `response.status`
    pub(super) status: Option<String>,
    /// How many of an upsert's rows were new.
    pub(super) inserted: Option<i64>,
    /// How many rows the planner expects.
    pub(super) planned: Option<i64>,
}

/// Runs requests' statements.
#[derive(Debug)]
pub(super) struct Exchange {
    pool: Pool,
    /// Reads whose JSON has to be made by PostgreSQL.
    sql_built: Cache<String, ()>,
}

/// A request ready to run.
#[derive(Clone, Copy)]
pub(super) struct Job<'a> {
    pub(super) caller: &'a Caller,
    pub(super) transaction_settings: &'a Sql,
    pub(super) plan: &'a RowsPlan,
    pub(super) request: &'a ApiRequest,
    pub(super) catalog: &'a Catalog,
    pub(super) settings: &'a Settings,
}

impl Exchange {
    pub(super) fn new(pool: Pool) -> Self {
        Self { pool, sql_built: Cache::new(REMEMBERED) }
    }

    pub(super) fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Runs a planned request.
    pub(super) async fn run(&self, job: Job<'_>) -> Result<Outcome, ApiError> {
        if job.is_plain_read() {
            let read = read_statement(job.plan);
            if read.has_empty_name {
                return Err(ApiError::empty_name());
            }
            if !self.sql_built.contains_key(&read.text) {
                if let Some(outcome) = self.rows(job, &read).await? {
                    return Ok(outcome);
                }
                self.sql_built.insert(read.text, ());
            }
        }
        self.whole(job).await
    }

    /// A read whose rows become JSON here; none if a column's type is not one of those that can.
    async fn rows(&self, job: Job<'_>, read: &Sql) -> Result<Option<Outcome>, ApiError> {
        let frame = Frame::choose(job);
        let count = job
            .request
            .preferences
            .counts()
            .then(|| counted_rows(job.plan, &job.request.preferences, job.settings.max_rows));
        let planned = job.planned_count();
        let before = job.settings.pre_request.as_ref().map(pre_request);
        let (mut total, mut expected, mut response) = (Rows::default(), Rows::default(), Rows::default());
        let mut rows = JsonRows::new(&job.catalog.plain_types);
        let run = async {
            let mut connection = self.pool.get().await?;
            let mut steps = Vec::with_capacity(6);
            steps.extend(frame.begin.as_deref().map(|sql| Step::silent(sql, &[])));
            steps.push(Step::silent(&job.transaction_settings.text, &job.transaction_settings.params));
            steps.extend(before.as_ref().map(|sql| Step::silent(&sql.text, &sql.params)));
            steps.push(Step { sql: &read.text, params: &read.params, sink: Some(&mut rows) });
            if let Some(sql) = &count {
                steps.push(Step { sql: &sql.text, params: &sql.params, sink: Some(&mut total) });
            }
            if job.catalog.may_set_response {
                steps.push(Step { sql: RESPONSE_SETTINGS, params: &[], sink: Some(&mut response) });
            }
            if let Some(sql) = &planned {
                steps.push(Step { sql: &sql.text, params: &sql.params, sink: Some(&mut expected) });
            }
            steps.extend(frame.end.iter().map(|sql| Step::silent(sql, &[])));
            connection.run(job.caller.role(), &mut steps).await
        };
        run.await.map_err(|error| words(error, job.caller))?;
        if rows.unsupported {
            return Ok(None);
        }
        let setting = |index| response.rows().first().and_then(|row| row.text(index)).map(str::to_owned);
        Ok(Some(Outcome {
            total: total.rows().first().and_then(|row| row.text(0)?.parse().ok()),
            rows: rows.count,
            headers: setting(0),
            status: setting(1),
            planned: expected.rows().first().and_then(|row| plan_rows(row.text(0)?)),
            body: if job.plan.maker == BodyMaker::Json { rows.array() } else { rows.object() },
            ..Outcome::default()
        }))
    }

    /// Any request, its body made by PostgreSQL.
    async fn whole(&self, job: Job<'_>) -> Result<Outcome, ApiError> {
        let Job { plan, request, settings, .. } = job;
        let limit = row_limit(plan, request);
        let guard =
            if limit == RowLimit::None { String::new() } else { format!("rows:{:032x}:", rand::random::<u128>()) };
        let main = main_statement(plan, &request.preferences, settings.max_rows, limit, &guard);
        if main.has_empty_name {
            return Err(ApiError::empty_name());
        }
        let frame = Frame::choose(job);
        let before = settings.pre_request.as_ref().map(pre_request);
        let planned = job.planned_count();
        let (mut rows, mut expected) = (Rows::default(), Rows::default());
        let run = async {
            let mut connection = self.pool.get().await?;
            let mut steps = Vec::with_capacity(6);
            steps.extend(frame.begin.as_deref().map(|sql| Step::silent(sql, &[])));
            steps.push(Step::silent(&job.transaction_settings.text, &job.transaction_settings.params));
            steps.extend(before.as_ref().map(|sql| Step::silent(&sql.text, &sql.params)));
            steps.push(Step { sql: &main.text, params: &main.params, sink: Some(&mut rows) });
            if let Some(sql) = &planned {
                steps.push(Step { sql: &sql.text, params: &sql.params, sink: Some(&mut expected) });
            }
            steps.extend(frame.end.iter().map(|sql| Step::silent(sql, &[])));
            connection.run(job.caller.role(), &mut steps).await
        };
        run.await
            .map_err(|error| wrong_rows(&error, &guard, plan, request).unwrap_or_else(|| words(error, job.caller)))?;
        let mut outcome =
            if matches!(plan.media_type, MediaType::Plan { .. }) { explained(&rows) } else { read(&rows) };
        outcome.planned = expected.rows().first().and_then(|row| plan_rows(row.text(0)?));
        Ok(outcome)
    }
}

/// What functions have set for the answer.
const RESPONSE_SETTINGS: &str = "select nullif(current_setting('response.headers', true), ''), \
                                 nullif(current_setting('response.status', true), '')";

impl Job<'_> {
    fn is_plain_read(&self) -> bool {
        matches!(self.plan.source, Source::Relation(_))
            && matches!(self.plan.maker, BodyMaker::Json | BodyMaker::Object { stripped: false })
            && !matches!(self.plan.media_type, MediaType::Plan { .. })
    }

    fn planned_count(&self) -> Option<Sql> {
        let is_read = matches!(self.plan.source, Source::Relation(_));
        (self.request.preferences.counts_by_plan() && is_read).then(|| planned_count(self.plan))
    }
}

pub(super) fn words(error: ClientError, caller: &Caller) -> ApiError {
    ApiError::database(error, caller.role() == ANON)
}

/// What surrounds the batch. PostgreSQL's implicit transaction needs nothing; an isolation level, or a rollback, an explicit one.
struct Frame {
    begin: Option<String>,
    end: &'static [&'static str],
}

impl Frame {
    fn choose(job: Job<'_>) -> Self {
        let of_function = match &job.plan.source {
            Source::Call(_, call) => call.function.isolation.as_deref(),
            _ => None,
        };
        let of_role = job.catalog.roles.get(job.caller.role()).and_then(|role| role.isolation.as_deref());
        let isolation = match of_function.or(of_role) {
            Some("serializable") => Some("serializable"),
            Some("repeatable read") => Some("repeatable read"),
            _ => None,
        };
        let rolls_back = match job.request.preferences.transaction {
            Some(Transaction::Rollback) => true,
            Some(Transaction::Commit) => false,
            None => job.settings.tx_end.rolls_back(),
        };
        let begin = match isolation {
            Some(isolation) => Some(format!("begin isolation level {isolation}")),
            None => rolls_back.then(|| "begin".to_owned()),
        };
        let end: &[&str] = match (&begin, rolls_back) {
            (_, true) => &["set constraints all immediate", "rollback"],
            (Some(_), false) => &["commit"],
            (None, false) => &[],
        };
        Self { begin, end }
    }
}

/// How many rows there must be for the transaction to stay. A read has nothing to undo and is judged afterwards.
fn row_limit(plan: &RowsPlan, request: &ApiRequest) -> RowLimit {
    let wants_object = matches!(plan.media_type, MediaType::Object { .. });
    let most = request.preferences.max_affected.filter(|_| request.preferences.is_strict());
    match &plan.source {
        _ if matches!(plan.media_type, MediaType::Plan { .. }) => RowLimit::None,
        Source::Write(Mutation::Upsert, _) => RowLimit::One,
        Source::Write(..) if wants_object => RowLimit::One,
        Source::Call(_, call) if wants_object && call.function.returns_set && !plan.read_only => RowLimit::One,
        Source::Write(Mutation::Update | Mutation::Delete, _) => most.map_or(RowLimit::None, RowLimit::AtMost),
        Source::Call(..) => most.map_or(RowLimit::None, RowLimit::AtMost),
        _ => RowLimit::None,
    }
}

/// The error of a wrong number of rows, if that is what failed.
fn wrong_rows(error: &ClientError, guard: &str, plan: &RowsPlan, request: &ApiRequest) -> Option<ApiError> {
    let ClientError::Db(error) = error else { return None };
    if guard.is_empty() || error.code != "22P02" {
        return None;
    }
    let (_, rest) = error.message.split_once(guard)?;
    let rows: i64 = rest.split('"').next()?.parse().ok()?;
    Some(match &plan.source {
        Source::Write(Mutation::Upsert, _) => ApiError::put_mismatch(),
        _ if matches!(plan.media_type, MediaType::Object { .. }) && rows != 1 => ApiError::not_single(rows),
        _ if request.preferences.max_affected.is_some() => ApiError::max_affected(rows),
        _ => return None,
    })
}

fn read(rows: &Rows) -> Outcome {
    let Some(row) = rows.rows().first() else { return Outcome::default() };
    let number = |index| row.text(index).and_then(|text| text.parse().ok());
    let text = |index| row.text(index).map(str::to_owned);
    let body = row.value(3).unwrap_or_default();
    let is_binary = rows.columns().get(3).is_some_and(|column| column.type_oid == BYTEA);
    Outcome {
        total: number(0),
        rows: number(1).unwrap_or_default(),
        location: text(2),
        body: vec![if is_binary { from_hex(&body) } else { body }],
        headers: text(4),
        status: text(5),
        inserted: number(6),
        planned: None,
    }
}

/// The bytes of a `bytea` in its text form, `\x01ff`.
fn from_hex(text: &Bytes) -> Bytes {
    text.strip_prefix(b"\\x").and_then(|digits| hex::decode(digits).ok()).map_or_else(|| text.clone(), Bytes::from)
}

/// The lines of a plan.
fn explained(rows: &Rows) -> Outcome {
    let lines = rows.rows().iter().filter_map(|row| row.text(0));
    let body = lines.fold(String::new(), |text, line| text + line + "\n");
    Outcome { body: vec![body.into()], ..Outcome::default() }
}

fn plan_rows(json: &str) -> Option<i64> {
    let plan: serde_json::Value = serde_json::from_str(json).ok()?;
    let rows = plan.get(0)?.get("Plan")?.get("Plan Rows")?;
    rows.as_i64().or_else(|| rows.to_string().parse().ok())
}
