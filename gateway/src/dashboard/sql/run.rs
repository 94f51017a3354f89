//! Runs an SQL script. The statements are sent one by one in a common transaction, and each statement has a result of its own.

use std::ops::Range;
use std::time::{Duration, Instant};

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use cloch_sql::client::{Connection, Outcome, Rows};
use cloch_sql::migrations::refuses_transaction;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sqlx::PgPool;
use tokio::time::timeout;
use uuid::Uuid;

use super::failure::Failure;
use super::ledger::{Effect, Ledger};
use super::results::{Collector, StatementResult};
use super::script::Script;
use super::session;
use crate::dashboard::audit::Note;
use crate::dashboard::database::As;
use crate::dashboard::extract::Input;
use crate::dashboard::operator::Operator;
use crate::dashboard::{ApiError, DashboardState};
use crate::project::sql::limits::MAX_RESULT_BYTES;
use crate::project::sql::read_only;
use crate::project::sql::session::SqlSession;

/// Default and maximum timeout of a statement in seconds.
const SECONDS: u32 = 30;
const MAX_SECONDS: u32 = 600;
/// Default and maximum number of rows in the result of a statement.
const ROWS: i32 = 1_000;
const MAX_ROWS: i32 = 10_000;
/// An SQL script is cancelled after the sum of its statements' timeouts plus this time.
const GRACE: Duration = Duration::from_secs(5);
const MAX_NOTICES: usize = 200;

#[derive(Deserialize)]
pub(super) struct RunRequest {
    sql: String,
    #[serde(rename = "as")]
    who: Option<As>,
    read_only: Option<bool>,
    timeout_seconds: Option<u32>,
    max_rows: Option<i32>,
    /// Id with which the script can be cancelled.
    id: Option<Uuid>,
    /// Whether all changes are rolled back (trial run).
    #[serde(default)]
    rollback: bool,
    /// Number of rows that each statement must affect. If a statement affects another number, all changes are rolled back.
    expect_rows: Option<u64>,
    explain: Option<Explain>,
}

#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Explain {
    Plan,
    Analyze,
}

/// Transaction in which the statements run.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Wrapping {
    /// A separate read-only transaction for each statement. If a statement ends its transaction, the next statement still runs in a
    /// read-only transaction.
    EachReadOnly,
    ReadOnly,
    /// A transaction that is rolled back.
    Trial,
    Kept,
    /// No transaction. For a single statement that PostgreSQL refuses inside a transaction.
    None,
}

#[derive(Debug, Default, Serialize)]
struct Answer {
    results: Vec<StatementResult>,
    error: Option<Failure>,
    notices: Vec<Notice>,
    /// Whether all changes were committed.
    kept: bool,
    /// Whether only a part of the changes was committed. This happens if the script ends transactions itself.
    kept_partly: bool,
    ms: u64,
}

#[derive(Debug, Serialize)]
struct Notice {
    severity: String,
    message: String,
}

/// Runs a script in a read-only session, each statement in a transaction of its own.
pub(super) async fn read(
    State(state): State<DashboardState>,
    operator: Operator,
    Input(asked): Input<RunRequest>,
) -> Result<Response, ApiError> {
    let _permit = state.project.sessions.permit().await?;
    let session = session::read_only(&state, asked.seconds()).await?;
    answer(&state, &operator, session, &asked, Wrapping::EachReadOnly).await
}

pub(super) async fn run(
    State(state): State<DashboardState>,
    operator: Operator,
    Input(asked): Input<RunRequest>,
) -> Result<Response, ApiError> {
    let script = Script::read(&asked.sql)?;
    let wrapping = asked.wrapping(&script);
    if matches!(wrapping, Wrapping::ReadOnly | Wrapping::Trial) || asked.expect_rows.is_some() {
        script.refuse_transaction_control()?;
    }
    let _permit = state.project.sessions.permit().await?;
    let who = asked.who.clone().unwrap_or_else(|| As::Role("postgres".to_owned()));
    let session = session::of(&state, &who, asked.seconds()).await?;
    answer(&state, &operator, session, &asked, wrapping).await
}

impl RunRequest {
    fn seconds(&self) -> u32 {
        self.timeout_seconds.unwrap_or(SECONDS).clamp(1, MAX_SECONDS)
    }

