//! Changes of tables (`postgres_changes`): one consumer of PostgreSQL's logical replication, shared by all subscribers of a node.
//!
//! The worker ([`worker`]) holds a temporary slot, so that nothing is kept in the database for a node that is gone, and only
//! while somebody listens. A change goes from the slot ([`replication_slot`], [`pgoutput`]) to queues ([`queue`]), one for each caller who
//! subscribes to it ([`binding`], [`filter`]): the worker waits for none of them. What a subscriber may see of it is decided by
//! PostgreSQL as that subscriber ([`row`], [`deliver`]); most filters are evaluated without PostgreSQL ([`compare`], [`pattern`]).

mod binding;
mod compare;
mod confirm;
mod deliver;
mod filter;
mod pattern;
mod pgoutput;
mod queue;
mod replication_slot;
mod row;
mod worker;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use cloch_sql::{Caller, Database, supervise};
use serde_json::json;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

pub(super) use binding::Binding;

use super::frame;
use super::hub::Outbox;

/// The id of a subscription.
type Id = u64;

/// Limits of subscriptions.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChangeLimits {
    /// Conditions of all of a channel's filters.
    pub(super) filters_per_channel: usize,
    /// Bytes of queued changes of one caller; a subscriber beyond it has to join again.
    pub(super) waiting_bytes: usize,
    /// Bytes of WAL that the replication slot may keep; beyond it the slot is dropped and opened anew.
    pub(super) slot_wal_bytes: u64,
}

/// The channel that a subscription's messages are sent to.
#[derive(Clone, Debug)]
pub(super) struct Target {
    /// The channel's name on the wire.
    pub(super) topic: String,
    /// The same without `realtime:`.
    pub(super) channel: String,
    pub(super) outbox: Outbox,
}

/// A channel's subscription to changes.
#[derive(Debug)]
struct Subscriber {
    id: Id,
    bindings: Vec<Arc<Binding>>,
    caller: Caller,
    /// Its claims as JSON: those with equal claims are the same caller to PostgreSQL.
    claims: Arc<str>,
    target: Target,
    /// Whether nothing is sent any more.
    has_ended: AtomicBool,
    /// Whether it has filters that PostgreSQL has to evaluate.
    asks_postgres: AtomicBool,
    /// Tables of which its client was told that it may not read them.
    refused_tables: Mutex<BTreeSet<u32>>,
}

impl Subscriber {
    fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Relaxed)
    }

    /// A `system` message about the subscription.
    fn send_system(&self, status: &str, message: &str) {
        let Target { topic, channel, outbox } = &self.target;
        let payload =
            json!({ "extension": "postgres_changes", "status": status, "message": message, "channel": channel });
        outbox.send(frame::push(outbox.version, None, topic, "system", &payload));
    }

    /// Ends the subscription, but not its channel, and says why.
    fn end(&self, message: &str) {
        if !self.has_ended.swap(true, Ordering::Relaxed) {
            self.send_system("error", message);
        }
    }

    /// Ends the subscription so that its client joins again, and goes on from then: changes are lost to it.
    fn end_and_rejoin(&self, message: &str) {
        if !self.has_ended.swap(true, Ordering::Relaxed) {
            self.send_system("error", message);
            let Target { topic, outbox, .. } = &self.target;
            outbox.send(frame::push(outbox.version, None, topic, "phx_error", &json!({})));
        }
    }

    /// Whether this is the first refusal of a table.
    fn is_first_refusal(&self, table: u32) -> bool {
        self.refused_tables.lock().unwrap_or_else(PoisonError::into_inner).insert(table)
    }
}

#[derive(Debug)]
enum Command {
    Add(Arc<Subscriber>),
    Remove(Id),
}

/// Sends commands to the worker.
#[derive(Clone, Debug)]
pub(super) struct Changes {
    commands: mpsc::UnboundedSender<Command>,
}

impl Changes {
    /// Starts the worker; it opens no slot before somebody subscribes.
    pub(super) fn new(database: Database, shutdown: CancellationToken, limits: ChangeLimits) -> Self {
        let (commands, receiver) = mpsc::unbounded_channel();
        let reader = Arc::new(tokio::sync::Mutex::new(worker::Reader::new(database, receiver, limits)));
        tokio::spawn(async move {
            let reading = supervise("postgres_changes", shutdown.clone(), || worker::run(Arc::clone(&reader)));
            shutdown.run_until_cancelled(reading).await;
        });
        Self { commands }
    }

    /// Subscribes until the returned value is dropped. A `system` message tells the client the outcome.
    pub(super) fn subscribe(&self, bindings: Vec<Binding>, caller: Caller, target: Target) -> Subscription {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let subscriber = Arc::new(Subscriber {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            bindings: bindings.into_iter().map(Arc::new).collect(),
            claims: caller.claims_json().into(),
            caller,
            target,
            has_ended: AtomicBool::new(false),
            asks_postgres: AtomicBool::new(false),
            refused_tables: Mutex::default(),
        });
        // The worker ends with the program only.
        let _ = self.commands.send(Command::Add(Arc::clone(&subscriber)));
        Subscription { commands: self.commands.clone(), subscriber }
    }
}

/// A running subscription.
#[derive(Debug)]
pub(super) struct Subscription {
    commands: mpsc::UnboundedSender<Command>,
    subscriber: Arc<Subscriber>,
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.subscriber.has_ended.store(true, Ordering::Relaxed);
        let _ = self.commands.send(Command::Remove(self.subscriber.id));
    }
}
