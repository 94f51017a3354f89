//! Transactions in which a message may be sent through another server, which may take seconds.
//!
//! The number of these transactions is limited to half of the database connections, so that other requests still get connections while a
//! provider does not respond.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::Duration;

use sqlx::{PgConnection, Postgres, Transaction};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::{AuthError, Result};

/// Maximum time that a request waits while other requests send messages.
const WAIT_TIMEOUT: Duration = Duration::from_secs(10);

/// Limits the number of transactions that send messages.
#[derive(Clone, Debug)]
pub(crate) struct SendingLimit(Arc<Semaphore>);

impl SendingLimit {
    /// Creates the limit: half of `connections`, which is the size of the connection pool.
    pub(crate) fn new(connections: u32) -> Self {
        Self(Arc::new(Semaphore::new((connections / 2).max(1) as usize)))
    }

    /// Waits until a transaction that sends messages may begin. Returns status 429 if this takes longer than [`WAIT_TIMEOUT`].
    pub(crate) async fn permit(&self) -> Result<OwnedSemaphorePermit> {
        match tokio::time::timeout(WAIT_TIMEOUT, Arc::clone(&self.0).acquire_owned()).await {
            Ok(Ok(permit)) => Ok(permit),
            _ => {
                let message = "Too many messages are waiting to be sent. Please try again in a few seconds.";
                Err(AuthError::too_many("over_request_rate_limit", message))
            }
        }
    }
}

/// A transaction that may send messages, with its permit from [`SendingLimit`].
#[derive(Debug)]
pub(crate) struct SendingTransaction {
    transaction: Transaction<'static, Postgres>,
    _permit: OwnedSemaphorePermit,
}

impl SendingTransaction {
    pub(crate) const fn new(transaction: Transaction<'static, Postgres>, permit: OwnedSemaphorePermit) -> Self {
        Self { transaction, _permit: permit }
    }

    pub(crate) async fn commit(self) -> sqlx::Result<()> {
        self.transaction.commit().await
    }
}

impl Deref for SendingTransaction {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.transaction
    }
}

impl DerefMut for SendingTransaction {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.transaction
    }
}
