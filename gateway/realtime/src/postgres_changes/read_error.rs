//! Errors while reading table changes from the replication slot.

use super::pgoutput;
use super::replication_slot::SlotError;

/// Reasons why table changes cannot be read from the replication slot. All subscribers wait until reading succeeds again.
#[derive(Debug, thiserror::Error)]
pub(super) enum ReadError {
    #[error("{0}")]
    Database(#[from] sqlx::Error),
    #[error("{0}")]
    Slot(#[from] SlotError),
    #[error("{0}")]
    Message(#[from] pgoutput::Malformed),
    #[error("timeout while opening the replication slot")]
    OpenTimeout,
    #[error("the replication slot keeps too much WAL ({0} bytes) and is dropped")]
    TooMuchWal(u64),
    #[error("the task that reads the replication slot panicked")]
    Panicked,
}
