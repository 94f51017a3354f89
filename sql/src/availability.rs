//! Whether the server behind a login serves, and which of several hosts it is. Shared by all clones of the login, so that whoever waits for
//! a lost server learns of it, and connections are opened to the new primary from then on.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use sqlx::postgres::{PgConnectOptions, PgPool};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::login::{Address, Login};

/// How long work that has begun may still wait for a server that is lost: most restarts and some failovers are shorter.
const GRACE: Duration = Duration::from_secs(1);
/// How long it may still run after a loss has ended: its connection may lead to a server that will never answer.
const AFTER_LOSS: Duration = Duration::from_secs(3);

/// The state of the server behind a login. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Availability(Arc<State>);

#[derive(Debug, Default)]
struct State {
    /// The chosen host's index plus one; 0 before one is chosen.
    chosen: AtomicUsize,
    server: watch::Sender<Server>,
    /// When it served again after it was last lost.
    restored: ArcSwapOption<Instant>,
    /// Pools whose connections go to the chosen host.
    pools: Mutex<Vec<(PgPool, Login)>>,
}

#[derive(Debug, Default)]
struct Server {
    /// Why it is lost; `None` while it serves.
    lost: Option<Arc<str>>,
    /// How often it has been lost and served again.
    losses: u64,
}

impl Availability {
    /// Says that the server does not serve, and why.
    pub fn set_lost(&self, reason: &str) {
        self.0.server.send_modify(|server| server.lost = Some(reason.into()));
    }

    /// Says that the server serves. Connections from before a loss are not used again.
    pub fn set_serving(&self) {
        if self.is_lost() {
            self.set_replaced();
        }
    }

    /// Says that the server serves, and that connections from before may lead to another one.
    pub fn set_replaced(&self) {
        self.0.restored.store(Some(Arc::new(Instant::now())));
        self.0.server.send_modify(|server| {
            server.lost = None;
            server.losses += 1;
        });
    }

    /// Why the server is lost; `None` while it serves.
    #[must_use]
    pub fn reason(&self) -> Option<Arc<str>> {
        self.0.server.borrow().lost.clone()
    }

    /// Whether the server is lost.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.0.server.borrow().lost.is_some()
    }

    /// Ends when work that began with the call should be given up: the server has been lost for a second, or is another one since three
    /// seconds. Never while the server serves.
    pub async fn outage(&self) {
        let mut server = self.0.server.subscribe();
        let losses = server.borrow().losses;
        // The sender is part of this value, so neither wait can fail.
        let _ = server.wait_for(|server| server.lost.is_some() || server.losses != losses).await;
        if timeout(GRACE, server.wait_for(|server| server.lost.is_none())).await.is_ok() {
            tokio::time::sleep(AFTER_LOSS).await;
        }
    }

    /// Ends as soon as the server is lost.
    pub async fn loss(&self) {
        // The sender is part of this value, so the wait cannot fail.
        let _ = self.0.server.subscribe().wait_for(|server| server.lost.is_some()).await;
    }

    /// Whether a connection was opened before the last loss ended: it may lead to a server that is no primary any more.
    #[must_use]
    pub fn is_outdated(&self, opened: Instant) -> bool {
        self.0.restored.load().as_deref().is_some_and(|restored| opened < *restored)
    }

    /// The chosen one of `hosts`.
    pub(crate) fn chosen<'a>(&self, hosts: &'a [(Address, u16)]) -> Option<&'a (Address, u16)> {
        hosts.get(self.0.chosen.load(Ordering::Relaxed).checked_sub(1)?)
    }

    /// Chooses a host by its index. Returns whether it is another one than before.
    pub(crate) fn choose(&self, index: usize) -> bool {
        let is_other = self.0.chosen.swap(index + 1, Ordering::Relaxed) != index + 1;
        if is_other {
            for (pool, login) in lock(&self.0.pools).iter() {
                let name = pool.connect_options().get_application_name().map(str::to_owned);
                let login = Login { availability: self.clone(), ..login.clone() };
                pool.set_connect_options(named(login.sqlx_options(), name.as_deref()));
            }
        }
        is_other
    }

    /// Lets a pool follow the chosen host.
    pub(crate) fn follow(&self, pool: &PgPool, login: &Login) {
        // A state of its own: the pool's end must not wait for itself.
        let login = Login { availability: Self::default(), ..login.clone() };
        lock(&self.0.pools).push((pool.clone(), login));
    }
}

fn named(options: PgConnectOptions, name: Option<&str>) -> PgConnectOptions {
    match name {
        Some(name) => options.application_name(name),
        None => options,
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn an_outage_is_a_loss_that_lasts() {
        let availability = Availability::default();
        assert!(timeout(Duration::from_secs(60), availability.outage()).await.is_err(), "nothing is lost");
        availability.set_lost("gone");
        let short = async {
            tokio::time::sleep(GRACE / 2).await;
            availability.set_serving();
        };
        let (outcome, ()) = tokio::join!(timeout(GRACE * 2, availability.outage()), short);
        assert!(outcome.is_err(), "it came back in time");
        availability.set_lost("gone");
        assert!(timeout(GRACE * 2, availability.outage()).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn what_waits_for_a_server_that_was_replaced_is_given_up() {
        let availability = Availability::default();
        let waiting = availability.outage();
        tokio::pin!(waiting);
        assert!(timeout(Duration::from_secs(1), &mut waiting).await.is_err());
        availability.set_replaced();
        let begun_later = timeout(Duration::from_secs(60), availability.outage());
        let (given_up, begun_later) = tokio::join!(timeout(AFTER_LOSS * 2, waiting), begun_later);
        assert!(given_up.is_ok() && begun_later.is_err());
    }

    #[test]
    fn connections_from_before_a_loss_are_outdated() {
        let (availability, before) = (Availability::default(), Instant::now());
        availability.set_serving();
        assert!(!availability.is_outdated(before), "nothing was lost");
        availability.set_lost("gone");
        assert_eq!(availability.reason().as_deref(), Some("gone"));
        availability.set_serving();
        assert!(availability.is_outdated(before));
        assert!(!availability.is_outdated(Instant::now()));
        assert!(!availability.is_lost());
    }
}
