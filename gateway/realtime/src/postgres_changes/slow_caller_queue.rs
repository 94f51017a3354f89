//! Slow-caller queues ("lanes"). They prevent a slow caller from delaying all other callers. Each caller with slow policies has a queue,
//! and so does each subscriber with filters that PostgreSQL evaluates. A queue delivers its changes in order. While a caller has a queue,
//! all its changes go through the queue.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cloch_core::supervise::panic_text;
use cloch_sql::Database;
use futures_util::FutureExt;
use tokio::sync::{Notify, Semaphore};
use tokio::time::{Instant, timeout_at};

use super::ask::PolicyClaimsCache;
use super::compare::Patterns;
use super::deliver::{self, Outcome};
use super::policy_timeout::Patience;
use super::subscriber::{CallerId, Id, Recipient, Subscriber};
use super::table_change::{Job, TableChange, WaitingBytes};

/// Number of consecutive timeouts of a caller's policy checks after which the caller's subscriptions end.
const MAX_CONSECUTIVE_TIMEOUTS: u32 = 3;
/// Maximum number of changes in one policy check of a caller in a slow-caller queue, if the caller's last checks were not slow.
const MAX_RUN_CHANGES: usize = 20;
/// Time for which a caller keeps its slow-caller queue after its last slow policy check. Ends early if a later check is not slow.
const LINGER_TIME: Duration = Duration::from_secs(60);
/// Maximum number of concurrent policy checks with [`Patience::Trial`].
const MAX_TRIALS: usize = 2;
/// Maximum number of concurrent policy checks with [`Patience::Long`].
const MAX_LONG_CHECKS: usize = 2;

/// Key of a slow-caller queue: the caller, and the subscriber if the queue belongs to a single subscriber.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    caller: CallerId,
    alone: Option<Id>,
}

impl Key {
    pub(super) fn of(subscriber: &Subscriber) -> Self {
        let alone = subscriber.asks_postgres.load(Ordering::Relaxed).then_some(subscriber.id);
        Self { caller: subscriber.caller_id, alone }
    }

    /// Whether the queue belongs to a single subscriber. There are two reasons: PostgreSQL evaluates some of the subscriber's filters, or
    /// the subscriber has replaced another subscriber whose changes must be delivered first.
    pub(super) fn is_alone(&self) -> bool {
        self.alone.is_some()
    }
}

/// All slow-caller queues. A queue exists while it contains changes, or while its caller counts as slow.
#[derive(Debug)]
pub(super) struct Lanes {
    database: Database,
    patterns: Patterns,
    policy_claims: PolicyClaimsCache,
    lanes: Mutex<HashMap<Key, Lane>>,
    trials: Semaphore,
    long_checks: Semaphore,
    max_waiting_bytes: usize,
}

#[derive(Debug)]
struct Lane {
    jobs: VecDeque<Job>,
    waiting_bytes: Arc<AtomicUsize>,
    arrived: Arc<Notify>,
    /// Time until which the caller of the queue counts as slow. `None` if the caller does not count as slow.
    slow_until: Option<Instant>,
    patience: Patience,
    run_changes: usize,
}

impl Default for Lane {
    fn default() -> Self {
        Self {
            jobs: VecDeque::new(),
            waiting_bytes: Arc::default(),
            arrived: Arc::default(),
            slow_until: None,
            patience: Patience::Trial,
            run_changes: MAX_RUN_CHANGES,
        }
    }
}

impl Lanes {
    pub(super) fn new(database: Database, max_waiting_bytes: usize) -> Arc<Self> {
        // The checks of all queues use only a part of the pool's connections, because the pool is shared with the policy checks of batches,
        // storage and functions.
        let connections = database.callers().options().get_max_connections() as usize;
        let checks = |most: usize| Semaphore::new((connections / 4).clamp(1, most));
        Arc::new(Self {
            database,
            patterns: Patterns::default(),
            policy_claims: PolicyClaimsCache::default(),
            lanes: Mutex::default(),
            trials: checks(MAX_TRIALS),
            long_checks: checks(MAX_LONG_CHECKS),
            max_waiting_bytes,
        })
    }

    pub(super) fn patterns(&self) -> &Patterns {
        &self.patterns
    }

    pub(super) fn policy_claims(&self) -> &PolicyClaimsCache {
        &self.policy_claims
    }

