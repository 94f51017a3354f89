//! Processes a batch of table changes: finds the recipients, checks policies (several tables in parallel), and sends messages in the order of
//! the changes.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use cloch_sql::Database;
use futures_util::future::join_all;
use tokio::sync::Semaphore;

use super::ask::{self, Answer, Asked, PolicyClaimsCache, Question, RoleView, Verdict};
use super::binding::Binding;
use super::filter_by_policy::{send_visible, tell_failure, undecided};
use super::message::Messages;
use super::policy_timeout::Patience;
use super::row::RowChange;
use super::slow_caller_queue::{Key, Lanes};
use super::subscriber::{CallerId, Recipient, Subscriber};
use super::table_change::{Pending, TableChange};

/// Delay before the policy check of a table is retried after a database failure.
const RETRY_DELAY: Duration = Duration::from_millis(200);

/// A recipient of a change: the subscriber, and the subscriber's entries of `postgres_changes` (bindings) whose filters match the change.
struct Want<'a> {
    subscriber: &'a Arc<Subscriber>,
    bindings: Vec<&'a Arc<Binding>>,
}

struct Entry<'a> {
    pending: &'a Pending,
    row: RowChange<'a>,
    wants: Vec<Want<'a>>,
    /// Index of the change's table among the tables of the batch, and index of the change among the changes of this table.
    place: (usize, usize),
}

#[derive(Default)]
struct TableBatch {
    /// Indexes of this table's changes among all changes of the batch.
    entries: Vec<usize>,
}

/// Delivers a batch of table changes. A caller that has a slow-caller queue receives its changes through that queue.
pub(super) async fn deliver(database: &Database, asking: &Semaphore, lanes: &Arc<Lanes>, batch: &[Pending]) {
    let mut entries: Vec<Entry<'_>> = batch.iter().map(|pending| collect(lanes, pending)).collect();
    entries.retain(|entry| !entry.wants.is_empty());
    let tables = by_table(&mut entries);
    let asked = tables.iter().map(|table| async {
        let _turn = asking.acquire().await;
        ask_table(database, lanes.policy_claims(), &entries, table).await
    });
    let answers = join_all(asked).await;
    for entry in &entries {
        match answers.get(entry.place.0) {
            Some(Ok(answer)) => send(lanes, entry, answer),
            Some(Err(())) | None => {
                for want in &entry.wants {
                    want.subscriber.end_and_rejoin("Changes could not be checked in the database");
                }
            }
        }
    }
    for answer in answers.iter().flatten() {
        report_failures(answer);
    }
}

/// Finds the recipients of a change. Pushes the change to the queues of recipients that have a slow-caller queue.
fn collect<'a>(lanes: &Arc<Lanes>, pending: &'a Pending) -> Entry<'a> {
    let change = &pending.change;
    let row = RowChange::new(&change.relation, &change.table, &change.change);
    let (mut wants, mut apart): (Vec<Want<'a>>, HashMap<Key, Vec<Recipient>>) = (Vec::new(), HashMap::new());
    for recipient in pending.recipients.iter().filter(|(subscriber, _)| !subscriber.has_ended()) {
        let (subscriber, bindings) = recipient;
        let key = lanes.key(subscriber);
        if lanes.has(&key) {
            apart.entry(key).or_default().push(recipient.clone());
            continue;
        }
        // A subscriber with filters that only PostgreSQL can evaluate has a slow-caller queue. All other filters are evaluated here.
        let is_met = |binding: &&Arc<Binding>| {
            undecided(lanes.patterns(), &row, binding).is_some_and(|undecided| undecided.is_empty())
        };
        let bindings: Vec<&Arc<Binding>> = bindings.iter().filter(is_met).collect();
        if !bindings.is_empty() {
            wants.push(Want { subscriber, bindings });
        }
    }
    for (key, recipients) in apart {
        lanes.push(key, change, recipients);
    }
    Entry { pending, row, wants, place: (0, 0) }
}

