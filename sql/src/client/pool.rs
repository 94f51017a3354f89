//! A bounded number of connections, checked out one at a time.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::{join, select_all};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::connection::Connection;
use super::{ClientError, Step};
use crate::core_id;
use crate::database::Login;

/// How long a request waits for a connection.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(10);
/// How long it waits for one of its own lane alone.
const AT_HOME: Duration = Duration::from_millis(25);
/// How long an abandoned batch may go on before it is cancelled. Most end by themselves, and a write whose caller did not wait for the
/// answer is not undone.
const CANCEL_AFTER: Duration = Duration::from_secs(1);
/// How long a cancelled batch may take to end before its connection is closed instead.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(10);

/// Connections to one database as one login. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Pool {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    login: Login,
    size: usize,
    /// Of each lane its own, so that a request is answered on the lane it runs on.
    shelves: Box<[Shelf]>,
}

#[derive(Debug)]
struct Shelf {
    idle: Mutex<Vec<Connection>>,
    places: Arc<Semaphore>,
    /// How many of the places visitors may have. Of each lane its own: a place that came free on another would wake that one's thread.
    visitors: Arc<Semaphore>,
    /// The runtime of its lane, known from the first request there on.
    runtime: OnceLock<Handle>,
}

impl Shelf {
    fn new(places: usize) -> Self {
        Self {
            idle: Mutex::default(),
            places: Arc::new(Semaphore::new(places)),
            visitors: Arc::new(Semaphore::new(visitors(places))),
            runtime: OnceLock::new(),
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An idle connection that still lives.
    fn take(&self) -> Option<Connection> {
        loop {
            let mut connection = self.idle().pop()?;
            if !connection.is_worn() && !connection.is_closed() {
                return Some(connection);
            }
        }
    }
}

impl Inner {
    fn put(&self, shelf: usize, mut connection: Connection) {
        if let Some(shelf) = self.shelves.get(shelf) {
            connection.idle_since = Instant::now();
            shelf.idle().push(connection);
        }
    }
}

impl Pool {
    /// A pool of at most `size` connections, each opened when first needed.
    #[must_use]
    pub fn new(login: Login, size: usize) -> Self {
        let size = size.max(1);
        let lanes = core_id::count().min(size);
        let places = (0..lanes).map(|lane| size / lanes + usize::from(lane < size % lanes));
        let shelves = places.map(Shelf::new);
        Self { inner: Arc::new(Inner { login, size, shelves: shelves.collect() }) }
    }

    /// As [`Pool::get`], for a caller whom nobody knows. Visitors never have all connections: however slow what they ask for is, others
    /// are served.
    ///
    /// # Errors
    /// As [`Pool::get`].
    pub async fn get_for_visitor(&self) -> Result<Checkout, ClientError> {
        let (_, share) = self.acquire(|shelf| &shelf.visitors, ACQUIRE_TIMEOUT).await?;
        let mut checkout = self.get().await?;
        checkout.share = Some(share);
        Ok(checkout)
    }

    /// A connection of one's own, until it is dropped.
    ///
    /// # Errors
    /// When none becomes free in time, or none can be opened.
    pub async fn get(&self) -> Result<Checkout, ClientError> {
        self.get_within(ACQUIRE_TIMEOUT).await
    }

    /// As [`Pool::get`], for those who wait longer, or less.
    ///
    /// # Errors
    /// As [`Pool::get`].
    pub async fn get_within(&self, patience: Duration) -> Result<Checkout, ClientError> {
        let (shelf, place) = self.acquire(|shelf| &shelf.places, patience).await?;
        let connection = match self.living(shelf).await {
            Some(connection) => connection,
            None => self.open(shelf).await?,
        };
        let pool = Arc::clone(&self.inner);
        Ok(Checkout { connection: Some(connection), place: Some(place), share: None, shelf, pool })
    }

    /// An idle connection that answers.
    async fn living(&self, shelf: usize) -> Option<Connection> {
        let mut connection = self.inner.shelves.get(shelf)?.take()?;
        if connection.is_alive().await {
            return Some(connection);
        }
        // The others have lain there as long.
        self.clear();
        None
    }

    /// Opens a connection on the lane whose place it has, for it is that lane's thread that hears of what arrives on it.
    async fn open(&self, shelf: usize) -> Result<Connection, ClientError> {
        let there = (shelf != self.home()).then(|| self.inner.shelves.get(shelf)?.runtime.get()).flatten();
        let Some(runtime) = there else { return Connection::open(&self.inner.login).await };
        let pool = Arc::clone(&self.inner);
        let opening = runtime.spawn(async move { Connection::open(&pool.login).await });
        opening.await.map_err(|error| ClientError::Connect(error.to_string()))?
    }

    /// The shelf of this lane.
    fn home(&self) -> usize {
        core_id::current() % self.inner.shelves.len()
    }

    /// A permit, and the shelf whose it is: this lane's own or another's that is free now; where none is, the first of this lane's, and
    /// after a while the first of any.
    async fn acquire(
        &self,
        permits: impl Fn(&Shelf) -> &Arc<Semaphore>,
        patience: Duration,
    ) -> Result<(usize, OwnedSemaphorePermit), ClientError> {
        let shelves = &self.inner.shelves;
        let home = self.home();
        if let Some(shelf) = shelves.get(home) {
            shelf.runtime.get_or_init(Handle::current);
        }
        let near = shelves.iter().enumerate().cycle().skip(home).take(shelves.len());
        let free = |(at, shelf): (usize, &Shelf)| Some((at, Arc::clone(permits(shelf)).try_acquire_owned().ok()?));
        if let Some(permit) = near.clone().find_map(free) {
            return Ok(permit);
        }
        let wait = |(at, shelf)| (at, Arc::clone(permits(shelf)).acquire_owned());
        let mut waiting = near.map(wait).map(|(at, permit)| Box::pin(async move { (at, permit.await) }));
        let mut own = waiting.next().ok_or(ClientError::Busy)?;
        let waited = match timeout(AT_HOME, &mut own).await {
            Ok(permit) => Ok(permit),
            Err(_) => {
                let any = select_all(std::iter::once(own).chain(waiting));
                timeout(patience, any).await.map(|(permit, ..)| permit)
            }
        };
        let (at, permit) = waited.map_err(|_| ClientError::Busy)?;
        Ok((at, permit.map_err(|_| ClientError::Busy)?))
    }

    /// How many connections there are at most.
    #[must_use]
    pub fn size(&self) -> usize {
        self.inner.size
    }

    /// Closes the idle connections, such as after the server has gone away.
    pub fn clear(&self) {
        self.inner.shelves.iter().for_each(|shelf| shelf.idle().clear());
    }
}

/// A connection checked out of a [`Pool`].
#[derive(Debug)]
pub struct Checkout {
    connection: Option<Connection>,
    place: Option<OwnedSemaphorePermit>,
    /// Of the visitors' share, if a visitor has it.
    share: Option<OwnedSemaphorePermit>,
    /// Where the connection goes back to.
    shelf: usize,
    pool: Arc<Inner>,
}

impl Checkout {
    /// Runs a batch: see [`Connection::run`].
    ///
    /// # Errors
    /// As [`Connection::run`].
    pub async fn run(&mut self, role: &str, steps: &mut [Step<'_>]) -> Result<(), ClientError> {
        match &mut self.connection {
            Some(connection) => connection.run(role, steps).await,
            None => Err(ClientError::Lost("the connection has been given back".to_owned())),
        }
    }
}

impl Drop for Checkout {
    /// A connection whose batch was abandoned (the client went away, or waited for too long) is read to the batch's end before it
    /// serves again.
    fn drop(&mut self) {
        let Some(connection) = self.connection.take() else { return };
        if connection.broken {
            return;
        }
        if !connection.unanswered {
            self.pool.put(self.shelf, connection);
            return;
        }
        let (pool, shelf, held) = (Arc::clone(&self.pool), self.shelf, (self.place.take(), self.share.take()));
        let Ok(runtime) = Handle::try_current() else { return };
        runtime.spawn(async move {
            if let Some(connection) = end(connection, &pool.login).await {
                pool.put(shelf, connection);
            }
            drop(held);
        });
    }
}

/// Waits for an abandoned batch to end, and has it cancelled if that takes long; none if the connection cannot be used again.
async fn end(mut connection: Connection, login: &Login) -> Option<Connection> {
    // What the server has only the beginning of can end with the connection alone.
    let is_sent = connection.outgoing.is_empty();
    if is_sent && let Ok(outcome) = timeout(CANCEL_AFTER, connection.drain()).await {
        return outcome.is_ok().then_some(connection);
    }
    let key = connection.key;
    let cancelling = async {
        if is_sent { join(key.cancel(login), connection.drain()).await } else { (key.cancel(login).await, Ok(())) }
    };
    let outcome = timeout(CANCEL_TIMEOUT, cancelling).await;
    (is_sent && matches!(outcome, Ok((Ok(()), Ok(()))))).then_some(connection)
}

/// How many of so many connections visitors may have: not the last quarter, but one of one.
fn visitors(size: usize) -> usize {
    (size - (size / 4).max(1)).max(1)
}