    fn lanes(&self) -> MutexGuard<'_, HashMap<Key, Lane>> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the key of the slow-caller queue for the next change of a subscriber. The queue need not exist ([`Self::has`]). A subscriber
    /// that has replaced another subscriber has its own queue until all changes of the replaced subscriber are delivered, so that the
    /// client receives the changes of both subscribers in order.
    pub(super) fn key(&self, subscriber: &Subscriber) -> Key {
        let key = Key::of(subscriber);
        if key.is_alone() || !subscriber.follows.load(Ordering::Relaxed) {
            return key;
        }
        let own = Key { caller: key.caller, alone: Some(subscriber.id) };
        if subscriber.has_to_wait() || self.lanes().contains_key(&own) {
            return own;
        }
        subscriber.follows.store(false, Ordering::Relaxed);
        key
    }

    /// Whether the changes of a subscriber with this key have to go through a slow-caller queue.
    pub(super) fn has(&self, key: &Key) -> bool {
        key.is_alone() || self.lanes().contains_key(key)
    }

    /// Marks the caller of `key` as slow for [`LINGER_TIME`], because its policy check was slow. Opens a slow-caller queue if the caller
    /// has none.
    pub(super) fn mark_slow(self: &Arc<Self>, key: Key) {
        self.open(key, |lane| {
            lane.slow_until = Some(Instant::now() + LINGER_TIME);
            lane.run_changes = 1;
        });
    }

    /// Adds a change to the slow-caller queue of `key`. If the queue is full, the subscriptions of the recipients end, and their clients have
    /// to join again.
    pub(super) fn push(self: &Arc<Self>, key: Key, change: &Arc<TableChange>, recipients: Vec<Recipient>) {
        let limit = self.max_waiting_bytes;
        let refused = self.open(key, |lane| match WaitingBytes::count(&lane.waiting_bytes, change.bytes, limit) {
            Some(waiting) => {
                lane.jobs.push_back(Job::new(Arc::clone(change), recipients, waiting));
                Vec::new()
            }
            None => recipients,
        });
        if !refused.is_empty() {
            tracing::warn!(
                subscribers = refused.len(),
                schema = change.table.schema,
                table = change.table.name,
                "realtime: queue for slow row-level security checks full: a change was not sent to some subscribers, they have to rejoin"
            );
        }
        for (subscriber, _) in refused {
            subscriber.end_and_rejoin("Too many changes are waiting for this subscription");
        }
    }

