//! Statements of an upload or a download in one round trip, retried on another connection where one turns out to be lost.

use std::time::Duration;

use cloch_core::spans::{Kind, Span};
use cloch_sql::client::{BatchStatement, ClientError, Param, Pool, RowSink, Rows};

/// How long an upload waits for a connection. Bytes that are stored already must not be lost because many others are, too.
pub(crate) const UPLOAD_ACQUIRE_TIMEOUT: Duration = Duration::from_secs(60);
/// How long a download waits for a connection: as any other request.
pub(crate) const DOWNLOAD_ACQUIRE_TIMEOUT: Duration = Duration::from_secs(10);

/// A statement and its parameters.
pub(crate) type Statement = (&'static str, Vec<Param>);

/// Statements that may be executed twice: the answer of the first attempt can be lost with its connection.
pub(crate) struct RetryingQuery<'a> {
    /// The role that the plans of the statements are for; empty for functions, which have plans of their own.
    pub(crate) plan_role: &'a str,
    /// One after the other in the same transaction; where one is refused, so is the whole.
    pub(crate) statements: Vec<Statement>,
    pub(crate) acquire_timeout: Duration,
}

impl RetryingQuery<'_> {
    /// A function call of an upload, in the same transaction after another one where there is one.
    pub(crate) fn of_upload(first: Option<Statement>, statement: Statement) -> Self {
        let statements = first.into_iter().chain([statement]).collect();
        Self { plan_role: "", statements, acquire_timeout: UPLOAD_ACQUIRE_TIMEOUT }
    }

    /// Executes all; again on another connection while one turns out to be lost, such as after a restart of PostgreSQL. The result is the
    /// rows of each.
    pub(crate) async fn run(&self, pool: &Pool) -> Outcome<Vec<Rows>> {
        let mut was_lost = false;
        let mut attempts_left = pool.size();
        loop {
            let result = self.run_once(pool).await;
            let is_lost = result.as_ref().is_err_and(ClientError::is_lost);
            was_lost |= is_lost;
            if !is_lost || attempts_left == 0 {
                return Outcome { result, was_lost };
            }
            attempts_left -= 1;
        }
    }

    async fn run_once(&self, pool: &Pool) -> Result<Vec<Rows>, ClientError> {
        let mut span = Span::begin("postgresql", Kind::Client);
        span.add(|| [("db.system.name", "postgresql".into())]);
        let mut connection = pool.get_within(self.acquire_timeout).await?;
        let mut rows: Vec<Rows> = self.statements.iter().map(|_| Rows::default()).collect();
        let sinks = rows.iter_mut().map(|rows| rows as &mut dyn RowSink);
        let mut batch: Vec<_> = (self.statements.iter().zip(sinks))
            .map(|((sql, params), sink)| BatchStatement { sql, params, sink: Some(sink) })
            .collect();
        connection.run(self.plan_role, &mut batch).await?;
        drop(batch);
        Ok(rows)
    }
}

/// The result of the last attempt.
#[derive(Debug)]
pub(crate) struct Outcome<T> {
    pub(crate) result: Result<T, ClientError>,
    /// Whether a connection was lost before: an earlier attempt may have been committed.
    pub(crate) was_lost: bool,
}
