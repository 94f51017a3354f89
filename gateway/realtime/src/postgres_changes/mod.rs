//! Table changes (`postgres_changes`): one consumer of PostgreSQL's logical replication per node, shared by all subscribers of the node.
//!
//! The worker ([`worker`]) opens a replication slot while there are subscriptions. The slot is temporary, so that the database keeps no WAL
//! for a stopped node. The worker reads changes from the slot ([`replication_slot`], [`pgoutput`], [`decoder`]) and pushes the changes to a
//! queue ([`pipeline`]) without waiting for subscribers. The queued changes are delivered in batches ([`batch`]): generated columns are added
//! ([`generated`]), one policy check per table determines what each caller may see ([`ask`], [`policy_timeout`], [`filter_by_policy`]), and
//! each message is built once for all its recipients ([`message`]). Callers with slow policies, and subscribers with filters that PostgreSQL
//! evaluates, have separate queues ([`slow_caller_queue`], [`deliver`]). Most filters are evaluated without PostgreSQL ([`filter`],
//! [`in_list`], [`compare`], [`pattern`]).

mod ask;
mod batch;
mod binding;
mod compare;
mod decoder;
mod deliver;
mod filter;
mod filter_by_policy;
mod generated;
mod in_list;
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
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use cloch_core::supervise;
use cloch_sql::{Caller, Database};
use tokio::sync::{Notify, mpsc};
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

pub(super) use binding::Binding;
pub(super) use subscriber::Target;

use super::limits::ChangeLimits;
use subscriber::{CallerId, Subscriber};
use worker::Command;

/// Maximum time for which the reply to a join waits for the confirmation of the subscription. Clients give up a join after 10 s.
const MAX_JOIN_WAIT: Duration = Duration::from_secs(2);
/// If a reply to a join has waited for [`MAX_JOIN_WAIT`] without a confirmation, no other reply of this node waits during this time.
/// Otherwise, a socket that joins many channels in sequence would wait for each of them.
const NO_WAIT_TIME: Duration = Duration::from_secs(10);

/// Handle that sends commands to the worker task, which reads table changes from the replication slot.
#[derive(Clone, Debug)]
pub(super) struct Changes {
    commands: mpsc::UnboundedSender<Command>,
    /// Time before which no reply to a join waits for the confirmation of its subscription.
    no_wait_before: Arc<Mutex<Option<Instant>>>,
}

impl Changes {
    /// Starts the worker task, which opens the replication slot at the first subscription.
    pub(super) fn new(database: Database, shutdown: CancellationToken, limits: ChangeLimits) -> Self {
        let (commands, receiver) = mpsc::unbounded_channel();
        let reader = Arc::new(tokio::sync::Mutex::new(worker::Reader::new(database, receiver, limits)));
        tokio::spawn(async move {
            let reading = supervise("postgres_changes", shutdown.clone(), || worker::run(Arc::clone(&reader)));
            shutdown.run_until_cancelled(reading).await;
        });
        Self { commands, no_wait_before: Arc::default() }
    }

    /// Subscribes a caller to table changes until the returned value is dropped. A `system` message informs the client whether the
    /// subscription succeeded.
    pub(super) fn subscribe(&self, bindings: Vec<Binding>, caller: Caller, target: Target) -> Subscription {
        let subscriber = Self::subscriber(bindings, caller, target, None);
        // Sending a command fails only at shutdown, when the worker has ended.
        let _ = self.commands.send(Command::Add(Arc::clone(&subscriber)));
        self.subscription(subscriber)
    }

    /// Waits until the worker task has confirmed or refused a new subscription, or has found that its confirmation is delayed. Waits at
    /// most [`MAX_JOIN_WAIT`], because PostgreSQL opens a replication slot only after the end of all transactions that write at this time.
    pub(super) async fn settled(&self, subscription: &Subscription) {
        if self.no_wait_before().is_some_and(|end| Instant::now() < end) {
            return;
        }
        let settled = async {
            tokio::select! {
                () = subscription.subscriber.settled.notified() => {}
                // The command channel closes when the worker ends at shutdown.
                () = self.commands.closed() => {}
            }
        };
        if timeout(MAX_JOIN_WAIT, settled).await.is_err() {
            *self.no_wait_before() = Some(Instant::now() + NO_WAIT_TIME);
        }
    }

    fn no_wait_before(&self) -> MutexGuard<'_, Option<Instant>> {
        self.no_wait_before.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Replaces a subscription by a subscription of another caller with the same entries of `postgres_changes` (`bindings`). No change is
    /// missed: the previous caller receives the changes that the worker has already read, and then the new caller receives all later
    /// changes, even before the new subscription is confirmed.
    pub(super) fn replace(
        &self,
        mut before: Subscription,
        bindings: Vec<Binding>,
        caller: Caller,
        target: Target,
    ) -> Subscription {
        let subscriber = Self::subscriber(bindings, caller, target, Some(&before.subscriber));
        before.is_replaced = true;
        let _ = self.commands.send(Command::Replace { before: before.subscriber.id, by: Arc::clone(&subscriber) });
        self.subscription(subscriber)
    }

    fn subscription(&self, subscriber: Arc<Subscriber>) -> Subscription {
        Subscription { commands: self.commands.clone(), subscriber, is_replaced: false }
    }

    fn subscriber(
        bindings: Vec<Binding>,
        caller: Caller,
        target: Target,
        replaced: Option<&Subscriber>,
    ) -> Arc<Subscriber> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        // The flag `is_closed` of the replaced subscriber is shared only while it is false. If it is true, the auth session of the previous
        // token has ended, which also ended the subscription of a public channel. The new token belongs to another session, so the new
        // subscriber gets a flag of its own and receives changes again.
        let is_open = |is_closed: &&Arc<AtomicBool>| !is_closed.load(Ordering::Relaxed);
        let is_closed = replaced.map(|replaced| &replaced.is_closed).filter(is_open);
        Arc::new(Subscriber {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            bindings: bindings.into_iter().map(Arc::new).collect(),
            caller_id: CallerId::of(&caller),
            caller,
            target,
            has_ended: AtomicBool::new(false),
            is_closed: is_closed.map_or_else(Arc::default, Arc::clone),
            delivered: OnceLock::new(),
            replaced: replaced.map_or_else(Vec::new, Subscriber::undelivered),
            follows: AtomicBool::new(replaced.is_some()),
            asks_postgres: AtomicBool::new(false),
            settled: Notify::new(),
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
    /// Whether another subscription has replaced this subscription. Changes that were read from the replication slot before the replacement
    /// are still delivered.
    is_replaced: bool,
}

impl Subscription {
    /// Ends the subscription to table changes with an error message to the client. The channel stays open.
    pub(super) fn end(&self, message: &str) {
        self.subscriber.end(message);
        self.subscriber.is_closed.store(true, Ordering::Relaxed);
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if self.is_replaced {
            return;
        }
        self.subscriber.is_closed.store(true, Ordering::Relaxed);
        let _ = self.commands.send(Command::Remove(self.subscriber.id));
    }
}
