//! Guesses at the judges' password, one at a time for each client.
//!
//! A client is a device that was in before, or else a network. Whoever guesses fast waits for their own turns, and for nobody
//! else's; who stops waiting has no turn. So a right password opens within seconds, whatever else comes from the same network.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The time between two guesses of one client: at most a hundred in a second.
const PACE: Duration = Duration::from_millis(10);
/// Guesses of one client that may wait: the last one's turn comes after five seconds.
const WAITING_PER_CLIENT: usize = 512;
/// When a guess for which there was no place may come again.
pub(super) const LONGEST_WAIT: Duration = Duration::from_secs(5);
/// Guesses of all clients that may wait.
const WAITING: usize = 8192;

/// The clients that guess at this moment.
#[derive(Clone, Debug)]
pub(crate) struct Turns {
    clients: Arc<Mutex<HashMap<String, Line>>>,
    all: Arc<Semaphore>,
}

/// The guesses of one client.
#[derive(Clone, Debug)]
struct Line {
    places: Arc<Semaphore>,
    turn: Arc<Semaphore>,
}

/// A place in a client's line. The line is forgotten with its last place.
#[derive(Debug)]
pub(super) struct Place {
    turns: Turns,
    client: String,
    line: Line,
    held: Option<(OwnedSemaphorePermit, OwnedSemaphorePermit)>,
}

impl Default for Turns {
    fn default() -> Self {
        Self { clients: Arc::default(), all: Arc::new(Semaphore::new(WAITING)) }
    }
}

impl Turns {
    /// A place in the client's line; none when it is full.
    pub(super) fn enter(&self, client: String) -> Option<Place> {
        let all = Arc::clone(&self.all).try_acquire_owned().ok()?;
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        let line = clients.entry(client.clone()).or_insert_with(|| Line {
            places: Arc::new(Semaphore::new(WAITING_PER_CLIENT)),
            turn: Arc::new(Semaphore::new(1)),
        });
        let own = Arc::clone(&line.places).try_acquire_owned().ok()?;
        Some(Place { turns: self.clone(), client, line: line.clone(), held: Some((all, own)) })
    }
}

impl Place {
    /// Waits for the client's turn, works, and leaves the next turn to come when its time has.
    pub(super) async fn take_turn<T>(self, work: impl Future<Output = T>) -> T {
        // Nobody closes it.
        let _turn = self.line.turn.acquire().await.ok();
        let (done, ()) = tokio::join!(work, tokio::time::sleep(PACE));
        done
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.held = None;
        let mut clients = self.turns.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if self.line.places.available_permits() == WAITING_PER_CLIENT {
            clients.remove(&self.client);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use futures_util::future::{join_all, poll_immediate};

    use super::*;

    #[tokio::test]
    async fn a_client_waits_for_its_own_turns_only() {
        let turns = Turns::default();
        let enter = |client: &str| turns.enter(client.to_owned());
        let never = std::future::pending::<()>();
        let mut busy = Box::pin(enter("network").unwrap().take_turn(never));
        assert!(poll_immediate(&mut busy).await.is_none());
        let waiting: Vec<_> = std::iter::from_fn(|| enter("network")).collect();
        assert_eq!(waiting.len(), WAITING_PER_CLIENT - 1, "a line has an end");

        assert_eq!(enter("another").unwrap().take_turn(std::future::ready(1)).await, 1);
        // Who leaves makes room, for those behind as well.
        drop(busy);
        let mut order = Mutex::new(Vec::new());
        let taken = waiting.into_iter().take(3).enumerate();
        join_all(taken.map(|(number, place)| {
            let order = &order;
            place.take_turn(async move { order.lock().unwrap().push(number) })
        }))
        .await;
        assert_eq!(*order.get_mut().unwrap(), [0, 1, 2]);
        assert!(turns.clients.lock().unwrap().is_empty(), "clients that have left are forgotten");
        assert_eq!(turns.all.available_permits(), WAITING);
    }
}
