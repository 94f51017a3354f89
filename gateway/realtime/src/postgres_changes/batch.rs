//! One batch of changes: who wants which, what PostgreSQL says of them (tables in parallel), and the messages in the order of the changes.

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

/// Time before a batch is asked again after a failure of the database.
const RETRY_DELAY: Duration = Duration::from_millis(200);

/// A subscriber that wants a change, and those of its bindings whose filters the change meets.
struct Want<'a> {
    subscriber: &'a Arc<Subscriber>,
    bindings: Vec<&'a Arc<Binding>>,
}

/// A change with its recipients.
struct Entry<'a> {
    pending: &'a Pending,
    row: RowChange<'a>,
    wants: Vec<Want<'a>>,
    /// The table of the batch that it belongs to, and its position there.
    place: (usize, usize),
}

/// What is asked about one table.
#[derive(Default)]
struct TableBatch {
    /// Positions in the batch.
    entries: Vec<usize>,
}

/// Delivers a batch. Subscribers with lanes of their own get it there.
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

/// Sorts a change's recipients: those that want it, and those whose lanes it takes.
fn collect<'a>(lanes: &Arc<Lanes>, pending: &'a Pending) -> Entry<'a> {
    let change = &pending.change;
    let row = RowChange::new(&change.relation, &change.table, &change.change);
    let (mut wants, mut apart): (Vec<Want<'a>>, HashMap<Key, Vec<Recipient>>) = (Vec::new(), HashMap::new());
    for recipient in pending.recipients.iter().filter(|(subscriber, _)| !subscriber.has_ended()) {
        let (subscriber, bindings) = recipient;
        let key = Key::of(subscriber);
        if lanes.has(&key) {
            apart.entry(key).or_default().push(recipient.clone());
            continue;
        }
        // Filters that PostgreSQL evaluates have a lane: here, every binding is decided.
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

/// Groups the changes by their tables' definitions.
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

/// Asks about one table's changes; once more if the database fails.
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
            tracing::warn!(%error, table = question.table.name, "policy check of a table failed, retrying");
        }
    }
    tokio::time::sleep(RETRY_DELAY).await;
    ask::ask(database, policy_claims, &question).await.map_err(|error| {
        tracing::warn!(%error, table = question.table.name, "changes lost, subscribers have to rejoin");
    })
}

/// Sends a change to those that may see it. Callers that were slow, or not asked because of slow ones, get a lane.
fn send(lanes: &Arc<Lanes>, entry: &Entry<'_>, answer: &Answer) {
    let change = &entry.pending.change;
    let at = entry.place.1;
    let mut messages = Messages::new(change, at);
    let mut apart: HashMap<Key, Vec<Recipient>> = HashMap::new();
    for Want { subscriber, bindings } in &entry.wants {
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

/// Whether a caller's change takes a lane: its policies were cut off or not asked, or an earlier change of the batch took it.
fn is_apart(lanes: &Arc<Lanes>, key: &Key, verdict: Option<&Verdict>) -> bool {
    match verdict {
        Some(Verdict::TimedOut) | None => true,
        Some(Verdict::Visible { .. } | Verdict::Failed(..)) => lanes.has(key),
    }
}

fn report_failures(answer: &Answer) {
    let failed = answer.callers.values().filter(|verdict| matches!(verdict, Verdict::Failed(..))).count();
    if failed > 0 {
        tracing::debug!(callers = failed, "policies failed for callers");
    }
}