    fn wrapping(&self, script: &Script<'_>) -> Wrapping {
        let read_only = self.read_only.unwrap_or(true);
        let alone = match script.statements.as_slice() {
            [only] => refuses_transaction(script.statement(only)),
            _ => false,
        };
        match (read_only, self.rollback || self.explain.is_some()) {
            (true, _) => Wrapping::ReadOnly,
            (false, true) => Wrapping::Trial,
            (false, false) if alone => Wrapping::None,
            (false, false) => Wrapping::Kept,
        }
    }

    /// Returns the `explain` command that precedes each statement; empty to run the statement itself.
    fn prefix(&self) -> &'static str {
        match self.explain {
            None => "",
            Some(Explain::Plan) => "explain (format json, verbose) ",
            Some(Explain::Analyze) => "explain (format json, verbose, analyze, buffers) ",
        }
    }
}

async fn answer(
    state: &DashboardState,
    operator: &Operator,
    session: SqlSession,
    asked: &RunRequest,
    wrapping: Wrapping,
) -> Result<Response, ApiError> {
    let began = Instant::now();
    let script = Script::read(&asked.sql)?;
    let running = state.running.begin(operator.id, asked.id, session.canceller);
    let mut work = Work {
        connection: session.connection,
        asked,
        script: &script,
        answer: Answer::default(),
        ledger: Ledger::default(),
        left: MAX_RESULT_BYTES,
    };
    let seconds = Duration::from_secs(u64::from(asked.seconds()).saturating_mul(script.statements.len().max(1) as u64));
    let longest = seconds.min(Duration::from_secs(u64::from(MAX_SECONDS))) + GRACE;
    match timeout(longest, work.run(wrapping)).await {
        Ok(Ok(())) => running.end(),
        Ok(Err(failure)) => {
            running.end();
            work.answer.error = Some(failure);
        }
        // The script has exceeded its time limit. Dropping `running` cancels the script.
        Err(_) => {
            let message = "The script took too long, and was cancelled".to_owned();
            work.answer.error = Some(Failure { message, ..Failure::default() });
        }
    }
    let mut answer = work.answer;
    if matches!(wrapping, Wrapping::Kept | Wrapping::None) {
        let kept = work.ledger.settle(answer.error.is_some());
        (answer.kept, answer.kept_partly) = (kept.all, kept.partly);
    }
    answer.ms = elapsed(began);
    name_types(state.database.admin(), &mut answer).await?;
    let note = json!({
        "statements": script.statements.len(), "wrote": answer.kept || answer.kept_partly, "failed": answer.error.is_some(),
        "read_only": matches!(wrapping, Wrapping::ReadOnly | Wrapping::EachReadOnly),
    });
    let mut response = Json(answer).into_response();
    response.extensions_mut().insert(Note(note));
    Ok(response)
}

struct Work<'a> {
    connection: Connection,
    asked: &'a RunRequest,
    script: &'a Script<'a>,
    answer: Answer,
    ledger: Ledger,
    left: usize,
}

