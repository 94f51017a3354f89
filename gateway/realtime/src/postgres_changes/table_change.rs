//! A table change with its recipients, on its way through the queues.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use chrono::{DateTime, Utc};

use super::binding::Binding;
use super::pgoutput::{Change, Relation};
use super::replication_slot::Table;
use super::subscriber::{Recipient, Subscriber};

/// A change of a table, shared by all its recipients.
#[derive(Debug)]
pub(super) struct TableChange {
    pub(super) table: Arc<Table>,
    pub(super) relation: Arc<Relation>,
    pub(super) change: Change,
    pub(super) committed: DateTime<Utc>,
    /// 32-bit id of the transaction, without its epoch.
    pub(super) transaction: u32,
    /// Estimated memory in bytes.
    pub(super) bytes: usize,
}

/// A change in the queue of all subscribers, with its recipients.
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

/// A change in a slow-caller queue, with its recipients.
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

/// Returns the subscribers whose bindings match a table and a kind of change, without regard to filters.
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

/// Size of a queued change, counted towards the total of its queue until the value is dropped.
#[derive(Debug)]
pub(super) struct WaitingBytes {
    all: Arc<AtomicUsize>,
    bytes: usize,
}

impl WaitingBytes {
    /// Counts a change. `None` if the total would exceed the limit. A single change may exceed it.
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
