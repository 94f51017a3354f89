//! Availability of the PostgreSQL server of a login and, for a login with several hosts, the host in use. All clones of a login share this
//! state. When the server is lost, all clones end their waiting requests, and later open new connections to the new primary.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use sqlx::postgres::{PgConnectOptions, PgPool};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::login::{Address, Login};

/// Time after the loss of the PostgreSQL server for which running requests wait for the server, before they are ended. Most restarts and
/// some failovers take less time.
const GRACE: Duration = Duration::from_secs(1);
/// Time after which running requests are ended when a lost PostgreSQL server is available again. They are ended because their connections
/// may lead to a host that will never respond.
const AFTER_LOSS: Duration = Duration::from_secs(3);

/// Availability of the PostgreSQL server of a login, and the host in use. Clones share this state.
#[derive(Clone, Debug, Default)]
pub struct Availability(Arc<State>);

#[derive(Debug, Default)]
struct State {
    /// Index of the host in use among the login's hosts, plus one; 0 before a host is chosen.
    chosen: AtomicUsize,
    server: watch::Sender<Server>,
    /// Time at which the PostgreSQL server became available again after the last loss.
    restored: ArcSwapOption<Instant>,
    /// sqlx pools with their logins. When another host is chosen, the connect options of these pools are updated.
    pools: Mutex<Vec<(PgPool, Login)>>,
}

#[derive(Debug, Default)]
struct Server {
    /// Reason why the PostgreSQL server was lost; `None` while the server is available.
    lost: Option<Arc<str>>,
    /// Number of times that the PostgreSQL server became available again or was replaced. A waiting request compares this number with its
    /// value at the beginning of the wait.
    losses: u64,
}

impl Availability {
    /// Marks the PostgreSQL server as lost for the given reason.
    pub fn set_lost(&self, reason: &str) {
        self.0.server.send_modify(|server| server.lost = Some(reason.into()));
    }

    /// Marks the PostgreSQL server as available. If the server was lost, all existing connections become outdated.
    pub fn set_serving(&self) {
        if self.is_lost() {
            self.set_replaced();
        }
    }

    /// Marks the PostgreSQL server as available and all existing connections as outdated, because they may lead to the previous server.
    pub fn set_replaced(&self) {
        self.0.restored.store(Some(Arc::new(Instant::now())));
        self.0.server.send_modify(|server| {
            server.lost = None;
            server.losses += 1;
        });
    }

    /// Returns the reason why the PostgreSQL server is lost; `None` while the server is available.
    #[must_use]
    pub fn reason(&self) -> Option<Arc<str>> {
        self.0.server.borrow().lost.clone()
    }

    /// Whether the PostgreSQL server is lost.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.0.server.borrow().lost.is_some()
    }

    /// Completes when a request that began at the time of the call must be ended. Stays pending while the server is available. If the
    /// server is lost, completes after one second. If the server is replaced, or becomes available again within this second, completes
    /// three seconds later.
    pub async fn outage(&self) {
        let mut server = self.0.server.subscribe();
        let losses = server.borrow().losses;
        // The sender of the channel is part of `self`, so no wait for the channel can fail.
        let _ = server.wait_for(|server| server.lost.is_some() || server.losses != losses).await;
        if timeout(GRACE, server.wait_for(|server| server.lost.is_none())).await.is_ok() {
            tokio::time::sleep(AFTER_LOSS).await;
        }
    }

    /// Completes as soon as the PostgreSQL server cannot be reached.
    pub async fn loss(&self) {
        // The sender of the channel is part of `self`, so the wait cannot fail.
        let _ = self.0.server.subscribe().wait_for(|server| server.lost.is_some()).await;
    }

    /// Whether a connection that was opened at the time `opened` is older than the last recovery or replacement of the PostgreSQL server.
    /// Such a connection may lead to a server that is no longer the primary.
    #[must_use]
    pub fn is_outdated(&self, opened: Instant) -> bool {
        self.0.restored.load().as_deref().is_some_and(|restored| opened < *restored)
    }

    /// Returns the host in use from the login's `hosts`; `None` before a host is chosen.
    pub(crate) fn chosen<'a>(&self, hosts: &'a [(Address, u16)]) -> Option<&'a (Address, u16)> {
        hosts.get(self.0.chosen.load(Ordering::Relaxed).checked_sub(1)?)
    }

    /// Chooses the host with the index `index`. If another host was in use, updates the registered pools and returns true.
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

    /// Registers a pool. Whenever [`Self::choose`] chooses another host, it updates the pool's connect options.
    pub(crate) fn follow(&self, pool: &PgPool, login: &Login) {
        // Give the pool's login a new `Availability`, to avoid a reference cycle: `self` holds the login, which would otherwise hold
        // `self`.
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