    /// Calls `change` with the slow-caller queue of `key` and returns the result. If the queue does not exist, creates the queue and starts
    /// the task that delivers its changes.
    fn open<T>(self: &Arc<Self>, key: Key, change: impl FnOnce(&mut Lane) -> T) -> T {
        let mut lanes = self.lanes();
        let lane = match lanes.entry(key) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                tokio::spawn(Arc::clone(self).work_off(entry.key().clone()));
                entry.insert(Lane::default())
            }
        };
        lane.arrived.notify_one();
        change(lane)
    }

    /// Waits for the next changes of a slow-caller queue, all of one table, and removes them from the queue. `None` once the queue has ended.
    async fn next(&self, key: &Key) -> Option<(Vec<Job>, Patience)> {
        loop {
            let (arrived, until) = {
                let mut lanes = self.lanes();
                let lane = lanes.get_mut(key)?;
                let slow_until = lane.slow_until.filter(|until| *until > Instant::now());
                match (lane.jobs.pop_front(), slow_until) {
                    (Some(first), _) => return Some((run_of(first, &mut lane.jobs, lane.run_changes), lane.patience)),
                    (None, Some(until)) => (Arc::clone(&lane.arrived), until),
                    (None, None) => {
                        lanes.remove(key);
                        return None;
                    }
                }
            };
            // Waits for a new change, or until the caller no longer counts as slow. The next iteration checks which of the two has
            // happened.
            let _ = timeout_at(until, arrived.notified()).await;
        }
    }

    /// Delivers the changes of a slow-caller queue in order, until the queue ends.
    async fn work_off(self: Arc<Self>, key: Key) {
        let mut timeouts = 0;
        while let Some((run, patience)) = self.next(&key).await {
            if key.is_alone() {
                wait_for_replaced(&run).await;
            }
            let turns = if patience == Patience::Long { &self.long_checks } else { &self.trials };
            let Ok(_turn) = turns.acquire().await else { return };
            let delivery = deliver::deliver(&self.database, (&self.patterns, &self.policy_claims), &run, patience);
            match AssertUnwindSafe(delivery).catch_unwind().await {
                Ok(Outcome::Told { is_slow }) => {
                    timeouts = 0;
                    self.note_time(&key, is_slow);
                }
                Ok(Outcome::TimedOut) if patience != Patience::Long => self.try_again(&key, run),
                Ok(Outcome::TimedOut) => {
                    timeouts += 1;
                    self.note_time(&key, true);
                    if timeouts >= MAX_CONSECUTIVE_TIMEOUTS {
                        run.iter().for_each(end);
                        timeouts = 0;
                    } else {
                        run.iter().for_each(tell_of_loss);
                    }
                }
                Ok(Outcome::Failed) => run.iter().for_each(have_join_again),
                Err(panic) => {
                    let table = run.first().map(|job| &job.change.table);
                    tracing::error!(
                        schema = table.map(|table| table.schema.as_str()),
                        table = table.map(|table| table.name.as_str()),
                        panic = panic_text(&*panic),
                        changes = run.len(),
                        "realtime: sending table changes to callers with slow policies failed with an internal error (panic), the changes are lost and these callers have to join again"
                    );
                    run.iter().for_each(have_join_again);
                }
            }
        }
    }

    fn note_time(&self, key: &Key, is_slow: bool) {
        if let Some(lane) = self.lanes().get_mut(key) {
            lane.slow_until = is_slow.then(|| Instant::now() + LINGER_TIME);
            if is_slow {
                lane.run_changes = 1;
            } else {
                lane.run_changes = (2 * lane.run_changes).min(MAX_RUN_CHANGES);
                lane.patience = Patience::Trial;
            }
        }
    }

    /// Adds changes whose policy check timed out to the queue again. The changes are then checked one by one. If the timed-out check had a
    /// single change, the caller gets the longer time limit.
    fn try_again(&self, key: &Key, run: Vec<Job>) {
        if let Some(lane) = self.lanes().get_mut(key) {
            lane.slow_until = Some(Instant::now() + LINGER_TIME);
            lane.run_changes = 1;
            if run.len() == 1 {
                lane.patience = Patience::Long;
            }
            run.into_iter().rev().for_each(|job| lane.jobs.push_front(job));
        }
    }
}

/// Takes changes from the front of a queue as long as they belong to the same table as `first`, at most `most` changes in total.
fn run_of(first: Job, jobs: &mut VecDeque<Job>, most: usize) -> Vec<Job> {
    let is_same = |one: &TableChange, other: &TableChange| {
        Arc::ptr_eq(&one.table, &other.table) && Arc::ptr_eq(&one.relation, &other.relation)
    };
    let mut run = vec![first];
    while run.len() < most
        && let Some(next) = jobs.front()
        && run.first().is_some_and(|first| is_same(&first.change, &next.change))
    {
        run.extend(jobs.pop_front());
    }
    run
}

/// If the recipient of these changes has replaced another subscriber, waits until all changes of the replaced subscriber are delivered.
async fn wait_for_replaced(run: &[Job]) {
    for job in run {
        for (subscriber, _) in &job.recipients {
            subscriber.wait_for_replaced().await;
        }
    }
}

fn end(job: &Job) {
    tracing::warn!(
        schema = job.change.table.schema,
        table = job.change.table.name,
        subscribers = job.recipients.len(),
        "realtime: row-level security policies of a table too slow for some subscribers, their subscriptions to table changes ended"
    );
    for (subscriber, _) in &job.recipients {
        subscriber.end("The policies of the table take too long");
    }
}

/// Notifies the recipients of a change that the change is lost because its policy check timed out. Their subscriptions continue.
fn tell_of_loss(job: &Job) {
    tracing::warn!(
        schema = job.change.table.schema,
        table = job.change.table.name,
        subscribers = job.recipients.len(),
        "realtime: row-level security policies of a table too slow for some subscribers, one change lost for them, their subscriptions continue"
    );
    for (subscriber, _) in &job.recipients {
        subscriber.send_system("error", "A change is missing: the policies of the table took too long");
    }
}

/// Ends the subscriptions of the recipients of a change whose policy check failed. Their clients have to join again and reload their data.
fn have_join_again(job: &Job) {
    for (subscriber, _) in &job.recipients {
        subscriber.end_and_rejoin("A change could not be checked, and is missing");
    }
}