fn by_table(entries: &mut [Entry<'_>]) -> Vec<TableBatch> {
    let mut tables: Vec<TableBatch> = Vec::new();
    let mut known = HashMap::new();
    for (at, entry) in entries.iter_mut().enumerate() {
        let TableChange { table, relation, .. } = &*entry.pending.change;
        let number = *known.entry((Arc::as_ptr(table), Arc::as_ptr(relation))).or_insert(tables.len());
        if number == tables.len() {
            tables.push(TableBatch::default());
        }
        if let Some(table) = tables.get_mut(number) {
            entry.place = (number, table.entries.len());
            table.entries.push(at);
        }
    }
    tables
}

/// Checks the policies for one table's changes. Retries once after a database failure. Returns an error if the second attempt fails too.
async fn ask_table(
    database: &Database,
    policy_claims: &PolicyClaimsCache,
    entries: &[Entry<'_>],
    batch: &TableBatch,
) -> Result<Answer, ()> {
    let entries: Vec<&Entry<'_>> = batch.entries.iter().filter_map(|at| entries.get(*at)).collect();
    let Some(first) = entries.first() else { return Ok(Answer::default()) };
    let mut callers: HashMap<CallerId, Asked<'_>> = HashMap::new();
    for (at, entry) in entries.iter().enumerate() {
        for Want { subscriber, .. } in &entry.wants {
            let id = subscriber.caller_id;
            let new = || Asked { id, caller: &subscriber.caller, wanted: [].into() };
            callers.entry(id).or_insert_with(new).wanted.insert(at);
        }
    }
    let question = Question {
        table: &first.pending.change.table,
        changes: entries.iter().map(|entry| &entry.row).collect(),
        transactions: entries.iter().map(|entry| entry.pending.change.transaction).collect(),
        callers: callers.into_values().collect(),
        patience: Patience::Shared,
    };
    match ask::ask(database, policy_claims, &question).await {
        Ok(answer) => return Ok(answer),
        Err(error) => {
            tracing::warn!(
                %error,
                schema = question.table.schema,
                table = question.table.name,
                "realtime: row-level security check of table changes failed, retrying once"
            );
        }
    }
    tokio::time::sleep(RETRY_DELAY).await;
    ask::ask(database, policy_claims, &question).await.map_err(|error| {
        tracing::warn!(
            %error,
            schema = question.table.schema,
            table = question.table.name,
            changes = question.changes.len(),
            "realtime: row-level security check of table changes failed again, changes lost, their subscribers have to rejoin"
        );
    })
}

/// Sends a change to the recipients that may see it. Callers with slow or unfinished policy checks get a slow-caller queue.
fn send(lanes: &Arc<Lanes>, entry: &Entry<'_>, answer: &Answer) {
    let change = &entry.pending.change;
    let at = entry.place.1;
    let mut messages = Messages::new(change, at);
    let mut apart: HashMap<Key, Vec<Recipient>> = HashMap::new();
    // Clients may have left their channels during the check.
    for Want { subscriber, bindings } in entry.wants.iter().filter(|want| !want.subscriber.has_ended()) {
        let Some(view) = answer.roles.get(subscriber.caller.role()) else {
            subscriber.end_and_rejoin("Changes could not be checked in the database");
            continue;
        };
        let verdict = answer.callers.get(&subscriber.caller_id);
        let key = Key::of(subscriber);
        match (view, verdict) {
            (RoleView::Failed(code, message), _) | (_, Some(Verdict::Failed(code, message))) => {
                tell_failure(subscriber, &change.table, (code, message));
            }
            (RoleView::Shown(_), _) if is_apart(lanes, &key, verdict) => {
                let bindings = bindings.iter().map(|binding| Arc::clone(binding)).collect();
                apart.entry(key).or_default().push((Arc::clone(subscriber), bindings));
            }
            _ => {
                let bindings = bindings.iter().map(|binding| &***binding).collect();
                send_visible(&mut messages, subscriber, bindings, (change, at), view, verdict);
                if matches!(verdict, Some(Verdict::Visible { is_slow: true, .. })) {
                    lanes.mark_slow(key);
                }
            }
        }
    }
    for (key, recipients) in apart {
        lanes.push(key, change, recipients);
    }
}

/// Whether a caller's change goes to a slow-caller queue: its policy check timed out or did not run, or the caller already has a slow-caller
/// queue.
fn is_apart(lanes: &Arc<Lanes>, key: &Key, verdict: Option<&Verdict>) -> bool {
    match verdict {
        Some(Verdict::TimedOut) | None => true,
        Some(Verdict::Visible { .. } | Verdict::Failed(..)) => lanes.has(key),
    }
}

fn report_failures(answer: &Answer) {
    let failed = answer.callers.values().filter(|verdict| matches!(verdict, Verdict::Failed(..))).count();
    if failed > 0 {
        tracing::debug!(callers = failed, "realtime: policy check failed for some callers");
    }
}
