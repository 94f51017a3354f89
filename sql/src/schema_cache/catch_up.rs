//! Lets a request wait until the schema cache contains every schema change that was committed before the request.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::time::timeout;

/// Longest wait of a request. Afterwards the request uses the present schema cache.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// Requests that wait, numbered in order. All requests that wait at the same time share one round trip to the database.
#[derive(Debug, Default)]
pub(super) struct CatchUp {
    /// Number of the last request.
    requested: AtomicU64,
    wake: Notify,
    /// Number of the last request that waits no longer.
    done: watch::Sender<u64>,
}

impl CatchUp {
    /// Waits until [`Self::finish`] was called for this request, at most [`MAX_WAIT`].
    pub(super) async fn wait(&self) {
        let number = self.requested.fetch_add(1, Ordering::AcqRel) + 1;
        let mut done = self.done.subscribe();
        self.wake.notify_one();
        let _ = timeout(MAX_WAIT, done.wait_for(|done| *done >= number)).await;
    }

    /// Waits until a request waits, and returns the number of the last one.
    pub(super) async fn requested(&self) -> u64 {
        self.wake.notified().await;
        self.requested.load(Ordering::Acquire)
    }

    /// Ends the wait of the requests up to `number`.
    pub(super) fn finish(&self, number: u64) {
        self.done.send_replace(number);
    }
}
