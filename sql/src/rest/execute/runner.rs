//! Runs the batches of requests on connections of a pool.

use super::job::{Job, checkout};
use crate::client::{BatchStatement, ClientError, Pool};
use crate::rest::slow_statement::{SlowStatements, Statement};
use crate::rest::sql::Sql;
use crate::spans::{Kind, Span, Value};

/// The connections, and what logs slow statements.
#[derive(Debug)]
pub(super) struct Runner {
    pub(super) pool: Pool,
    pub(super) slow: SlowStatements,
}

impl Runner {
    /// Runs a request's batch, and logs its main statement if it is slow.
    pub(super) async fn run(
        &self,
        job: Job<'_>,
        main: &Sql,
        steps: &mut [BatchStatement<'_>],
    ) -> Result<(), ClientError> {
        let mut span = Span::begin("postgresql", Kind::Client);
        span.add(|| [("db.system.name", "postgresql".into()), ("db.query.text", Value::excerpt(&main.text))]);
        let mut connection = checkout(&self.pool, job.caller).await?;
        let role = job.caller.role();
        let Job { plan, transaction_settings: settings, .. } = job;
        let _measured = self.slow.measure(Statement { plan, role, settings, sql: main }, job.settings);
        let outcome = connection.run(role, steps).await;
        if outcome.is_err() {
            span.fail();
        }
        outcome
    }
}
