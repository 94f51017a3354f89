//! A subscriber of table changes, and the messages to its client.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use cloch_sql::Caller;
use serde_json::json;
use sha2::{Digest, Sha256};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::binding::Binding;
use super::replication_slot::Table;
use crate::budget::Held;
use crate::counters::COUNTERS;
use crate::frame;
use crate::hub::Outbox;

pub(super) type Id = u64;

/// Digest of a caller's role and claims. Policies cannot distinguish callers with equal digests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct CallerId([u8; 32]);

impl CallerId {
    pub(super) fn of(caller: &Caller) -> Self {
        let parts = [caller.role(), "\0", caller.claims_json()];
        Self(Sha256::digest(parts.concat()).into())
    }
}

/// A recipient of a table change: the subscriber, and the subscriber's entries of `postgres_changes` (bindings) whose filters may match the
/// change.
pub(super) type Recipient = (Arc<Subscriber>, Vec<Arc<Binding>>);

/// Channel to which the messages of a subscription are sent.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    /// Topic of the channel in frames, with the prefix `realtime:`.
    pub(crate) topic: String,
    /// The topic without the prefix `realtime:`.
    pub(crate) channel: String,
    /// Whether the client expects the older form of table changes: the kind of the change as event, and the change itself as payload.
    pub(crate) is_older_client: bool,
    pub(crate) outbox: Outbox,
    /// Counts the memory of the join until the last reference to the subscriber is dropped.
    pub(crate) _held: Arc<Held>,
}

#[derive(Debug)]
pub(super) struct Subscriber {
    pub(super) id: Id,
    pub(super) bindings: Vec<Arc<Binding>>,
    pub(super) caller: Caller,
    /// Digest of the caller. Subscribers with equal digests share policy checks.
    pub(super) caller_id: CallerId,
    pub(super) target: Target,
    pub(super) has_ended: AtomicBool,
    /// True if the client has left the channel or the auth session has ended. The subscribers that this subscriber has replaced share this
    /// flag. When it is true, their undelivered changes are discarded.
    pub(super) is_closed: Arc<AtomicBool>,
    /// Present if another subscriber has replaced this subscriber. Cancelled when the last reference to this subscriber is dropped, which
    /// means that all its changes are delivered.
    pub(super) delivered: OnceLock<CancellationToken>,
    /// The tokens `delivered` of the earlier subscribers of this channel: the replaced subscriber, the subscriber that it had replaced, and
    /// so on. Contains only tokens of subscribers whose changes were not all delivered at the time of the replacement. All these tokens are
    /// needed, because a later subscriber without changes can be dropped before the changes of an earlier subscriber are delivered.
    pub(super) replaced: Vec<CancellationToken>,
    /// Whether this subscriber's changes may have to go through a queue of this subscriber alone. True after a replacement, until all
    /// changes of the replaced subscriber are delivered and that queue is empty.
    pub(super) follows: AtomicBool,
    /// Whether PostgreSQL has to evaluate some filters of the subscriber's entries of `postgres_changes`.
    pub(super) asks_postgres: AtomicBool,
    /// Notified when the subscription is confirmed or refused, or when its confirmation is delayed.
    pub(super) settled: Notify,
    /// OIDs of the tables for which the client was notified that the caller may not read the table, or that policies of the table failed.
    pub(super) refused_tables: Mutex<BTreeSet<u32>>,
    /// OIDs of the tables for which the client was notified that changes lack generated columns.
    pub(super) incomplete_tables: Mutex<BTreeSet<u32>>,
}

impl Subscriber {
    pub(super) fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Relaxed) || self.is_closed.load(Ordering::Relaxed)
    }

    /// Whether this subscriber has replaced another subscriber whose changes are not all delivered yet.
    pub(super) fn has_to_wait(&self) -> bool {
        self.replaced.iter().any(|delivered| !delivered.is_cancelled())
    }

    /// Returns the tokens for which the replacement of this subscriber has to wait: the token `delivered` of this subscriber, and the
    /// tokens in `replaced` that are not cancelled yet.
    pub(super) fn undelivered(&self) -> Vec<CancellationToken> {
        let own = self.delivered.get_or_init(CancellationToken::new).clone();
        self.replaced.iter().filter(|delivered| !delivered.is_cancelled()).cloned().chain([own]).collect()
    }

    /// Waits until all changes of the subscriber that this subscriber has replaced are delivered.
    pub(super) async fn wait_for_replaced(&self) {
        for delivered in &self.replaced {
            delivered.cancelled().await;
        }
    }

    pub(super) fn send_system(&self, status: &str, message: &str) {
        let Target { topic, channel, outbox, .. } = &self.target;
        let payload =
            json!({ "extension": "postgres_changes", "status": status, "message": message, "channel": channel });
        outbox.send(frame::push(outbox.version, None, topic, "system", &payload));
        self.settled.notify_one();
    }

    /// Ends the subscription. Returns false if the subscription had already ended.
    fn stop(&self) -> bool {
        !self.has_ended.swap(true, Ordering::Relaxed) && !self.is_closed.load(Ordering::Relaxed)
    }

    /// Ends the subscription to table changes with an error message to the client. The channel stays open.
    pub(super) fn end(&self, message: &str) {
        if self.stop() {
            self.send_system("error", message);
        }
    }

    /// Ends the subscription and makes the client join again, because the client missed changes.
    pub(super) fn end_and_rejoin(&self, message: &str) {
        if self.stop() {
            COUNTERS.dropped_subscriptions.add(1);
            self.send_system("error", message);
            let Target { topic, outbox, .. } = &self.target;
            outbox.send(frame::push(outbox.version, None, topic, "phx_error", &json!({})));
        }
    }

    /// Notifies the client once that the changes of a table lack the values of generated columns.
    pub(super) fn tell_incomplete(&self, table: &Table) {
        if self.incomplete_tables.lock().unwrap_or_else(PoisonError::into_inner).insert(table.oid) {
            let name = format!("{}.{}", table.schema, table.name);
            self.send_system("error", &format!("Changes of the table {name} lack its generated columns"));
        }
    }

    /// Records that the client is notified of an error of the table with the OID `table`: the caller may not read the table, or its
    /// policies failed. Returns false if the client was already notified.
    pub(super) fn is_first_refusal(&self, table: u32) -> bool {
        self.refused_tables.lock().unwrap_or_else(PoisonError::into_inner).insert(table)
    }
}

impl Drop for Subscriber {
    fn drop(&mut self) {
        if let Some(delivered) = self.delivered.get() {
            delivered.cancel();
        }
    }
}
