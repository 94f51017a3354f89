//! A question to the database in one round trip, asked again where a connection turns out to be gone.

use std::sync::Arc;
use std::time::Duration;

use cloch_sql::client::{ClientError, Column, Param, Pool, Row, RowSink, Rows, Step};

use crate::remember;
use crate::visitors::Before;

/// For how long an upload waits for a connection. Bytes that are safe by now must not be lost because many others are, too.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

const TELL: &str = "select set_config('synchronous_commit', 'off', true), pg_notify($1, $2)";

/// A statement, and the path of the object that it may change: nodes that remember it are told afterwards.
///
/// PostgreSQL lets only one transaction commit at a time among those that tell something, and a commit waits for the disk. So it is told
/// in a transaction that has nothing to wait for, sent together with the other: once that is on its way, this one follows.
pub(crate) struct Question {
    /// What comes before it in the same transaction; if that is refused, this is not done.
    pub(crate) before: Option<Before>,
    pub(crate) sql: &'static str,
    pub(crate) params: Vec<Param>,
    pub(crate) changes: Option<String>,
}

impl Question {
    /// Asks in turn; again on another connection while one turns out to be gone, such as after the server was started again.
    pub(crate) async fn ask(&self, pool: &Pool) -> Answer<Rows> {
        let mut was_lost = false;
        let mut left = pool.size();
        loop {
            let outcome = self.ask_once(pool).await;
            let is_lost = outcome.as_ref().is_err_and(ClientError::is_lost);
            was_lost |= is_lost;
            if !is_lost || left == 0 {
                return Answer { outcome, was_lost };
            }
            left -= 1;
        }
    }

    async fn ask_once(&self, pool: &Pool) -> Result<Rows, ClientError> {
        let mut connection = pool.get_within(PATIENCE).await?;
        let (mut rows, mut committed) = (Rows::default(), Committed(false));
        let asked = Step { sql: self.sql, params: &self.params, sink: Some(&mut rows) };
        let before = self.before.as_ref().map(|(sql, params)| Step::silent(sql, params));
        let outcome = match &self.changes {
            None => connection.run("", &mut before.into_iter().chain([asked]).collect::<Vec<_>>()).await,
            Some(path) => {
                let told = [Param::unknown(remember::CHANNEL), Param::unknown(path.clone())];
                let commit = Step { sql: "commit", params: &[], sink: Some(&mut committed) };
                let begun = [Step::silent("begin", &[])].into_iter().chain(before);
                let mut steps: Vec<_> = begun.chain([asked, commit, Step::silent(TELL, &told)]).collect();
                connection.run("", &mut steps).await
            }
        };
        match outcome {
            Err(error) if committed.0 => tracing::warn!("other nodes were not told of a change: {error}"),
            outcome => outcome?,
        }
        Ok(rows)
    }
}

/// What the database said.
#[derive(Debug)]
pub(crate) struct Answer<T> {
    pub(crate) outcome: Result<T, ClientError>,
    /// Whether a connection was lost on the way: what had been asked on it may have been done.
    pub(crate) was_lost: bool,
}

/// Whether a transaction has been committed, whatever comes after.
struct Committed(bool);

impl RowSink for Committed {
    fn start(&mut self, _: &Arc<[Column]>) {}

    fn row(&mut self, _: Row) {}

    fn end(&mut self, _: i64) {
        self.0 = true;
    }
}
