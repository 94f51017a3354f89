//! Connection pool of the PostgreSQL client: a bounded number of connections, divided among the CPU cores.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use cloch_core::core_id;
use futures_util::future::{join, select_all};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::connection::Connection;
use super::visitor_shares::VisitorShares;
use super::{BatchStatement, ClientError, MessageMeter};
use crate::Availability;
use crate::login::Login;
use crate::metrics;

/// Maximum size in bytes of a row for visitors (callers without a session). If PostgreSQL builds the JSON of a response, the whole response
/// body is one row.
const VISITOR_MESSAGE_BYTES: usize = 65 << 20;
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(10);
/// Part of the acquire timeout during which a request waits only for connections that belong to its own CPU core.
const OWN_CORE_TIMEOUT: Duration = Duration::from_millis(25);
/// Time for which a batch may continue to run after its request was cancelled. After this time, the batch is cancelled too. Most batches
/// end earlier. A write should not be undone only because its client did not wait for the response.
const CANCEL_AFTER: Duration = Duration::from_secs(1);
/// Maximum time to wait for the end of a cancelled batch before its connection is closed.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(10);

/// Pool of connections to one database with one login. Clones share the pool.
#[derive(Debug, Clone)]
pub struct Pool {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    login: Login,
    size: usize,
    /// One pool for each CPU core, so that the thread that waits for a response also receives it.
    cores: Box<[CorePool]>,
    visitor_shares: VisitorShares,
}

#[derive(Debug)]
struct CorePool {
    idle: Mutex<Vec<Connection>>,
    /// Permits to check out a connection: one for each connection of this CPU core's pool.
    permits: Arc<Semaphore>,
    /// Permits for connections used by visitors (callers without a session). Each CPU core has separate permits, because the release of a
    /// permit on another core would wake that core's thread.
    visitor_permits: Arc<Semaphore>,
    /// Tokio runtime of the CPU core, set at the core's first request.
    runtime: OnceLock<Handle>,
}

