//! A bounded number of connections, checked out one at a time.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::connection::Connection;
use super::{ClientError, Step};
use crate::database::Login;

/// How long a request waits for a connection.
const PATIENCE: Duration = Duration::from_secs(10);
/// A connection is renewed after this, so that what it has piled up in the server does not stay for ever.
const LIFETIME: Duration = Duration::from_secs(30 * 60);
/// How long an abandoned batch may take to end before its connection is closed instead.
const DRAIN: Duration = Duration::from_secs(30);

/// Connections to one database as one login. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Pool {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    login: Login,
    idle: Mutex<Vec<Connection>>,
    places: Arc<Semaphore>,
}

impl Inner {
    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pool {
    /// A pool of at most `size` connections, each opened when first needed.
    #[must_use]
    pub fn new(login: Login, size: usize) -> Self {
        let places = Arc::new(Semaphore::new(size.max(1)));
        Self { inner: Arc::new(Inner { login, idle: Mutex::default(), places }) }
    }

    /// A connection of one's own, until it is dropped.
    ///
    /// # Errors
    /// When none becomes free in time, or none can be opened.
    pub async fn get(&self) -> Result<Checkout, ClientError> {
        let places = Arc::clone(&self.inner.places);
        let place = match places.try_acquire_owned() {
            Ok(place) => place,
            Err(_) => {
                let places = Arc::clone(&self.inner.places);
                let waited = tokio::time::timeout(PATIENCE, places.acquire_owned()).await;
                waited.map_err(|_| ClientError::Busy)?.map_err(|_| ClientError::Busy)?
            }
        };
        let connection = match self.idle() {
            Some(connection) => connection,
            None => Connection::open(&self.inner.login).await?,
        };
        Ok(Checkout { connection: Some(connection), place: Some(place), pool: Arc::clone(&self.inner) })
    }

    fn idle(&self) -> Option<Connection> {
        loop {
            let mut connection = self.inner.idle().pop()?;
            if connection.opened.elapsed() < LIFETIME && !connection.is_closed() {
                return Some(connection);
            }
        }
    }

    /// Closes the idle connections, such as after the server has gone away.
    pub fn clear(&self) {
        self.inner.idle().clear();
    }
}

/// A connection checked out of a [`Pool`].
#[derive(Debug)]
pub struct Checkout {
    connection: Option<Connection>,
    place: Option<OwnedSemaphorePermit>,
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
    /// A connection whose batch was abandoned (the client went away) is read to the batch's end before it serves again.
    fn drop(&mut self) {
        let Some(mut connection) = self.connection.take() else { return };
        if connection.broken {
            return;
        }
        if !connection.unanswered {
            self.pool.idle().push(connection);
            return;
        }
        if !connection.outgoing.is_empty() {
            return;
        }
        let (pool, place) = (Arc::clone(&self.pool), self.place.take());
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        runtime.spawn(async move {
            if let Ok(Ok(())) = tokio::time::timeout(DRAIN, connection.drain()).await {
                pool.idle().push(connection);
            }
            drop(place);
        });
    }
}
