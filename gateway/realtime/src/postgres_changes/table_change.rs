//! A table change with its recipients, as it passes through the queues of changes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use chrono::{DateTime, Utc};

use super::binding::Binding;
use super::pgoutput::{Change, Relation};
use super::replication_slot::Table;
use super::subscriber::{Recipient, Subscriber};

/// A change of a table, shared by all recipients of the change.
#[derive(Debug)]
pub(super) struct TableChange {
    pub(super) table: Arc<Table>,
    pub(super) relation: Arc<Relation>,
    pub(super) change: Change,
    pub(super) committed: DateTime<Utc>,
    /// Id of the transaction that made the change: 32 bits, without epoch.
    pub(super) transaction: u32,
    /// Estimated memory of the change in bytes.
    pub(super) bytes: usize,
}

/// A change in the queue that all callers share, with the recipients of the change.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) change: Arc<TableChange>,
    pub(super) recipients: Arc<[Recipient]>,
    _waiting: WaitingBytes,
}

impl Pending {
    pub(super) fn new(change: TableChange, recipients: Arc<[Recipient]>, waiting: WaitingBytes) -> Self {
        Self { change: Arc::new(change), recipients, _waiting: waiting }
    }
}

/// A table change in the queue of a caller whose policy checks are slow, with those subscribers of the caller that receive the change.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) change: Arc<TableChange>,
    pub(super) recipients: Vec<Recipient>,
    _waiting: WaitingBytes,
}

impl Job {
    pub(super) fn new(change: Arc<TableChange>, recipients: Vec<Recipient>, waiting: WaitingBytes) -> Self {
        Self { change, recipients, _waiting: waiting }
    }
}

/// Returns the subscribers that have an entry of `postgres_changes` which matches the schema, the table and the kind of a change. Filters
/// are not evaluated.
pub(super) fn concerned<'a>(
    subscribers: impl Iterator<Item = &'a Arc<Subscriber>>,
    relation: &Relation,
    change: &Change,
) -> Vec<Recipient> {
    let asks = |binding: &&Arc<Binding>| binding.concerns(&relation.schema, &relation.table, change.kind);
    let recipient = |subscriber: &Arc<Subscriber>| -> Recipient {
        (Arc::clone(subscriber), subscriber.bindings.iter().filter(asks).cloned().collect())
    };
    subscribers.map(recipient).filter(|(_, bindings)| !bindings.is_empty()).collect()
}

/// Size of a queued change. The size counts towards the total size of its queue until the value is dropped.
#[derive(Debug)]
pub(super) struct WaitingBytes {
    all: Arc<AtomicUsize>,
    bytes: usize,
}

impl WaitingBytes {
    /// Adds the size of a change to the total size of its queue. `None` if the total would exceed `limit`. A change in an empty queue may
    /// exceed `limit`.
    pub(super) fn count(all: &Arc<AtomicUsize>, bytes: usize, limit: usize) -> Option<Self> {
        let before = all.fetch_add(bytes, Ordering::Relaxed);
        let counted = Self { all: Arc::clone(all), bytes };
        (before == 0 || before + bytes <= limit).then_some(counted)
    }
}

impl Drop for WaitingBytes {
    fn drop(&mut self) {
        self.all.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}
