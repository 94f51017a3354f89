//! Table changes (`postgres_changes`): one consumer of PostgreSQL's logical replication per node, shared by all subscribers of the node.
//!
//! The worker ([`worker`]) opens a replication slot while there are subscriptions. The slot is temporary, so that the database keeps no WAL
//! for a stopped node. The worker reads changes from the slot ([`replication_slot`], [`pgoutput`], [`decoder`]) and pushes the changes to a
//! queue ([`pipeline`]) without waiting for subscribers. The queued changes are delivered in batches ([`batch`]): generated columns are added
//! ([`generated`]), one policy check per table determines what each caller may see ([`ask`], [`policy_timeout`], [`filter_by_policy`]), and
//! each message is built once for all its recipients ([`message`]). Callers with slow policies, and subscribers with filters that PostgreSQL
//! evaluates, have separate queues ([`slow_caller_queue`], [`deliver`]). Most filters are evaluated without PostgreSQL ([`filter`],
//! [`compare`], [`pattern`]).

mod ask;
mod batch;
mod binding;
mod compare;
mod decoder;
mod deliver;
mod filter;
mod filter_by_policy;
mod generated;
mod message;
mod pattern;
mod pgoutput;
mod pipeline;
mod policy_timeout;
mod read_error;
mod replication_slot;
mod row;
mod slow_caller_queue;
mod subscriber;
mod table_change;
mod validate_subscription;
mod worker;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use cloch_core::supervise;
use cloch_sql::{Caller, Database};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

pub(super) use binding::Binding;
pub(super) use subscriber::Target;

use super::limits::ChangeLimits;
use subscriber::{CallerId, Subscriber};
use worker::Command;

/// Handle that sends commands to the worker that reads table changes.
#[derive(Clone, Debug)]
pub(super) struct Changes {
    commands: mpsc::UnboundedSender<Command>,
}

impl Changes {
    /// Starts the worker, which opens the replication slot at the first subscription.
    pub(super) fn new(database: Database, shutdown: CancellationToken, limits: ChangeLimits) -> Self {
        let (commands, receiver) = mpsc::unbounded_channel();
        let reader = Arc::new(tokio::sync::Mutex::new(worker::Reader::new(database, receiver, limits)));
        tokio::spawn(async move {
            let reading = supervise("postgres_changes", shutdown.clone(), || worker::run(Arc::clone(&reader)));
            shutdown.run_until_cancelled(reading).await;
        });
        Self { commands }
    }

    /// Subscribes a caller to table changes until the returned value is dropped. The client receives a `system` message that contains
    /// whether the subscription succeeded.
    pub(super) fn subscribe(&self, bindings: Vec<Binding>, caller: Caller, target: Target) -> Subscription {
        let subscriber = Self::subscriber(bindings, caller, target);
        // Sending a command fails only at shutdown, when the worker has ended.
        let _ = self.commands.send(Command::Add(Arc::clone(&subscriber)));
        self.subscription(subscriber)
    }

    /// Replaces a subscription by a subscription of another caller with the same bindings. No change is missed: the previous caller
    /// receives the changes that the worker has already read, and the new caller receives all later changes, even before the new
    /// subscription is confirmed.
    pub(super) fn replace(
        &self,
        mut before: Subscription,
        bindings: Vec<Binding>,
        caller: Caller,
        target: Target,
    ) -> Subscription {
        let subscriber = Self::subscriber(bindings, caller, target);
        before.is_replaced = true;
        let _ = self.commands.send(Command::Replace { before: before.subscriber.id, by: Arc::clone(&subscriber) });
        self.subscription(subscriber)
    }

    fn subscription(&self, subscriber: Arc<Subscriber>) -> Subscription {
        Subscription { commands: self.commands.clone(), subscriber, is_replaced: false }
    }

    fn subscriber(bindings: Vec<Binding>, caller: Caller, target: Target) -> Arc<Subscriber> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Arc::new(Subscriber {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            bindings: bindings.into_iter().map(Arc::new).collect(),
            caller_id: CallerId::of(&caller),
            caller,
            target,
            has_ended: AtomicBool::new(false),
            asks_postgres: AtomicBool::new(false),
            refused_tables: Mutex::default(),
            incomplete_tables: Mutex::default(),
        })
    }
}

/// A running subscription to table changes. Dropping the value ends the subscription.
#[derive(Debug)]
pub(super) struct Subscription {
    commands: mpsc::UnboundedSender<Command>,
    subscriber: Arc<Subscriber>,
    /// Whether another subscription has replaced this subscription. Changes that the worker read before the replacement are
    /// still delivered.
    is_replaced: bool,
}

impl Subscription {
    /// Ends the subscription to table changes with an error message to the client. The channel stays open.
    pub(super) fn end(&self, message: &str) {
        self.subscriber.end(message);
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if self.is_replaced {
            return;
        }
        self.subscriber.has_ended.store(true, Ordering::Relaxed);
        let _ = self.commands.send(Command::Remove(self.subscriber.id));
    }
}