impl Work<'_> {
    async fn run(&mut self, wrapping: Wrapping) -> Result<(), Failure> {
        match wrapping {
            Wrapping::None => return self.statements().await,
            Wrapping::EachReadOnly => {
                for place in &self.script.statements {
                    self.begin(read_only::BEGIN).await?;
                    let outcome = self.statement(place).await;
                    self.own(read_only::END).await?;
                    outcome.map_err(Failure::of_reader)?;
                }
                return Ok(());
            }
            Wrapping::ReadOnly => self.begin(read_only::BEGIN).await?,
            Wrapping::Trial | Wrapping::Kept => self.begin("begin read write").await?,
        }
        let outcome = self.statements().await;
        let is_kept = outcome.is_ok() && wrapping == Wrapping::Kept;
        // The script may have ended the transaction itself, so the transaction is ended only if it is still open.
        if self.ledger.in_transaction {
            self.own(if is_kept { "commit" } else { "rollback" }).await?;
        }
        outcome
    }

    /// Begins a transaction. Then runs `select 1`, which takes the transaction's snapshot: PostgreSQL afterwards refuses `set transaction
    /// read write`.
    async fn begin(&mut self, begin: &str) -> Result<(), Failure> {
        self.own(begin).await?;
        self.ledger.in_transaction = true;
        self.own("select 1").await
    }

    /// Runs a statement that Cloch adds to the script, such as `begin` or `commit`.
    async fn own(&mut self, statement: &str) -> Result<(), Failure> {
        if self.connection.is_broken() {
            return Ok(());
        }
        let mut outcome = Outcome::default();
        let run = self.connection.run_single(statement, 0, &mut Rows::default(), &mut outcome).await;
        self.note(outcome.notices);
        run.map_err(|error| Failure::of(error, |_| None))
    }

    async fn statements(&mut self) -> Result<(), Failure> {
        for place in &self.script.statements {
            self.statement(place).await?;
        }
        Ok(())
    }

    async fn statement(&mut self, place: &Range<usize>) -> Result<(), Failure> {
        let (script, prefix) = (self.script, self.asked.prefix());
        let text = format!("{prefix}{}", script.statement(place));
        let effect = self.ledger.effect(&text);
        let wrote = effect == Effect::Ends && self.wrote().await?;
        let began = Instant::now();
        let mut result = StatementResult {
            start: script.utf16(place.start),
            end: script.utf16(place.end),
            ..StatementResult::default()
        };
        let mut outcome = Outcome::default();
        let max_rows = self.asked.max_rows.unwrap_or(ROWS).clamp(1, MAX_ROWS);
        let mut sink = Collector { result: &mut result, left: &mut self.left, whole: !prefix.is_empty() };
        let run = self.connection.run_single(&text, max_rows, &mut sink, &mut outcome).await;
        self.note(outcome.notices);
        run.map_err(|error| {
            Failure::of(error, |character| Some(script.position(place, character.checked_sub(prefix.len())?)))
        })?;
        result.ms = elapsed(began);
        self.ledger.ran(effect, &outcome.tag, wrote, outcome.in_transaction);
        result.more |= outcome.has_more;
        result.command = outcome.tag;
        let affected = result.command.rsplit(' ').next().and_then(|number| number.parse::<u64>().ok());
        self.answer.results.push(result);
        match self.asked.expect_rows {
            Some(expected) if affected != Some(expected) => Err(Failure {
                message: format!("The statement affected {} rows instead of {expected}", affected.unwrap_or(0)),
                hint: Some(
                    "Somebody has changed or removed the row meanwhile, or a policy hides it. Nothing was kept."
                        .to_owned(),
                ),
                position: Some(script.utf16(place.start)),
                ..Failure::default()
            }),
            _ => Ok(()),
        }
    }

    /// Whether the open transaction has written anything.
    async fn wrote(&mut self) -> Result<bool, Failure> {
        let (mut rows, mut outcome) = (Rows::default(), Outcome::default());
        let question = "select 1 where pg_current_xact_id_if_assigned() is not null";
        let asked = self.connection.run_single(question, 0, &mut rows, &mut outcome).await;
        asked.map_err(|error| Failure::of(error, |_| None))?;
        Ok(outcome.tag == "SELECT 1")
    }

    fn note(&mut self, notices: Vec<(String, String)>) {
        let room = MAX_NOTICES.saturating_sub(self.answer.notices.len());
        let notices = notices.into_iter().take(room);
        self.answer.notices.extend(notices.map(|(severity, message)| Notice { severity, message }));
    }
}

/// Replaces the type OIDs of all result columns by the types' names.
async fn name_types(pool: &PgPool, answer: &mut Answer) -> sqlx::Result<()> {
    let columns = || answer.results.iter().flat_map(|result| &result.columns);
    let oids: Vec<i64> = columns().map(|column| i64::from(column.oid)).collect();
    let names: Vec<(i64, String)> =
        sqlx::query_as("select distinct o, format_type(o::oid, null) from unnest($1::bigint[]) as o")
            .bind(oids)
            .fetch_all(pool)
            .await?;
    for column in answer.results.iter_mut().flat_map(|result| &mut result.columns) {
        let named = names.iter().find(|(oid, _)| *oid == i64::from(column.oid));
        column.type_name = named.map(|(_, name)| name.clone()).unwrap_or_default();
    }
    Ok(())
}

fn elapsed(began: Instant) -> u64 {
    u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX)
}
