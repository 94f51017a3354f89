//! A connection that a request has taken from the pool, and what becomes of a batch that nobody waits for.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join;
use tokio::runtime::Handle;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;

use super::connection::Connection;
use super::pool::Inner;
use super::{BatchStatement, ClientError};
use crate::login::Login;

/// How long an abandoned batch may run before it is cancelled. Most end by themselves; and a write is not undone because its client did not
/// wait for the response.
const CANCEL_AFTER: Duration = Duration::from_secs(1);
/// How long a cancelled batch may take to end before its connection is closed.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(10);

/// A connection checked out of a [`Pool`].
#[derive(Debug)]
pub struct Checkout {
    pub(super) connection: Option<Connection>,
    pub(super) permit: Option<OwnedSemaphorePermit>,
    /// Of a visitor's connection, and of its network's share.
    pub(super) visitor_permits: (Option<OwnedSemaphorePermit>, Option<OwnedSemaphorePermit>),
    /// The core whose pool the connection returns to.
    pub(super) core: usize,
    pub(super) pool: Arc<Inner>,
}

impl Checkout {
    /// Runs a batch: see [`Connection::run`].
    ///
    /// # Errors
    /// As [`Connection::run`].
    pub async fn run(&mut self, role: &str, steps: &mut [BatchStatement<'_>]) -> Result<(), ClientError> {
        self.run_then(role, steps, None).await
    }

    /// Runs a batch, and a statement after it: see [`Connection::run_then`].
    ///
    /// # Errors
    /// As [`Connection::run`].
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

    /// Runs a batch on a server that is meant to be a standby.
    ///
    /// # Errors
    /// As [`Connection::run`].
    pub async fn run_on_standby(&mut self, role: &str, steps: &mut [BatchStatement<'_>]) -> Result<(), ClientError> {
        self.connection()?.run(role, steps).await
    }

    pub(super) fn connection(&mut self) -> Result<&mut Connection, ClientError> {
        let given_back = || ClientError::Lost("the connection has been given back".to_owned());
        self.connection.as_mut().ok_or_else(given_back)
    }
}

impl Drop for Checkout {
    /// A connection whose batch was abandoned (the client disconnected or a timeout passed) is read to the batch's end before it returns to
    /// the pool.
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

/// Waits for an abandoned batch to end, and cancels it if that takes too long; `None` if the connection cannot be reused.
async fn finish(mut connection: Connection, login: &Login) -> Option<Connection> {
    if login.availability.is_outdated(connection.opened) {
        return None;
    }
    // A partly sent batch ends only when the connection is closed.
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
        // Others wait for this connection's permit, and a lost server cancels nothing.
        () = login.availability.outage() => return None,
    };
    (is_sent && matches!(outcome, Ok((Ok(()), Ok(()))))).then_some(connection)
}
