//! Delivers table changes from a slow-caller queue to the subscribers of the queue's caller.

use std::sync::Arc;

use cloch_sql::Database;

use super::ask::{self, Asked, PolicyClaimsCache, Question, RoleView, Verdict};
use super::binding::Binding;
use super::compare::Patterns;
use super::filter::{Filter, FilterError};
use super::filter_by_policy::{send_visible, tell_failure, undecided};
use super::message::Messages;
use super::policy_timeout::Patience;
use super::row::{self, RowChange};
use super::subscriber::Subscriber;
use super::table_change::Job;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The subscribers received the changes that they may see. `is_slow`: the policy check was slow.
    Told { is_slow: bool },
    /// The policy check timed out. No change was sent.
    TimedOut,
    /// The policy check failed. No change was sent.
    Failed,
}

/// Delivers changes of one table to subscribers that have the same caller, with one policy check.
pub(super) async fn deliver(
    database: &Database,
    (patterns, policy_claims): (&Patterns, &PolicyClaimsCache),
    run: &[Job],
    patience: Patience,
) -> Outcome {
    let told = Outcome::Told { is_slow: false };
    let Some(table) = run.first().map(|job| Arc::clone(&job.change.table)) else { return told };
    let rows: Vec<RowChange<'_>> =
        run.iter().map(|job| RowChange::new(&job.change.relation, &job.change.table, &job.change.change)).collect();
    let mut met: Vec<(usize, &Subscriber, Vec<&Binding>)> = Vec::new();
    for (at, (job, row)) in run.iter().zip(&rows).enumerate() {
        for (subscriber, bindings) in job.recipients.iter().filter(|(subscriber, _)| !subscriber.has_ended()) {
            let wanted = wanted(database, patterns, row, subscriber, bindings).await;
            if !wanted.is_empty() {
                met.push((at, subscriber, wanted));
            }
        }
    }
    let Some((_, first, _)) = met.first() else { return told };
    let wanted = met.iter().map(|(at, ..)| *at).collect();
    let asked = Asked { id: first.caller_id, caller: &first.caller, wanted };
    let question = Question {
        table: &table,
        changes: rows.iter().collect(),
        transactions: run.iter().map(|job| job.change.transaction).collect(),
        callers: vec![asked],
        patience,
    };
    let answer = match ask::ask(database, policy_claims, &question).await {
        Ok(answer) => answer,
        Err(error) => {
            tracing::warn!(
                %error,
                schema = table.schema,
                table = table.name,
                topic = first.target.channel,
                "realtime: row-level security check of table changes failed for a subscriber with slow policies: after a timeout the check is \
                 retried, after another error the subscriber has to rejoin"
            );
            return if row::is_timeout(&error) { Outcome::TimedOut } else { Outcome::Failed };
        }
    };
    let verdict = answer.callers.get(&first.caller_id);
    let Some(view) = answer.roles.get(first.caller.role()) else { return Outcome::Failed };
    let is_open = matches!(view, RoleView::Shown(_)) && verdict.is_none();
    if is_open || matches!(verdict, Some(Verdict::TimedOut)) {
        return Outcome::TimedOut;
    }
    // The client may have left the channel during the check.
    for (at, subscriber, bindings) in met.into_iter().filter(|(_, subscriber, _)| !subscriber.has_ended()) {
        let Some(job) = run.get(at) else { continue };
        match verdict {
            Some(Verdict::Failed(code, message)) => tell_failure(subscriber, &table, (code, message)),
            _ => {
                let mut messages = Messages::new(&job.change, at);
                send_visible(&mut messages, subscriber, bindings, (&job.change, at), view, verdict);
            }
        }
    }
    Outcome::Told { is_slow: matches!(verdict, Some(Verdict::Visible { is_slow: true, .. })) }
}

/// Returns the entries of a subscriber's `postgres_changes` (bindings) whose filters the change meets. PostgreSQL evaluates the filters
/// that this program cannot evaluate.
async fn wanted<'a>(
    database: &Database,
    patterns: &Patterns,
    change: &RowChange<'_>,
    subscriber: &Subscriber,
    bindings: &'a [Arc<Binding>],
) -> Vec<&'a Binding> {
    let (mut wanted, mut open): (Vec<&Binding>, Vec<(&Binding, Vec<&Filter>)>) = (Vec::new(), Vec::new());
    for binding in bindings {
        match undecided(patterns, change, binding) {
            None => {}
            Some(undecided) if undecided.is_empty() => wanted.push(binding),
            Some(undecided) => open.push((binding, undecided)),
        }
    }
    if open.is_empty() {
        return wanted;
    }
    let filters: Vec<&Filter> = open.iter().flat_map(|(_, filters)| filters.iter().copied()).collect();
    match row::ask_filters(database, &subscriber.caller, change, &filters).await {
        Ok(answers) => {
            let mut answers = answers.into_iter();
            for (binding, filters) in open {
                // Takes the filter results of every entry (binding) from the list, even if the entry's first filter is not met.
                let met: Vec<bool> = answers.by_ref().take(filters.len()).collect();
                if met.len() == filters.len() && met.into_iter().all(|met| met) {
                    wanted.push(binding);
                }
            }
        }
        Err(error) if row::is_timeout(&error) => {
            let column = filters.first().map(|filter| filter.column.clone()).unwrap_or_default();
            tracing::warn!(
                schema = change.table.schema,
                table = change.table.name,
                column,
                topic = subscriber.target.channel,
                "realtime: filter of a subscription too slow, the subscription to table changes ended"
            );
            subscriber.end(&FilterError::TooSlow(column).to_string());
            wanted.clear();
        }
        Err(error) => {
            tracing::warn!(
                %error,
                schema = change.table.schema,
                table = change.table.name,
                topic = subscriber.target.channel,
                "realtime: evaluating the filter of a subscription failed, the change was not sent, the subscription ended and the client has to join again"
            );
            subscriber.end_and_rejoin("A filter could not be evaluated");
            wanted.clear();
        }
    }
    wanted
}
