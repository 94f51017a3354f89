//! Logs slow statements: the duration, the text without values, the role, and the query plan.
//!
//! A background task retrieves the query plan afterwards ([`explain`]), so that no statement waits for its plan and a fast statement causes
//! no cost. PostgreSQL's extension auto_explain is not used: auto_explain logs the values of conditions, lacks the request and the caller,
//! must be loaded by a superuser, and writes to a log that Cloch may be unable to read.

mod explain;

use std::time::{Duration, Instant};

use cloch_core::request_ids;
use cloch_core::request_ids::RequestIds;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;
use tokio_util::sync::CancellationToken;

use super::media_type::MediaType;
use super::plan::{RowsPlan, Source};
use super::settings::Settings;
use super::sql::Sql;
use crate::metrics;
use cloch_sql::database::Login;

/// Maximum number of slow statements in the queue for query plans. Further statements are logged without a query plan.
const MAX_WAITING: usize = 16;
/// Maximum length of a logged statement in bytes. A longer statement is logged truncated and without its query plan.
const MAX_STATEMENT_BYTES: usize = 16 * 1024;
/// Maximum size in bytes of the transaction settings of a statement in the queue for query plans. A statement with larger settings (claims
/// and headers) is logged without its query plan.
const MAX_SETTINGS_BYTES: usize = 64 * 1024;
/// Text that is logged instead of the query plan of a slow statement if the server shuts down.
const SHUTTING_DOWN: &str = "the server is shutting down";

#[derive(Debug)]
pub(super) struct SlowStatements {
    queue: mpsc::Sender<Slow>,
}

impl SlowStatements {
    /// Starts the background task that explains slow statements until `shutdown`.
    pub(super) fn start(login: Login, shutdown: CancellationToken) -> Self {
        let (queue, waiting) = mpsc::channel(MAX_WAITING);
        tokio::spawn(explain::run(login, waiting, shutdown));
        Self { queue }
    }

    /// Starts measuring a statement. The returned guard logs a slow statement when it is dropped, even if the request was cancelled.
    /// Returns `None` if the log of slow statements is disabled.
    pub(super) fn measure<'a>(&'a self, statement: Statement<'a>, settings: &Settings) -> Option<Measured<'a>> {
        let limit = settings.slow_statement?;
        Some(Measured { slow: self, statement, begun: Instant::now(), limit })
    }

    fn log(&self, slow: Slow) {
        if let Some(reason) = slow.cannot_be_explained() {
            return slow.log(Err(reason));
        }
        if let Err(error) = self.queue.try_send(slow) {
            let (reason, slow) = refused(error);
            slow.log(Err(reason));
        }
    }
}

/// Returns the slow statement that could not be queued for its query plan, and the reason: the queue is full, or it is closed because the
/// server shuts down.
fn refused(error: TrySendError<Slow>) -> (&'static str, Slow) {
    match error {
        TrySendError::Full(slow) => ("too many plans are queued", slow),
        TrySendError::Closed(slow) => (SHUTTING_DOWN, slow),
    }
}

/// Main statement of a request whose duration is measured.
#[derive(Clone, Copy)]
pub(super) struct Statement<'a> {
    pub(super) plan: &'a RowsPlan,
    pub(super) role: &'a str,
    pub(super) settings: &'a Sql,
    pub(super) sql: &'a Sql,
}

/// A running statement whose duration is measured.
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

struct Slow {
    ids: Option<RequestIds>,
    kind: &'static str,
    resource: String,
    role: String,
    duration: Duration,
    /// Text of the statement, with parameters instead of values.
    statement: String,
    parameter_types: Vec<u32>,
    /// Settings of the transaction that ran the statement. The settings contain claims and headers and are never logged.
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

    /// Writes the log line of a slow statement with the query plan, or with the reason why the query plan is missing.
    fn log(&self, plan: Result<&str, &str>) {
        let Self { kind, resource, role, .. } = self;
        let end = self.statement.floor_char_boundary(MAX_STATEMENT_BYTES);
        let statement = self.statement.get(..end).unwrap_or_default();
        let duration_ms = u64::try_from(self.duration.as_millis()).unwrap_or(u64::MAX);
        let (plan, no_plan) = (plan.ok(), plan.err());
        let write =
            || tracing::warn!(kind, resource, role, duration_ms, statement, plan, no_plan, "rest: slow statement");
        match &self.ids {
            Some(ids) => request_ids::in_scope_sync(ids, write),
            None => write(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slow() -> Slow {
        Slow {
            ids: None,
            kind: "read",
            resource: "notes".to_owned(),
            role: "anon".to_owned(),
            duration: Duration::from_secs(1),
            statement: "select 1".to_owned(),
            parameter_types: Vec::new(),
            settings: Sql::default(),
            is_explain: false,
        }
    }

    fn reason(queue: &mpsc::Sender<Slow>) -> Option<&'static str> {
        queue.try_send(slow()).err().map(|error| refused(error).0)
    }

    #[test]
    fn a_full_queue_and_a_shutdown_are_different_reasons() {
        let (queue, mut waiting) = mpsc::channel(1);
        assert_eq!(reason(&queue), None);
        assert_eq!(reason(&queue), Some("too many plans are queued"));
        waiting.close();
        assert_eq!(reason(&queue), Some("the server is shutting down"));
    }
}
