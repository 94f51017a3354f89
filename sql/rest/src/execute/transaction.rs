//! Builds the statements around the main statement of a request: BEGIN, the settings of the request, and COMMIT or ROLLBACK.

use super::job::Job;
use super::replica_part::ReplicaPart;
use crate::plan::Source;
use crate::sql::Sql;
use cloch_sql::client::BatchStatement;
use cloch_sql::replica::has_replayed;

/// Statements that begin and end an explicit transaction, which an isolation level or a rollback requires. Without these statements,
/// PostgreSQL runs the batch as one implicit transaction.
pub(super) struct TransactionStatements {
    begin: Option<String>,
    end: &'static [&'static str],
}

impl TransactionStatements {
    pub(super) fn of(job: Job<'_>) -> Self {
        let of_function = match &job.plan.source {
            Source::Call(_, call) => call.function.isolation.as_deref(),
            _ => None,
        };
        let of_role = job.schema_cache.roles.get(job.caller.role()).and_then(|role| role.isolation.as_deref());
        let isolation = match of_function.or(of_role) {
            Some("serializable") => Some("serializable"),
            Some("repeatable read") => Some("repeatable read"),
            _ => None,
        };
        let rolls_back = job.rolls_back();
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

    /// Whether the transaction starts with a BEGIN statement.
    pub(super) fn is_explicit(&self) -> bool {
        self.begin.is_some()
    }

    /// Builds the batch of a request, in this order: the check of the replica's replayed WAL position, BEGIN, the transaction settings, the
    /// pre-request function, the main statements, and the end of the transaction. Steps that the request does not need are omitted.
    pub(super) fn around<'a>(
        &'a self,
        job: Job<'a>,
        before: Option<&'a Sql>,
        main: Vec<BatchStatement<'a>>,
    ) -> Vec<BatchStatement<'a>> {
        let mut steps = Vec::with_capacity(main.len() + 8);
        if let Some(ReplicaPart::Answers { replayed, .. }) = job.replica {
            steps.push(has_replayed(replayed));
        }
        steps.extend(self.begin.as_deref().map(|sql| BatchStatement::silent(sql, &[])));
        steps.push(BatchStatement::silent(&job.transaction_settings.text, &job.transaction_settings.params));
        steps.extend(before.map(|sql| BatchStatement::silent(&sql.text, &sql.params)));
        steps.extend(main);
        steps.extend(self.end.iter().map(|sql| BatchStatement::silent(sql, &[])));
        steps
    }
}
