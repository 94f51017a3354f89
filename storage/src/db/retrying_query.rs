//! Runs the statements of an upload or download in one round trip, and retries them on another connection if the connection is lost.

use std::time::Duration;

use cloch_core::spans::{Kind, Span};
use cloch_sql::client::{BatchStatement, ClientError, Param, Pool, RowSink, Rows};

/// Maximum time for which an upload waits for a database connection. The timeout is long because the content is already stored: without a
/// connection, the object's row cannot be written and the upload is lost.
pub(crate) const UPLOAD_ACQUIRE_TIMEOUT: Duration = Duration::from_secs(60);
/// Maximum time for which a download waits for a database connection, the same as for other requests.
pub(crate) const DOWNLOAD_ACQUIRE_TIMEOUT: Duration = Duration::from_secs(10);

/// A SQL statement and its parameters.
pub(crate) type Statement = (&'static str, Vec<Param>);

/// SQL statements that are retried if the connection is lost. The statements must be idempotent: if the connection is lost after the
/// commit, the statements are executed twice.
pub(crate) struct RetryingQuery<'a> {
    /// Role for which the plans of the statements are cached. Empty for calls of SQL functions, which have their own plans.
    pub(crate) plan_role: &'a str,
    /// Statements that are executed in this order in one transaction. If one statement fails, all are rolled back.
    pub(crate) statements: Vec<Statement>,
    pub(crate) acquire_timeout: Duration,
}

impl RetryingQuery<'_> {
    /// Creates the query for a SQL function call of an upload. If `first` is given, this statement runs before the call in the same
    /// transaction.
    pub(crate) fn of_upload(first: Option<Statement>, statement: Statement) -> Self {
        let statements = first.into_iter().chain([statement]).collect();
        Self { plan_role: "", statements, acquire_timeout: UPLOAD_ACQUIRE_TIMEOUT }
    }

    /// Executes the statements and returns the rows of each statement. If a connection is lost, for example after a restart of PostgreSQL,
    /// retries the statements on another connection.
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

/// Result of the last attempt to execute the statements.
#[derive(Debug)]
pub(crate) struct Outcome<T> {
    pub(crate) result: Result<T, ClientError>,
    /// Whether a connection was lost during any attempt. The statements of that attempt may have been committed.
    pub(crate) was_lost: bool,
}
