//! Counts the rows that visitors (role `anon`) write, separately for each network (an IPv4 address or an IPv6 /64). A node leases rows for
//! a network from the database, and the database counts leased rows as written. The node then counts the rows of its writes in memory,
//! without accessing the database.
//!
//! A lease is acquired in a short separate transaction, so that writes hold no lock that other writes wait for. A node returns the rows of
//! a lease that were not used for some time. If a node is killed, the unused rows of its leases stay counted until the hour is over.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use cloch_core::supervise::supervise;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::error::ApiError;
use cloch_sql::client::{BatchStatement, ClientError, Param, Pool, Rows};

/// Limits the number of rows that a lease contains in addition to the rows that a request needs: at most 1/64 of the rows that the network
/// may write per hour.
const MAX_LEASE_PART: u32 = 64;
/// Time without a write after which the unused rows of a lease are returned to the database.
const IDLE_TIME: Duration = Duration::from_secs(20);
/// Interval between searches for unused row leases.
const SWEEP_INTERVAL: Duration = Duration::from_secs(5);
/// Duration for which a rejected reservation also rejects further requests that need at least as many rows, so that these requests do not
/// access the database.
const REFUSED_FOR: Duration = Duration::from_secs(1);
/// Maximum number of networks (IPv4 addresses or IPv6 /64s) in memory. If this number is reached, a request from another network leases
/// exactly the rows that it needs.
const MAX_NETWORKS: usize = 16_384;
/// Timeout for returning the row leases at the end of the process.
const END_TIMEOUT: Duration = Duration::from_secs(2);

const LEASE: &str = "select granted, wait_seconds from cloch.lease_visitor_rows($1, $2::int, $3::int, $4::int)";
const RETURN: &str = "select cloch.return_visitor_rows($1, $2::int)";

/// Rows that this node has leased from the database, for each network.
#[derive(Debug, Clone)]
pub(super) struct VisitorRows {
    pool: Pool,
    networks: Arc<Mutex<HashMap<Arc<str>, Arc<Network>>>>,
}

#[derive(Debug)]
struct Network {
    name: Arc<str>,
    account: Mutex<Account>,
    /// Lock that is held while a row lease is acquired, so that each network acquires one lease at a time.
    leasing: tokio::sync::Mutex<()>,
    /// Notification for waiting writes that a reservation of this network has ended.
    ended: Notify,
}

#[derive(Debug)]
struct Account {
    /// Number of leased rows that are not reserved for a write.
    left: u32,
    /// Number of reservations of this network that have not ended.
    reservations: usize,
    /// Number of rows that the next lease contains in addition to the needed rows. The number doubles if the rows of the previous lease
    /// were used up quickly.
    ahead: u32,
    leased: Option<Instant>,
    used: Instant,
    /// Last rejected reservation: its time, the minimum number of rows that the write needed, and the time in seconds after which the
    /// client may retry.
    refused: Option<(Instant, u32, u32)>,
}

/// Rows that are reserved for a write. If the reservation is dropped without [`Reservation::spend`], all its rows count as written, because
/// PostgreSQL may complete the write after the client has disconnected.
#[derive(Debug)]
pub(super) struct Reservation {
    network: Arc<Network>,
    rows: u32,
}

impl Reservation {
    pub(super) fn rows(&self) -> u32 {
        self.rows
    }

    /// Ends the reservation of a write that has written `written` rows. The unused rows of the reservation become available again.
    pub(super) fn spend(mut self, written: u32) {
        let unused = self.rows.saturating_sub(written);
        self.rows -= unused;
        self.network.account().left += unused;
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.network.account().reservations -= 1;
        self.network.ended.notify_waiters();
    }
}

impl Network {
    fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            account: Mutex::new(Account {
                left: 0,
                reservations: 0,
                ahead: 0,
                leased: None,
                used: Instant::now(),
                refused: None,
            }),
            leasing: tokio::sync::Mutex::default(),
            ended: Notify::new(),
        }
    }

    fn account(&self) -> MutexGuard<'_, Account> {
        self.account.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reserves `most` of the leased rows. If fewer are available, reserves all available rows. Returns `None` if fewer than `least` rows
    /// are available.
    fn take(self: &Arc<Self>, least: u32, most: u32) -> Option<Reservation> {
        let mut account = self.account();
        let rows = most.min(account.left);
        if rows < least {
            return None;
        }
        account.left -= rows;
        account.reservations += 1;
        account.used = Instant::now();
        Some(Reservation { network: Arc::clone(self), rows })
    }
}

impl VisitorRows {
    /// Starts counting the rows that visitors write. The login of `pool` must be allowed to call the lease functions. A background task
    /// returns unused leases until `shutdown`, and then returns all leases.
    pub(super) fn start(pool: Pool, shutdown: CancellationToken) -> Self {
        let rows = Self { pool, networks: Arc::default() };
        let (sweeper, stop) = (rows.clone(), shutdown.clone());
        tokio::spawn(supervise("visitors' leases", shutdown, move || {
            let (rows, stop) = (sweeper.clone(), stop.clone());
            async move {
                while stop.run_until_cancelled(tokio::time::sleep(SWEEP_INTERVAL)).await.is_some() {
                    rows.give_back(IDLE_TIME).await;
                }
                // If the timeout expires, the unreturned rows stay counted in the database.
                _ = tokio::time::timeout(END_TIMEOUT, rows.give_back(Duration::ZERO)).await;
            }
        }));
        rows
    }

