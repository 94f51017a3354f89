//! Makes a request wait until the schema cache contains every schema change that was committed before the request.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::time::timeout;

/// Maximum time that a request waits for the schema cache. After this time, the request uses the schema cache as it is.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// Requests that wait for the schema cache, numbered in the order of their arrival. One round trip to the database serves all requests that
/// wait at the same time.
#[derive(Debug, Default)]
pub(super) struct CatchUp {
    /// Number of the request that began to wait last.
    requested: AtomicU64,
    wake: Notify,
    /// Number with which [`CatchUp::finish`] was called last: the requests up to this number no longer wait.
    done: watch::Sender<u64>,
}

impl CatchUp {
    /// Registers a request that waits, and returns when [`Self::finish`] was called for its number, or after [`MAX_WAIT`].
    pub(super) async fn wait(&self) {
        let number = self.requested.fetch_add(1, Ordering::AcqRel) + 1;
        let mut done = self.done.subscribe();
        self.wake.notify_one();
        let _ = timeout(MAX_WAIT, done.wait_for(|done| *done >= number)).await;
    }

    /// Completes as soon as at least one request waits. Returns the number of the request that began to wait last.
    pub(super) async fn requested(&self) -> u64 {
        self.wake.notified().await;
        self.requested.load(Ordering::Acquire)
    }

    /// Ends the wait of all requests up to `number`, because the schema cache is current.
    pub(super) fn finish(&self, number: u64) {
        self.done.send_replace(number);
    }
}
