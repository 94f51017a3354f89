//! Runs the SQL statements of a request as a batch on a connection to the primary or on the read replica.

use std::sync::Arc;

use cloch_core::spans::{Kind, Span, Value};

use super::job::{Job, checkout};
use super::replica_part::ReplicaPart;
use crate::response_memory::AnswerMeter;
use crate::slow_statement::{Measured, SlowStatements, Statement};
use crate::sql::Sql;
use cloch_sql::client::{BatchStatement, ClientError, Pool, Rows};
use cloch_sql::replica::{CURRENT_LSN, Lsn, Replica};

/// Runs batches of SQL statements on the primary or on the read replica. Contains the connection pool of the primary and the log of slow
/// statements.
#[derive(Debug)]
pub(super) struct Runner {
    pub(super) pool: Pool,
    pub(super) slow: SlowStatements,
}

impl Runner {
    /// Runs the batch of a request, on the read replica if possible. Logs the main statement of the batch if the statement is slow. Returns
    /// the primary's WAL position after a write if a replica is configured, otherwise `None`.
    pub(super) async fn run(
        &self,
        job: Job<'_>,
        main: &Sql,
        steps: &mut [BatchStatement<'_>],
    ) -> Result<Option<Lsn>, ClientError> {
        let steps = match job.replica {
            Some(ReplicaPart::Answers { replica, .. }) => {
                let outcome = self.run_on(replica, job, main, steps).await;
                if replica.is_answered(&outcome) {
                    return outcome.map(|()| None);
                }
                // The replica cannot execute the read. Run the batch on the primary without its first statement, which checks the WAL
                // position of the replica.
                steps.split_first_mut().map_or(&mut [][..], |(_, steps)| steps)
            }
            _ => steps,
        };
        let mut span = begin_span(main);
        let mut connection = checkout(&self.pool, job.caller, job.network).await?;
        connection.set_meter(Arc::<AnswerMeter>::clone(job.meter))?;
        let _measured = self.measure(job, main);
        let mut position = Rows::default();
        let mut after = BatchStatement { sql: CURRENT_LSN, params: &[], sink: Some(&mut position) };
        let after = matches!(job.replica, Some(ReplicaPart::FollowsWrite(_))).then_some(&mut after);
        let outcome = connection.run_then(job.caller.role(), steps, after).await;
        if outcome.is_err() {
            span.fail();
        }
        outcome.map(|()| position.rows().first().and_then(|row| row.text(0)?.parse().ok()))
    }

    async fn run_on(
        &self,
        replica: &Replica,
        job: Job<'_>,
        main: &Sql,
        steps: &mut [BatchStatement<'_>],
    ) -> Result<(), ClientError> {
        let mut span = begin_span(main);
        span.add(|| [("cloch.replica", "true".into())]);
        let _measured = self.measure(job, main);
        let outcome = replica.run(job.caller, Arc::<AnswerMeter>::clone(job.meter), steps).await;
        if outcome.is_err() {
            span.fail();
        }
        outcome
    }

    fn measure<'a>(&'a self, job: Job<'a>, main: &'a Sql) -> Option<Measured<'a>> {
        let Job { plan, transaction_settings: settings, caller, .. } = job;
        self.slow.measure(Statement { plan, role: caller.role(), settings, sql: main }, job.settings)
    }
}

fn begin_span(main: &Sql) -> Span {
    let mut span = Span::begin("postgresql", Kind::Client);
    span.add(|| [("db.system.name", "postgresql".into()), ("db.query.text", Value::excerpt(&main.text))]);
    span
}
