//! A statement of an upload in one round trip, retried on another connection where one turns out to be lost.

use std::time::Duration;

use cloch_sql::client::{BatchStatement, ClientError, Param, Pool, Rows};
use cloch_sql::spans::{Kind, Span};

/// How long an upload waits for a connection. Bytes that are stored already must not be lost because many others are, too.
pub(crate) const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(60);

/// A statement and its parameters.
pub(crate) type Statement = (&'static str, Vec<Param>);

/// A statement that may be executed twice: the answer of the first attempt can be lost with its connection.
pub(crate) struct RetryingQuery {
    /// Executed before it in the same transaction; where that is refused, so is the whole.
    pub(crate) first: Option<Statement>,
    pub(crate) statement: Statement,
}

impl RetryingQuery {
    /// Executes both; again on another connection while one turns out to be lost, such as after a restart of PostgreSQL.
    pub(crate) async fn run(&self, pool: &Pool) -> Outcome<Rows> {
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

    async fn run_once(&self, pool: &Pool) -> Result<Rows, ClientError> {
        let mut span = Span::begin("postgresql", Kind::Client);
        span.add(|| [("db.system.name", "postgresql".into())]);
        let mut connection = pool.get_within(ACQUIRE_TIMEOUT).await?;
        let mut rows = Rows::default();
        let (sql, params) = &self.statement;
        let first = self.first.as_ref().map(|(sql, params)| BatchStatement::silent(sql, params));
        let statement = BatchStatement { sql, params, sink: Some(&mut rows) };
        connection.run("", &mut first.into_iter().chain([statement]).collect::<Vec<_>>()).await?;
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