impl CorePool {
    fn new(connections: usize, visitors: usize) -> Self {
        Self {
            idle: Mutex::default(),
            permits: Arc::new(Semaphore::new(connections)),
            visitor_permits: Arc::new(Semaphore::new(visitors)),
            runtime: OnceLock::new(),
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes and returns an idle connection that is neither outdated, expired nor closed by the server.
    fn take_idle(&self, availability: &Availability) -> Option<Connection> {
        loop {
            let mut connection = self.idle().pop()?;
            let is_outdated = availability.is_outdated(connection.opened);
            if !is_outdated && !connection.is_expired() && !connection.is_closed() {
                return Some(connection);
            }
        }
    }
}

impl Inner {
    fn put(&self, core: usize, mut connection: Connection) {
        if let Some(core) = self.cores.get(core) {
            connection.idle_since = Instant::now();
            connection.shrink();
            core.idle().push(connection);
        }
    }
}

impl Pool {
    /// Creates a pool of at most `size` connections. Connections are opened when needed.
    #[must_use]
    pub fn new(login: Login, size: usize) -> Self {
        let size = size.max(1);
        let cores = core_id::count().min(size);
        let shares = divide(size, cores).zip(divide(visitor_share(size), cores));
        let cores = shares.map(|(connections, visitors)| CorePool::new(connections, visitors)).collect();
        Self { inner: Arc::new(Inner { login, size, cores, visitor_shares: VisitorShares::new(visitor_share(size)) }) }
    }

    /// Checks out a connection for a visitor (a caller without a session). Visitors cannot use all connections, so that their slow requests
    /// do not block other callers. If `network` is given, the visitors of this network (an IPv4 address or an IPv6 /64) cannot use all
    /// connections for visitors.
    ///
    /// # Errors
    /// See [`Pool::get`].
    pub async fn get_for_visitor(&self, network: Option<IpAddr>) -> Result<Checkout, ClientError> {
        let share = match network {
            Some(network) => {
                let free = self.inner.cores.iter().map(|core| core.visitor_permits.available_permits()).sum();
                let share = self.inner.visitor_shares.acquire(network, free);
                timeout(ACQUIRE_TIMEOUT, share).await.map_err(|_| busy())??
            }
            None => None,
        };
        let (_, permit) = self.acquire(|core| &core.visitor_permits, ACQUIRE_TIMEOUT).await?;
        let mut checkout = self.get().await?;
        checkout.visitor_permits = (Some(permit), share);
        checkout.connection()?.limit_messages(VISITOR_MESSAGE_BYTES);
        Ok(checkout)
    }

    /// Checks out a connection, which returns to the pool when the returned [`Checkout`] is dropped.
    ///
    /// # Errors
    /// Fails if no connection becomes free before the timeout, or connecting fails.
    pub async fn get(&self) -> Result<Checkout, ClientError> {
        self.get_within(ACQUIRE_TIMEOUT).await
    }

    /// Checks out a connection and waits at most `acquire_timeout` for a free connection. The connection returns to the pool when the
    /// returned [`Checkout`] is dropped.
    ///
    /// # Errors
    /// See [`Pool::get`].
    pub async fn get_within(&self, acquire_timeout: Duration) -> Result<Checkout, ClientError> {
        let (core, permit) = self.acquire(|core| &core.permits, acquire_timeout).await?;
        let mut connection = match self.live_connection(core).await {
            Some(connection) => connection,
            None => self.open(core).await?,
        };
        connection.limit_messages(usize::MAX);
        let pool = Arc::clone(&self.inner);
        Ok(Checkout { connection: Some(connection), permit: Some(permit), visitor_permits: (None, None), core, pool })
    }

    /// Removes and returns an idle connection that still works.
    async fn live_connection(&self, core: usize) -> Option<Connection> {
        let mut connection = self.inner.cores.get(core)?.take_idle(&self.inner.login.availability)?;
        if connection.is_alive().await {
            return Some(connection);
        }
        // This connection is broken. The remaining idle connections have been idle for at least as long, so they are probably broken too
        // and are closed.
        self.clear();
        None
    }

    /// Opens a connection on the tokio runtime of its CPU core, so that arriving data wakes the core's thread.
    async fn open(&self, core: usize) -> Result<Connection, ClientError> {
        let other = (core != self.own_core()).then(|| self.inner.cores.get(core)?.runtime.get()).flatten();
        let Some(runtime) = other else { return Connection::open(&self.inner.login).await };
        let pool = Arc::clone(&self.inner);
        let opening = runtime.spawn(async move { Connection::open(&pool.login).await });
        opening.await.map_err(|error| ClientError::Connect(error.to_string()))?
    }

    fn own_core(&self) -> usize {
        core_id::current() % self.inner.cores.len()
    }

    /// Acquires a permit for a connection, and returns the permit with the index of the CPU core to which it belongs. Tries a free permit
    /// of the CPU core on which the request runs (the own core), then a free permit of any core. Otherwise waits for a permit of the own
    /// core for [`OWN_CORE_TIMEOUT`], then for a permit of any core.
    async fn acquire(
        &self,
        permits: impl Fn(&CorePool) -> &Arc<Semaphore>,
        acquire_timeout: Duration,
    ) -> Result<(usize, OwnedSemaphorePermit), ClientError> {
        let cores = &self.inner.cores;
        let own_core = self.own_core();
        if let Some(core) = cores.get(own_core) {
            core.runtime.get_or_init(Handle::current);
        }
        let own_first = cores.iter().enumerate().cycle().skip(own_core).take(cores.len());
        let free = |(at, core): (usize, &CorePool)| Some((at, Arc::clone(permits(core)).try_acquire_owned().ok()?));
        if let Some(permit) = own_first.clone().find_map(free) {
            return Ok(permit);
        }
        let _waiting = Waiting::new();
        let wait = |(at, core)| (at, Arc::clone(permits(core)).acquire_owned());
        let mut waiting = own_first.map(wait).map(|(at, permit)| Box::pin(async move { (at, permit.await) }));
        let mut own = waiting.next().ok_or(ClientError::Busy)?;
        let waited = match timeout(OWN_CORE_TIMEOUT, &mut own).await {
            Ok(permit) => Ok(permit),
            Err(_) => {
                let any = select_all(std::iter::once(own).chain(waiting));
                timeout(acquire_timeout, any).await.map(|(permit, ..)| permit)
            }
        };
        let (at, permit) = waited.map_err(|_| busy())?;
        Ok((at, permit.map_err(|_| ClientError::Busy)?))
    }

    /// Returns the maximum number of connections.
    #[must_use]
    pub fn size(&self) -> usize {
        self.inner.size
    }

    /// Returns the number of connections that can be checked out without waiting.
    #[must_use]
    pub fn available(&self) -> usize {
        self.inner.cores.iter().map(|core| core.permits.available_permits()).sum()
    }

    /// Closes the idle connections, for example after the PostgreSQL server was restarted.
    pub fn clear(&self) {
        self.inner.cores.iter().for_each(|core| core.idle().clear());
    }
}

/// Counts a pool timeout in the metrics and returns the error of the pool timeout.
fn busy() -> ClientError {
    metrics::POOL_TIMEOUTS.inc();
    ClientError::Busy
}

/// Guard that counts a waiting request in the metrics until it is dropped.
struct Waiting;

impl Waiting {
    fn new() -> Self {
        metrics::POOL_WAITING.inc();
        Self
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        metrics::POOL_WAITING.dec();
    }
}

/// Connection checked out of a [`Pool`].
#[derive(Debug)]
pub struct Checkout {
    connection: Option<Connection>,
    permit: Option<OwnedSemaphorePermit>,
    /// Only for visitors (callers without a session): a permit for one of the connections that all visitors may use, and a permit from the
    /// share of the visitor's network. The second permit is `None` if the network is unknown, or if enough connections were free.
    visitor_permits: (Option<OwnedSemaphorePermit>, Option<OwnedSemaphorePermit>),
    /// Index of the CPU core to whose pool the connection returns.
    core: usize,
    pool: Arc<Inner>,
}

impl Checkout {
    /// Sets the message meter that admits large messages until the connection returns to the pool.
    ///
    /// # Errors
    /// Fails if the connection has already returned to the pool.
    pub fn set_meter(&mut self, meter: Arc<dyn MessageMeter>) -> Result<(), ClientError> {
        self.connection()?.meter = Some(meter);
        Ok(())
    }

    /// Executes the statements as one transaction: see [`Connection::run`].
    ///
    /// # Errors
    /// See [`Connection::run`]. If the primary has become a standby, returns a connection error.
    pub async fn run(&mut self, role: &str, steps: &mut [BatchStatement<'_>]) -> Result<(), ClientError> {
        self.run_then(role, steps, None).await
    }

    /// Executes the statements of `steps` as one transaction, and `after` in a separate transaction: see [`Connection::run_then`].
    ///
    /// # Errors
    /// See [`Self::run`].
    pub async fn run_then(
        &mut self,
        role: &str,
        steps: &mut [BatchStatement<'_>],
        after: Option<&mut BatchStatement<'_>>,
    ) -> Result<(), ClientError> {
        let connection = self.connection()?;
        match connection.run_then(role, steps, after).await {
            Err(error) => Err(connection.judge_read_only(error).await),
            done => done,
        }
    }

    /// Executes the statements as one transaction on a standby. If the standby refuses a write, the error is not converted to a connection
    /// error.
    ///
    /// # Errors
    /// See [`Connection::run`].
    pub async fn run_on_standby(&mut self, role: &str, steps: &mut [BatchStatement<'_>]) -> Result<(), ClientError> {
        self.connection()?.run(role, steps).await
    }

    fn connection(&mut self) -> Result<&mut Connection, ClientError> {
        let given_back = || ClientError::Lost("the connection has been given back".to_owned());
        self.connection.as_mut().ok_or_else(given_back)
    }
}

impl Drop for Checkout {
    /// Returns the connection to its pool. If a batch was abandoned (the client disconnected or a timeout passed), the remaining responses
    /// of the batch are read first.
    fn drop(&mut self) {
        let Some(connection) = self.connection.take() else { return };
        if connection.broken {
            return;
        }
        if connection.awaited_ready == 0 {
            self.pool.put(self.core, connection);
            return;
        }
        let (pool, core) = (Arc::clone(&self.pool), self.core);
        let permits = (self.permit.take(), std::mem::take(&mut self.visitor_permits));
        let Ok(runtime) = Handle::try_current() else { return };
        runtime.spawn(async move {
            if let Some(connection) = finish(connection, &pool.login).await {
                pool.put(core, connection);
            }
            drop(permits);
        });
    }
}

/// Waits until an abandoned batch ends, and cancels the batch if it runs too long. Returns `None` if the connection cannot be reused.
async fn finish(mut connection: Connection, login: &Login) -> Option<Connection> {
    if login.availability.is_outdated(connection.opened) {
        return None;
    }
    // If a batch was sent only in part, the server ends it only when the connection is closed.
    let is_sent = connection.write_buffer.is_empty();
    if is_sent && let Ok(outcome) = timeout(CANCEL_AFTER, connection.drain()).await {
        return outcome.is_ok().then_some(connection);
    }
    let key = connection.key;
    let cancelling = async {
        if is_sent { join(key.cancel(login), connection.drain()).await } else { (key.cancel(login).await, Ok(())) }
    };
    let outcome = tokio::select! {
        outcome = timeout(CANCEL_TIMEOUT, cancelling) => outcome,
        // A lost server cannot cancel the batch. Close the connection at once, because other requests wait for its permit.
        () = login.availability.outage() => return None,
    };
    (is_sent && matches!(outcome, Ok((Ok(()), Ok(()))))).then_some(connection)
}

/// Returns the number of connections that visitors may use: three quarters of all connections, but at least one.
fn visitor_share(size: usize) -> usize {
    (size - (size / 4).max(1)).max(1)
}

/// Divides a number into parts that differ by at most one, larger parts first.
fn divide(total: usize, parts: usize) -> impl Iterator<Item = usize> {
    (0..parts).map(move |part| total / parts + usize::from(part < total % parts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visitors_never_hold_all_connections_however_many_cores_there_are() {
        for size in 2..=64 {
            for cores in 1..=size {
                let connections: Vec<_> = divide(size, cores).collect();
                let visitors: Vec<_> = divide(visitor_share(size), cores).collect();
                assert_eq!(connections.iter().sum::<usize>(), size);
                assert!(visitors.iter().sum::<usize>() < size, "{size} connections, {cores} cores");
                assert!(visitors.iter().zip(connections).all(|(visitors, connections)| *visitors <= connections));
            }
        }
    }
}
