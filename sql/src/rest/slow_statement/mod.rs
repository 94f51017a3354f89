//! The log line of a slow statement: how long it took, its text without values, who ran it, and its plan.
//!
//! The plan is asked for afterwards and in the background ([`explain`]), so that no statement waits for it and a fast one costs nothing.
//! (PostgreSQL's auto_explain would log the plan that was executed. It writes the values of conditions, knows neither request nor caller,
//! has to be loaded by a superuser, and writes where Cloch may not read.)

mod explain;

use std::time::{Duration, Instant};

use cloch_core::request_ids;
use cloch_core::request_ids::RequestIds;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::media_type::MediaType;
use super::plan::{RowsPlan, Source};
use super::settings::Settings;
use super::sql::Sql;
use crate::login::Login;
use crate::metrics;

/// Statements that wait for their plan. Of more at a time only the line without a plan is written.
const MAX_WAITING: usize = 16;
/// The longest statement that is explained, and logged as a whole.
const MAX_STATEMENT_BYTES: usize = 16 * 1024;
/// The most settings of a transaction, claims and headers among them, that are kept for a statement that waits.
const MAX_SETTINGS_BYTES: usize = 64 * 1024;

/// Logs slow statements.
#[derive(Debug)]
pub(super) struct SlowStatements {
    queue: mpsc::Sender<Slow>,
}

impl SlowStatements {
    /// Starts to explain what is slow, until `shutdown`.
    pub(super) fn start(login: Login, shutdown: CancellationToken) -> Self {
        let (queue, waiting) = mpsc::channel(MAX_WAITING);
        tokio::spawn(explain::run(login, waiting, shutdown));
        Self { queue }
    }

    /// Begins to measure a statement. What is returned logs it, also if it is abandoned.
    pub(super) fn measure<'a>(&'a self, statement: Statement<'a>, settings: &Settings) -> Option<Measured<'a>> {
        let limit = settings.slow_statement?;
        Some(Measured { slow: self, statement, begun: Instant::now(), limit })
    }

    fn log(&self, slow: Slow) {
        if let Some(reason) = slow.cannot_be_explained() {
            return slow.log(Err(reason));
        }
        if let Err(mpsc::error::TrySendError::Full(slow) | mpsc::error::TrySendError::Closed(slow)) =
            self.queue.try_send(slow)
        {
            slow.log(Err("others are asked for"));
        }
    }
}

/// A request's main statement.
#[derive(Clone, Copy)]
pub(super) struct Statement<'a> {
    pub(super) plan: &'a RowsPlan,
    pub(super) role: &'a str,
    /// The settings of its transaction.
    pub(super) settings: &'a Sql,
    pub(super) sql: &'a Sql,
}

/// A statement that runs.
pub(super) struct Measured<'a> {
    slow: &'a SlowStatements,
    statement: Statement<'a>,
    begun: Instant,
    limit: Duration,
}

impl Drop for Measured<'_> {
    fn drop(&mut self) {
        let duration = self.begun.elapsed();
        if duration < self.limit {
            return;
        }
        metrics::SLOW_STATEMENTS.inc();
        self.slow.log(Slow::of(self.statement, duration));
    }
}

/// A statement that took long.
struct Slow {
    ids: Option<RequestIds>,
    kind: &'static str,
    resource: String,
    role: String,
    duration: Duration,
    /// Its text, in which parameters stand for values.
    statement: String,
    parameter_types: Vec<u32>,
    /// The settings of its transaction. They hold claims and headers: never logged.
    settings: Sql,
    is_explain: bool,
}

impl Slow {
    fn of(statement: Statement<'_>, duration: Duration) -> Self {
        let Statement { plan, role, settings, sql } = statement;
        let (kind, name) = match &plan.source {
            Source::Relation(name) => ("read", &name.name),
            Source::Write(_, write) => ("write", &write.table.name),
            Source::Call(_, call) => ("call", &call.function.name),
        };
        Self {
            ids: request_ids::current(),
            kind,
            resource: name.to_string(),
            role: role.to_owned(),
            duration,
            statement: sql.text.clone(),
            parameter_types: sql.params.iter().map(|param| param.type_oid).collect(),
            settings: settings.clone(),
            is_explain: matches!(plan.media_type, MediaType::Plan { .. }),
        }
    }

    fn cannot_be_explained(&self) -> Option<&'static str> {
        let values = self.settings.params.iter().filter_map(|param| param.value.as_ref()).map(bytes::Bytes::len);
        match self {
            _ if self.is_explain => Some("the statement is an EXPLAIN"),
            _ if self.statement.len() > MAX_STATEMENT_BYTES => Some("the statement is too long"),
            _ if values.sum::<usize>() > MAX_SETTINGS_BYTES => Some("the request's headers are too long"),
            _ => None,
        }
    }

    /// Writes the line, with the plan or why there is none.
    fn log(&self, plan: Result<&str, &str>) {
        let Self { kind, resource, role, .. } = self;
        let end = self.statement.floor_char_boundary(MAX_STATEMENT_BYTES);
        let statement = self.statement.get(..end).unwrap_or_default();
        let duration_ms = u64::try_from(self.duration.as_millis()).unwrap_or(u64::MAX);
        let (plan, no_plan) = (plan.ok(), plan.err());
        let write = || tracing::warn!(kind, resource, role, duration_ms, statement, plan, no_plan, "slow statement");
        match &self.ids {
            Some(ids) => request_ids::in_scope_sync(ids, write),
            None => write(),
        }
    }
}
