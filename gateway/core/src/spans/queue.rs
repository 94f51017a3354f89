//! Bounded queue of finished spans, which the exporter empties in batches.

use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::timeout;

use super::Finished;
use crate::metrics;

/// Maximum number of queued spans. If the queue is full, new spans are discarded. A span takes about half a kilobyte.
const MAX_WAITING: usize = 8192;
/// Maximum number of spans in a batch for the exporter, as in OpenTelemetry's own exporters.
const MAX_BATCH_SPANS: usize = 512;

/// Queue of finished spans.
#[derive(Debug, Default)]
pub struct Queue {
    waiting: Mutex<Vec<Finished>>,
    /// Notified when the queue contains [`MAX_BATCH_SPANS`] spans, a full batch.
    full: Notify,
}

impl Queue {
    pub(super) fn push(&self, span: Finished) {
        let mut waiting = self.waiting();
        if waiting.len() >= MAX_WAITING {
            drop(waiting);
            metrics::SPANS_DROPPED.inc();
            return;
        }
        waiting.push(span);
        let is_full = waiting.len() == MAX_BATCH_SPANS;
        drop(waiting);
        if is_full {
            self.full.notify_one();
        }
    }

    /// Waits until the queue contains `MAX_BATCH_SPANS` spans, but no longer than `patience`. Then removes and returns the oldest spans of
    /// the queue, at most `MAX_BATCH_SPANS`.
    pub async fn next(&self, patience: Duration) -> Vec<Finished> {
        let is_short = self.waiting().len() < MAX_BATCH_SPANS;
        if is_short {
            // The result of the wait is not needed: after a notification and after a timeout alike, the queued spans are returned.
            let _ = timeout(patience, self.full.notified()).await;
        }
        self.take()
    }

    /// Removes and returns the oldest spans of the queue without waiting, at most `MAX_BATCH_SPANS`.
    pub fn take(&self) -> Vec<Finished> {
        let mut waiting = self.waiting();
        if waiting.len() <= MAX_BATCH_SPANS {
            return mem::take(&mut *waiting);
        }
        waiting.drain(..MAX_BATCH_SPANS).collect()
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<Finished>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;
    use crate::spans::Kind;
    use crate::trace_context::TraceContext;

    fn span() -> Finished {
        Finished {
            context: TraceContext::begin(),
            parent: None,
            name: "x".into(),
            kind: Kind::Client,
            started: SystemTime::now(),
            duration: Duration::ZERO,
            attributes: Vec::new(),
            failed: false,
        }
    }

    #[tokio::test]
    async fn what_is_beyond_the_bound_is_lost_and_counted() {
        let queue = Queue::default();
        let before = metrics::SPANS_DROPPED.get();
        (0..MAX_WAITING + 3).for_each(|_| queue.push(span()));
        assert_eq!(metrics::SPANS_DROPPED.get() - before, 3);
        let mut taken = 0;
        loop {
            let batch = queue.next(Duration::ZERO).await.len();
            if batch == 0 {
                break;
            }
            assert!(batch <= MAX_BATCH_SPANS);
            taken += batch;
        }
        assert_eq!(taken, MAX_WAITING);
    }
}
