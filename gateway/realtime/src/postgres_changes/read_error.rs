//! Errors while reading changes from the replication slot.

use super::pgoutput;
use super::replication_slot::SlotError;

/// Reasons why changes cannot be read. All subscribers wait until reading succeeds again.
#[derive(Debug, thiserror::Error)]
pub(super) enum ReadError {
    #[error("{0}")]
    Database(#[from] sqlx::Error),
    #[error("{0}")]
    Slot(#[from] SlotError),
    #[error("{0}")]
    Message(#[from] pgoutput::Malformed),
    #[error("the database does not open a replication slot in time")]
    OpenTimeout,
    #[error("the replication slot keeps {0} bytes of WAL: it is given up and opened anew")]
    TooMuchWal(u64),
    #[error("the reader panicked")]
    Panicked,
}
