//! What surrounds a batch.

use super::Job;
use crate::client::BatchStatement;
use crate::rest::plan::Source;
use crate::rest::request::Transaction;
use crate::rest::sql::Sql;
use crate::rest::visitors::{COUNT, LEAVE_ROLE, VisitorWrite};

/// PostgreSQL's implicit transaction needs nothing; an isolation level, or a rollback, an explicit one.
pub(super) struct Frame {
    begin: Option<String>,
    end: &'static [&'static str],
}

impl Frame {
    pub(super) fn choose(job: Job<'_>) -> Self {
        let of_function = match &job.plan.source {
            Source::Call(_, call) => call.function.isolation.as_deref(),
            _ => None,
        };
        let of_role = job.catalog.roles.get(job.caller.role()).and_then(|role| role.isolation.as_deref());
        let isolation = match of_function.or(of_role) {
            Some("serializable") => Some("serializable"),
            Some("repeatable read") => Some("repeatable read"),
            _ => None,
        };
        let rolls_back = match job.request.preferences.transaction {
            Some(Transaction::Rollback) => true,
            Some(Transaction::Commit) => false,
            None => job.settings.tx_end.rolls_back(),
        };
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

    /// The batch of a request: what is set for it, the function that runs before it, what it asks, and the end.
    pub(super) fn around<'a>(&'a self, job: Job<'a>, before: Option<&'a Sql>, asked: Vec<BatchStatement<'a>>) -> Vec<BatchStatement<'a>> {
        let mut steps = Vec::with_capacity(asked.len() + 7);
        steps.extend(self.begin.as_deref().map(|sql| BatchStatement::silent(sql, &[])));
        steps.push(BatchStatement::silent(&job.transaction_settings.text, &job.transaction_settings.params));
        steps.extend(before.map(|sql| BatchStatement::silent(&sql.text, &sql.params)));
        steps.extend(asked);
        if let Some(count) = job.visitor.and_then(VisitorWrite::count) {
            steps.extend([BatchStatement::silent(LEAVE_ROLE, &[]), BatchStatement::silent(COUNT, count)]);
        }
        steps.extend(self.end.iter().map(|sql| BatchStatement::silent(sql, &[])));
        steps
    }
}
