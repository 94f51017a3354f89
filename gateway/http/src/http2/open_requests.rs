//! Counts the requests of an HTTP/2 connection that have begun and not ended.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// Number of open requests of a connection. Clones share the number.
#[derive(Clone, Debug)]
pub(super) struct OpenRequests(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    count: usize,
    /// Time at which the last request ended, or the connection began.
    idle_since: Instant,
}

impl Default for OpenRequests {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(State { count: 0, idle_since: Instant::now() })))
    }
}

impl OpenRequests {
    /// Returns the number of open requests.
    pub(super) fn count(&self) -> usize {
        self.state().count
    }

    /// Counts a request as open until the returned value is dropped.
    pub(super) fn open(&self) -> OpenRequest {
        self.state().count += 1;
        OpenRequest(self.clone())
    }

    /// Waits until there was no open request for `duration`. The time before this call does not count.
    pub(super) async fn idle_for(&self, duration: Duration) {
        let begun = Instant::now();
        loop {
            let now = Instant::now();
            let idle_since = match &*self.state() {
                State { count: 0, idle_since } => begun.max(*idle_since),
                _ => now,
            };
            let deadline = idle_since + duration;
            if deadline <= now {
                return;
            }
            sleep_until(deadline).await;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An open request. The request has ended when this value is dropped.
#[derive(Debug)]
pub(super) struct OpenRequest(OpenRequests);

impl Drop for OpenRequest {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.count = state.count.saturating_sub(1);
        state.idle_since = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDLE: Duration = Duration::from_secs(30);

    #[tokio::test(start_paused = true)]
    async fn a_connection_without_requests_is_idle_after_the_timeout() {
        let begun = Instant::now();
        OpenRequests::default().idle_for(IDLE).await;
        assert_eq!(begun.elapsed(), IDLE);
    }

    #[tokio::test(start_paused = true)]
    async fn an_open_request_keeps_the_connection_and_its_end_begins_the_timeout() {
        let (requests, begun) = (OpenRequests::default(), Instant::now());
        let (first, second) = (requests.open(), requests.open());
        assert_eq!(requests.count(), 2);
        let ending = tokio::spawn(async move {
            tokio::time::sleep(IDLE * 3).await;
            drop(first);
            tokio::time::sleep(Duration::from_secs(5)).await;
            drop(second);
        });
        requests.idle_for(IDLE).await;
        assert_eq!((begun.elapsed(), requests.count()), (IDLE * 4 + Duration::from_secs(5), 0));
        ending.await.unwrap();
    }
}
