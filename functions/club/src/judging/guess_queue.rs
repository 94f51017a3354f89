//! Queues guesses of the judges' password for each client, and processes them one at a time.
//!
//! A client is a device on which a judge has signed in before, or a network: an IPv4 address or an IPv6 /64 ([`super::device_token`]). A
//! guess waits only for earlier guesses of its own client. If the request of a guess is cancelled, the guess leaves the queue. Therefore
//! the right password is accepted within seconds, regardless of other clients' guesses.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Minimum time between two password guesses of one client, which limits a client to 100 guesses per second.
const GUESS_INTERVAL: Duration = Duration::from_millis(10);
/// Maximum number of waiting password guesses of one client. The last guess in a full queue waits for about five seconds.
const MAX_WAITING_PER_CLIENT: usize = 512;
/// Wait time of the last password guess in a full queue. If the queue is full, the response contains this time as `Retry-After`.
pub(super) const MAX_WAIT: Duration = Duration::from_secs(5);
/// Maximum number of waiting password guesses of all clients together.
const MAX_WAITING: usize = 8192;

/// For each client, the queue of password guesses that wait or are being checked.
#[derive(Clone, Debug)]
pub(super) struct GuessQueue {
    clients: Arc<Mutex<HashMap<String, ClientQueue>>>,
    all: Arc<Semaphore>,
}

#[derive(Clone, Debug)]
struct ClientQueue {
    places: Arc<Semaphore>,
    turn: Arc<Semaphore>,
}

/// Place of a password guess in the queue of its client. The client's queue is deleted when the last place in it is dropped.
#[derive(Debug)]
pub(super) struct Place {
    queues: GuessQueue,
    client: String,
    queue: ClientQueue,
    permits: Option<(OwnedSemaphorePermit, OwnedSemaphorePermit)>,
}

impl Default for GuessQueue {
    fn default() -> Self {
        Self { clients: Arc::default(), all: Arc::new(Semaphore::new(MAX_WAITING)) }
    }
}

impl GuessQueue {
    /// Returns a place in the client's queue, or `None` if the client's queue or all queues together are full.
    pub(super) fn enter(&self, client: String) -> Option<Place> {
        let all = Arc::clone(&self.all).try_acquire_owned().ok()?;
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        let queue = clients.entry(client.clone()).or_insert_with(|| ClientQueue {
            places: Arc::new(Semaphore::new(MAX_WAITING_PER_CLIENT)),
            turn: Arc::new(Semaphore::new(1)),
        });
        let own = Arc::clone(&queue.places).try_acquire_owned().ok()?;
        Some(Place { queues: self.clone(), client, queue: queue.clone(), permits: Some((all, own)) })
    }
}

impl Place {
    /// Waits for the client's earlier guesses, then runs this guess. The client's next guess starts no sooner than [`GUESS_INTERVAL`] after the start
    /// of this guess.
    pub(super) async fn run_in_turn<T>(self, guess: impl Future<Output = T>) -> T {
        // The semaphore is never closed, so `acquire` does not fail.
        let _turn = self.queue.turn.acquire().await.ok();
        let (done, ()) = tokio::join!(guess, tokio::time::sleep(GUESS_INTERVAL));
        done
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.permits = None;
        let mut clients = self.queues.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if self.queue.places.available_permits() == MAX_WAITING_PER_CLIENT {
            clients.remove(&self.client);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use futures_util::future::{join_all, poll_immediate};

    use super::*;

    #[tokio::test]
    async fn a_client_waits_for_its_own_guesses_only() {
        let queues = GuessQueue::default();
        let enter = |client: &str| queues.enter(client.to_owned());
        let never = std::future::pending::<()>();
        let mut busy = Box::pin(enter("network").unwrap().run_in_turn(never));
        assert!(poll_immediate(&mut busy).await.is_none());
        let waiting: Vec<_> = std::iter::from_fn(|| enter("network")).collect();
        assert_eq!(waiting.len(), MAX_WAITING_PER_CLIENT - 1, "a queue is bounded");

        assert_eq!(enter("another").unwrap().run_in_turn(std::future::ready(1)).await, 1);
        // Dropping the future of a guess frees the guess's place in the queue, so later guesses proceed.
        drop(busy);
        let mut order = Mutex::new(Vec::new());
        let taken = waiting.into_iter().take(3).enumerate();
        join_all(taken.map(|(number, place)| {
            let order = &order;
            place.run_in_turn(async move { order.lock().unwrap().push(number) })
        }))
        .await;
        assert_eq!(*order.get_mut().unwrap(), [0, 1, 2]);
        assert!(queues.clients.lock().unwrap().is_empty(), "clients that have left are forgotten");
        assert_eq!(queues.all.available_permits(), MAX_WAITING);
    }

    #[tokio::test]
    async fn all_clients_together_have_so_many_places() {
        let queues = GuessQueue::default();
        let places: Vec<_> = (0..=MAX_WAITING).map_while(|client| queues.enter(client.to_string())).collect();
        assert_eq!(places.len(), MAX_WAITING);
        drop(places);
        assert!(queues.enter("one more".to_owned()).is_some());
    }

    /// Runs with a paused clock, which advances only when all tasks are idle.
    #[tokio::test(start_paused = true)]
    async fn guesses_of_one_client_are_looked_at_one_by_one_and_at_a_pace() {
        let queues = GuessQueue::default();
        let (begun, is_busy) = (tokio::time::Instant::now(), AtomicBool::new(false));
        join_all((0..20).map(|_| {
            let place = queues.enter("network".to_owned()).unwrap();
            place.run_in_turn(async {
                assert!(!is_busy.swap(true, Ordering::Relaxed), "another one is looked at");
                tokio::task::yield_now().await;
                is_busy.store(false, Ordering::Relaxed);
            })
        }))
        .await;
        assert_eq!(begun.elapsed(), 20 * GUESS_INTERVAL);
    }
}
