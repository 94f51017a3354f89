//! Queues between the worker and the subscribers: one for each caller, consumed by its own task, so that the worker waits for no
//! subscriber. The number of concurrent visibility checks in PostgreSQL is limited; callers whose checks are slow have a separate, smaller
//! limit.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use cloch_sql::Database;
use cloch_sql::supervise::panic_text;
use futures_util::FutureExt;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::error::SendError;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::compare::Patterns;
use super::deliver::{self, Outcome, TableChange};
use super::subscriber::{Id, Recipient, Subscriber};

/// A visibility check that takes longer is slow: the caller's next check counts towards the limit of slow ones.
const SLOW_CHECK_TIME: Duration = Duration::from_millis(30);
/// Consecutive checks of one caller that may time out before its subscriptions end.
const MAX_CONSECUTIVE_TIMEOUTS: u32 = 3;
/// Idle time after which the task of a queue ends.
const IDLE_TIMEOUT: Duration = Duration::from_secs(60);
/// Concurrent visibility checks of callers that are not slow.
const MAX_FAST_CHECKS: usize = 3;

/// The key of a queue. Callers with the same claims share one. A subscriber with filters that PostgreSQL evaluates has one of its own, so
/// that their cost does not delay others.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    claims: Arc<str>,
    alone: Option<Id>,
}

impl Key {
    fn of(subscriber: &Subscriber) -> Self {
        let is_alone = subscriber.asks_postgres.load(Ordering::Relaxed);
        Self { claims: Arc::clone(&subscriber.claims), alone: is_alone.then_some(subscriber.id) }
    }
}

/// All queues.
#[derive(Debug)]
pub(super) struct Queues {
    shared: Arc<Shared>,
    queues: HashMap<Key, Queue>,
    max_waiting_bytes: usize,
}

#[derive(Debug)]
struct Queue {
    jobs: UnboundedSender<Job>,
    waiting_bytes: Arc<AtomicUsize>,
}

/// State shared by the queues' tasks.
#[derive(Debug)]
struct Shared {
    database: Database,
    patterns: Patterns,
    fast: Arc<Semaphore>,
    slow: Arc<Semaphore>,
}

#[derive(Debug)]
struct Job {
    change: Arc<TableChange>,
    recipients: Vec<Recipient>,
    _waiting: WaitingBytes,
}

/// The size of a queued change, counted until this is dropped.
#[derive(Debug)]
struct WaitingBytes {
    all: Arc<AtomicUsize>,
    bytes: usize,
}

impl Drop for WaitingBytes {
    fn drop(&mut self) {
        self.all.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl Queues {
    pub(super) fn new(database: Database, max_waiting_bytes: usize) -> Self {
        // The connections of this pool are shared with storage and functions.
        let connections = database.callers().options().get_max_connections() as usize;
        let fast = Arc::new(Semaphore::new((connections / 3).clamp(1, MAX_FAST_CHECKS)));
        let slow = Arc::new(Semaphore::new(1));
        let shared = Shared { database, patterns: Patterns::default(), fast, slow };
        Self { shared: Arc::new(shared), queues: HashMap::new(), max_waiting_bytes }
    }

    /// Queues a change for its recipients. A recipient with too many queued bytes is unsubscribed and has to join again.
    pub(super) fn push(&mut self, change: &Arc<TableChange>, recipients: Vec<Recipient>) {
        let mut by_key: HashMap<Key, Vec<Recipient>> = HashMap::new();
        for recipient in recipients {
            by_key.entry(Key::of(&recipient.0)).or_default().push(recipient);
        }
        let max_waiting_bytes = self.max_waiting_bytes;
        for (key, recipients) in by_key {
            let queue = self.queue(key.clone());
            let before = queue.waiting_bytes.fetch_add(change.bytes, Ordering::Relaxed);
            let waiting = WaitingBytes { all: Arc::clone(&queue.waiting_bytes), bytes: change.bytes };
            // A single change may exceed the limit.
            if before > 0 && before + change.bytes > max_waiting_bytes {
                tracing::warn!(
                    subscribers = recipients.len(),
                    "subscribers are too far behind the changes and join again"
                );
                for (subscriber, _) in &recipients {
                    subscriber.end_and_rejoin("Too many changes are waiting for this subscription");
                }
                continue;
            }
            let job = Job { change: Arc::clone(change), recipients, _waiting: waiting };
            if let Err(SendError(job)) = queue.jobs.send(job) {
                // The task was idle and ended just now: a new one is started.
                let _ = self.queue(key).jobs.send(job);
            }
        }
    }

    /// The queue of a key, whose task is started if needed.
    fn queue(&mut self, key: Key) -> &Queue {
        let shared = Arc::clone(&self.shared);
        let start = move || {
            let (jobs, receiver) = unbounded_channel();
            tokio::spawn(work_off(shared, receiver));
            Queue { jobs, waiting_bytes: Arc::default() }
        };
        match self.queues.entry(key) {
            std::collections::hash_map::Entry::Occupied(entry) if entry.get().jobs.is_closed() => {
                let queue = entry.into_mut();
                *queue = start();
                queue
            }
            entry => entry.or_insert_with(start),
        }
    }

    /// Keeps all callers from PostgreSQL until the answer is dropped.
    #[cfg(test)]
    pub(super) fn hold_all_turns(&self) -> Vec<tokio::sync::OwnedSemaphorePermit> {
        let all = [&self.shared.fast, &self.shared.slow].into_iter();
        all.flat_map(|turns| std::iter::from_fn(|| Arc::clone(turns).try_acquire_owned().ok())).collect()
    }

    /// Forgets queues whose tasks have ended.
    pub(super) fn prune(&mut self) {
        self.queues.retain(|_, queue| !queue.jobs.is_closed());
    }
}

/// Works off one caller's changes in their order.
async fn work_off(shared: Arc<Shared>, mut jobs: UnboundedReceiver<Job>) {
    let (mut is_slow, mut timeouts) = (false, 0);
    loop {
        let job = match tokio::time::timeout(IDLE_TIMEOUT, jobs.recv()).await {
            Ok(Some(job)) => job,
            Ok(None) => return,
            Err(_) => {
                jobs.close();
                // What came in between is still worked off.
                match jobs.recv().await {
                    Some(job) => job,
                    None => return,
                }
            }
        };
        if job.recipients.iter().all(|(subscriber, _)| subscriber.has_ended()) {
            continue;
        }
        let turns = if is_slow { &shared.slow } else { &shared.fast };
        let Ok(_turn) = turns.acquire().await else { return };
        let begun = Instant::now();
        let delivery = deliver::deliver(&shared.database, &shared.patterns, &job.change, &job.recipients);
        match AssertUnwindSafe(delivery).catch_unwind().await {
            Ok(Outcome::Told) => timeouts = 0,
            Ok(Outcome::TimedOut) => timeouts += 1,
            Err(panic) => tracing::error!(panic = panic_text(&*panic), "a change could not be delivered"),
        }
        is_slow = begun.elapsed() > SLOW_CHECK_TIME;
        if timeouts >= MAX_CONSECUTIVE_TIMEOUTS {
            tracing::warn!(
                table = job.change.table.name,
                "the policies of a table take too long: subscriptions are ended"
            );
            for (subscriber, _) in &job.recipients {
                subscriber.end("The policies of the table take too long");
            }
            timeouts = 0;
        }
    }
}