    /// Reserves rows for a write from `network`, which may write `allowed` rows in an hour. Reserves `most` rows; if fewer are left,
    /// reserves all remaining rows.
    ///
    /// # Errors
    /// Fails with the time to wait if fewer than `least` rows are left, or if the database is unreachable.
    pub(super) async fn reserve(
        &self,
        network: &str,
        least: u32,
        most: u32,
        allowed: u32,
    ) -> Result<Reservation, ApiError> {
        let network = self.network(network);
        loop {
            if let Some(reservation) = network.take(most, most) {
                return Ok(reservation);
            }
            let ended = network.ended.notified();
            let leasing = network.leasing.lock().await;
            if let Some(reservation) = network.take(most, most) {
                return Ok(reservation);
            }
            let refused =
                network.account().refused.filter(|(at, rows, _)| at.elapsed() < REFUSED_FOR && *rows <= least);
            if let Some((.., wait)) = refused {
                return Err(ApiError::rows_of_network(allowed, wait));
            }
            let wait = self.lease(&network, least, most, allowed).await?.max(1);
            if let Some(reservation) = network.take(least, most) {
                return Ok(reservation);
            }
            drop(leasing);
            {
                let mut account = network.account();
                if account.reservations == 0 {
                    account.refused = Some((Instant::now(), least, wait));
                    return Err(ApiError::rows_of_network(allowed, wait));
                }
            }
            // Wait for other reservations of the network to end: most writes need fewer rows than they reserve, and failed writes release
            // all reserved rows.
            ended.await;
        }
    }

    /// Leases from the database the rows that a write needs in addition to the available rows, and some rows in advance. Returns the time
    /// in seconds after which the network may write enough rows. This time is meaningful only if the database has granted too few rows.
    async fn lease(&self, network: &Network, least: u32, most: u32, allowed: u32) -> Result<u32, ApiError> {
        let (least, most) = {
            let mut account = network.account();
            let left = account.left;
            let is_busy = account.leased.replace(Instant::now()).is_some_and(|at| at.elapsed() < IDLE_TIME);
            let doubled = account.ahead.saturating_mul(2).max(most).min(allowed / MAX_LEASE_PART);
            account.ahead = if is_busy { doubled } else { 0 };
            (least.saturating_sub(left), (most - left.min(most)).saturating_add(account.ahead))
        };
        let numbers = [least, most, allowed].map(|number| Param::unknown(number.to_string()));
        let parameters: Vec<Param> = std::iter::once(Param::unknown(network.name.to_string())).chain(numbers).collect();
        let mut rows = Rows::default();
        let leased = self.run(LEASE, &parameters, &mut rows).await;
        leased.map_err(|error| ApiError::database(error, true))?;
        let number = |index| rows.rows().first().and_then(|row| row.text(index)?.parse::<u32>().ok());
        let (Some(granted), Some(wait)) = (number(0), number(1)) else {
            let error = ClientError::Lost("leasing rows returned no numbers".to_owned());
            return Err(ApiError::database(error, true));
        };
        network.account().left += granted;
        Ok(wait)
    }

    async fn run(&self, sql: &str, params: &[Param], rows: &mut Rows) -> Result<(), ClientError> {
        let mut connection = self.pool.get().await?;
        connection.run("", &mut [BatchStatement { sql, params, sink: Some(rows) }]).await
    }

    fn network(&self, name: &str) -> Arc<Network> {
        let mut networks = self.networks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = networks.get(name) {
            return Arc::clone(known);
        }
        let network = Arc::new(Network::new(name));
        if networks.len() < MAX_NETWORKS {
            networks.insert(Arc::clone(&network.name), Arc::clone(&network));
        }
        network
    }

    /// Returns leased rows to the database that were not used during the time `unused_for`, and removes the networks of these leases from
    /// memory.
    async fn give_back(&self, unused_for: Duration) {
        let networks: Vec<_> = {
            let networks = self.networks.lock().unwrap_or_else(PoisonError::into_inner);
            networks.values().filter(|network| network.account().used.elapsed() >= unused_for).cloned().collect()
        };
        for network in networks {
            let rows = std::mem::take(&mut network.account().left);
            if rows > 0 {
                let parameters = [Param::unknown(network.name.to_string()), Param::unknown(rows.to_string())];
                if let Err(error) = self.run(RETURN, &parameters, &mut Rows::default()).await {
                    tracing::warn!(
                        error = %error,
                        network = &*network.name,
                        rows,
                        "rest: subtracting unused rows from the hourly insert count of anonymous clients failed, clients of this network reach the limit `rows` rows earlier"
                    );
                }
            }
            self.forget(&network);
        }
    }

    /// Removes a network without available rows from memory, unless a request uses the network.
    fn forget(&self, network: &Arc<Network>) {
        let mut networks = self.networks.lock().unwrap_or_else(PoisonError::into_inner);
        // The map and the caller of this function each hold one reference. If there are more references, a request still uses the network.
        if Arc::strong_count(network) == 2 && network.account().left == 0 {
            networks.remove(&network.name);
        }
    }
}
