//! Lanes of callers that must not delay others: one for each caller whose policies are slow, and one for each subscriber with filters that
//! PostgreSQL evaluates. A lane delivers its changes in their order, one after another. While a caller has a lane, all its changes take it.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cloch_sql::Database;
use cloch_sql::supervise::panic_text;
use futures_util::FutureExt;
use tokio::sync::{Notify, Semaphore};
use tokio::time::{Instant, timeout_at};

use super::ask::SLOW_CHECK_TIME;
use super::compare::Patterns;
use super::deliver::{self, Outcome};
use super::subscriber::{CallerId, Id, Recipient, Subscriber};
use super::table_change::{Job, TableChange, WaitingBytes};

/// Consecutive checks of one caller that may time out before its subscriptions end.
const MAX_CONSECUTIVE_TIMEOUTS: u32 = 3;
/// Changes of one check of a caller whose last check was not slow.
const MAX_RUN_CHANGES: usize = 20;
/// Time after its last slow check for which a caller keeps its lane, unless a later check is not slow.
const LINGER_TIME: Duration = Duration::from_secs(60);
/// Concurrent visibility checks of lanes whose callers are not known to be slow.
const MAX_FAST_CHECKS: usize = 2;

/// The key of a lane.
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

    /// Whether the subscriber always has a lane of its own.
    pub(super) fn is_alone(&self) -> bool {
        self.alone.is_some()
    }
}

/// All lanes. A lane exists while it has changes, or its caller was slow a short time ago.
#[derive(Debug)]
pub(super) struct Lanes {
    database: Database,
    patterns: Patterns,
    lanes: Mutex<HashMap<Key, Lane>>,
    fast: Semaphore,
    slow: Semaphore,
    max_waiting_bytes: usize,
}

#[derive(Debug, Default)]
struct Lane {
    jobs: VecDeque<Job>,
    waiting_bytes: Arc<AtomicUsize>,
    arrived: Arc<Notify>,
    /// Until when the caller counts as slow.
    slow_until: Option<Instant>,
}

impl Lanes {
    pub(super) fn new(database: Database, max_waiting_bytes: usize) -> Arc<Self> {
        Arc::new(Self {
            database,
            patterns: Patterns::default(),
            lanes: Mutex::default(),
            fast: Semaphore::new(MAX_FAST_CHECKS),
            slow: Semaphore::new(1),
            max_waiting_bytes,
        })
    }

    pub(super) fn patterns(&self) -> &Patterns {
        &self.patterns
    }

    fn lanes(&self) -> MutexGuard<'_, HashMap<Key, Lane>> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the subscriber's changes have to take a lane.
    pub(super) fn has(&self, key: &Key) -> bool {
        key.is_alone() || self.lanes().contains_key(key)
    }

    /// Gives a caller a lane, because its policies were slow.
    pub(super) fn mark_slow(self: &Arc<Self>, key: Key) {
        self.open(key, |lane| lane.slow_until = Some(Instant::now() + LINGER_TIME));
    }

    /// Queues a change for subscribers with this key. Those with too many queued bytes are unsubscribed and have to join again.
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
            tracing::warn!(subscribers = refused.len(), "subscribers are too far behind the changes and join again");
        }
        for (subscriber, _) in refused {
            subscriber.end_and_rejoin("Too many changes are waiting for this subscription");
        }
    }

    /// Changes a lane, whose task is started if there is none.
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

    /// The next changes of a lane, all of one table, and whether its caller is slow, who gets them one by one; `None` once the lane has ended.
    async fn next(&self, key: &Key) -> Option<(Vec<Job>, bool)> {
        loop {
            let (arrived, until) = {
                let mut lanes = self.lanes();
                let lane = lanes.get_mut(key)?;
                let slow_until = lane.slow_until.filter(|until| *until > Instant::now());
                match (lane.jobs.pop_front(), slow_until) {
                    (Some(first), Some(_)) => return Some((vec![first], true)),
                    (Some(first), None) => return Some((run_of(first, &mut lane.jobs), false)),
                    (None, Some(until)) => (Arc::clone(&lane.arrived), until),
                    (None, None) => {
                        lanes.remove(key);
                        return None;
                    }
                }
            };
            // An end of the time is noticed by the next round.
            let _ = timeout_at(until, arrived.notified()).await;
        }
    }

    /// Works off a lane's changes in their order.
    async fn work_off(self: Arc<Self>, key: Key) {
        let mut timeouts = 0;
        while let Some((run, is_slow)) = self.next(&key).await {
            let Ok(_turn) = (if is_slow { &self.slow } else { &self.fast }).acquire().await else { return };
            let begun = Instant::now();
            let delivery = deliver::deliver(&self.database, &self.patterns, &run);
            match AssertUnwindSafe(delivery).catch_unwind().await {
                Ok(Outcome::Told) => timeouts = 0,
                Ok(Outcome::TimedOut) => timeouts += 1,
                Err(panic) => tracing::error!(panic = panic_text(&*panic), "changes could not be delivered"),
            }
            self.note_time(&key, begun.elapsed());
            if timeouts >= MAX_CONSECUTIVE_TIMEOUTS {
                run.iter().for_each(end);
                timeouts = 0;
            }
        }
    }

    /// Takes note of the time of a caller's check.
    fn note_time(&self, key: &Key, took: Duration) {
        if let Some(lane) = self.lanes().get_mut(key) {
            lane.slow_until = (took > SLOW_CHECK_TIME).then(|| Instant::now() + LINGER_TIME);
        }
    }
}

/// The changes at the front of a lane that are of the first one's table.
fn run_of(first: Job, jobs: &mut VecDeque<Job>) -> Vec<Job> {
    let is_same = |one: &TableChange, other: &TableChange| {
        Arc::ptr_eq(&one.table, &other.table) && Arc::ptr_eq(&one.relation, &other.relation)
    };
    let mut run = vec![first];
    while run.len() < MAX_RUN_CHANGES
        && let Some(next) = jobs.front()
        && run.first().is_some_and(|first| is_same(&first.change, &next.change))
    {
        run.extend(jobs.pop_front());
    }
    run
}

fn end(job: &Job) {
    tracing::warn!(table = job.change.table.name, "the policies of a table take too long: subscriptions are ended");
    for (subscriber, _) in &job.recipients {
        subscriber.end("The policies of the table take too long");
    }
}
