//! Queue of table changes between the worker task, which reads changes from PostgreSQL, and the subscribers. With the queue, the worker
//! never waits for a subscriber. Queued changes are delivered in batches, so that many changes need fewer policy checks per change.

use std::collections::BTreeSet;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use cloch_core::supervise::panic_text;
use cloch_sql::Database;
use futures_util::FutureExt;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::Instant;

use super::batch;
use super::generated;
use super::slow_caller_queue::Lanes;
use super::subscriber::Recipient;
use super::table_change::{Pending, TableChange, WaitingBytes};
use crate::counters::COUNTERS;

const MAX_BATCH_CHANGES: usize = 200;
/// Maximum size of a batch of table changes in bytes. A single change may exceed it.
const MAX_BATCH_BYTES: usize = 4 << 20;
/// Time in which changes are collected for the next batch, as a multiple of the delivery time of the last batch. The multiple is large,
/// because most of a batch's cost in PostgreSQL does not depend on the number of changes in the batch.
const GATHER_FACTOR: u32 = 10;
/// Maximum time in which changes are collected for a batch.
const MAX_GATHER_TIME: Duration = Duration::from_millis(20);
/// Maximum number of tables whose policies are checked at the same time for a batch.
const MAX_CONCURRENT_TABLES: usize = 2;

/// Sending end of the queue of table changes, which the worker task fills.
#[derive(Debug)]
pub(super) struct Pipeline {
    changes: UnboundedSender<Pending>,
    waiting_bytes: Arc<AtomicUsize>,
    max_waiting_bytes: usize,
    #[cfg(test)]
    asking: Arc<Semaphore>,
}

impl Pipeline {
    /// Starts the task that delivers queued changes to subscribers. The task ends when the returned sending end is dropped.
    pub(super) fn start(database: Database, max_waiting_bytes: usize) -> Self {
        let (changes, receiver) = unbounded_channel();
        // The policy checks of batches use only a third of the pool's connections, because the pool is shared with storage
        // and functions.
        let connections = database.callers().options().get_max_connections() as usize;
        let asking = Arc::new(Semaphore::new((connections / 3).clamp(1, MAX_CONCURRENT_TABLES)));
        tokio::spawn(run(database, Arc::clone(&asking), max_waiting_bytes, receiver));
        Self {
            changes,
            waiting_bytes: Arc::default(),
            max_waiting_bytes,
            #[cfg(test)]
            asking,
        }
    }

    /// Queues a table change. If the queue is full, the subscriptions of the change's recipients end, and their clients have to join again.
    pub(super) fn push(&self, change: TableChange, recipients: Arc<[Recipient]>) {
        COUNTERS.changes.add(1);
        match WaitingBytes::count(&self.waiting_bytes, change.bytes, self.max_waiting_bytes) {
            Some(waiting) => {
                let pending = Pending::new(change, recipients, waiting);
                // Sending cannot fail: the receiving task ends only with the program.
                let _ = self.changes.send(pending);
            }
            None => {
                tracing::warn!(
                    subscribers = recipients.len(),
                    schema = change.table.schema,
                    table = change.table.name,
                    "realtime: queue of table changes full, a change was not sent: its subscribers have to rejoin"
                );
                rejoin(&recipients, "Too many changes are waiting for this subscription");
            }
        }
    }

    /// Blocks all policy checks of batches until the returned permits are dropped.
    #[cfg(test)]
    pub(super) fn hold_all_turns(&self) -> Vec<tokio::sync::OwnedSemaphorePermit> {
        std::iter::from_fn(|| Arc::clone(&self.asking).try_acquire_owned().ok()).collect()
    }
}

async fn run(
    database: Database,
    asking: Arc<Semaphore>,
    max_waiting_bytes: usize,
    mut changes: UnboundedReceiver<Pending>,
) {
    let lanes = Lanes::new(database.clone(), max_waiting_bytes);
    let mut next = None;
    // The first change after a pause is delivered immediately.
    let mut gather_until = Instant::now();
    loop {
        // A change that did not fit into the last batch is already delayed, so its batch is delivered without collecting more changes.
        let is_behind = next.is_some();
        let first = match next.take() {
            Some(first) => first,
            None => match changes.recv().await {
                Some(first) => first,
                None => return,
            },
        };
        if !is_behind && changes.len() < MAX_BATCH_CHANGES {
            tokio::time::sleep_until(gather_until).await;
        }
        let (mut batch, left) = batch_of(first, &mut changes);
        next = left;
        let begun = Instant::now();
        let delivery = async {
            generated::complete(&database, &mut batch).await;
            batch::deliver(&database, &asking, &lanes, &batch).await;
        };
        if let Err(panic) = AssertUnwindSafe(delivery).catch_unwind().await {
            let tables = batch.iter().map(|pending| &pending.change.table);
            let tables: BTreeSet<_> = tables.map(|table| format!("{}.{}", table.schema, table.name)).collect();
            tracing::error!(
                ?tables,
                panic = panic_text(&*panic),
                changes = batch.len(),
                "realtime: sending table changes failed with an internal error (panic), the changes are lost and their subscribers have to join again"
            );
            batch.iter().for_each(|pending| rejoin(&pending.recipients, "Changes could not be delivered"));
        }
        gather_until = Instant::now() + gather_time(begun.elapsed());
    }
}

/// Returns the time in which changes are collected for the next batch. `took` is the delivery time of the last batch.
fn gather_time(took: Duration) -> Duration {
    took.saturating_mul(GATHER_FACTOR).min(MAX_GATHER_TIME)
}

/// Takes queued changes up to the limits of a batch. Returns the batch, and the first change that did not fit into the batch.
fn batch_of(first: Pending, changes: &mut UnboundedReceiver<Pending>) -> (Vec<Pending>, Option<Pending>) {
    let mut bytes = first.change.bytes;
    let mut batch = vec![first];
    while batch.len() < MAX_BATCH_CHANGES
        && let Ok(next) = changes.try_recv()
    {
        bytes += next.change.bytes;
        if bytes > MAX_BATCH_BYTES {
            return (batch, Some(next));
        }
        batch.push(next);
    }
    (batch, None)
}

fn rejoin(recipients: &[Recipient], message: &str) {
    recipients.iter().for_each(|(subscriber, _)| subscriber.end_and_rejoin(message));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_costs_little_is_not_waited_for() {
        assert_eq!(gather_time(Duration::ZERO), Duration::ZERO);
        assert_eq!(gather_time(Duration::from_micros(500)), Duration::from_millis(5));
        assert_eq!(gather_time(Duration::from_secs(1)), MAX_GATHER_TIME);
    }
}
