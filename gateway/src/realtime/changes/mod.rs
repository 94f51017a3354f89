//! Changes of tables (`postgres_changes`): one reader of PostgreSQL's logical replication, shared by all subscribers of a node.
//!
//! The reader ([`worker`]) holds a temporary slot, so that nothing is kept in the database for a node that is gone, and only
//! while somebody listens. A change goes from the slot ([`source`], [`pgoutput`]) to the subscriptions that ask for it
//! ([`binding`], [`filter`]); what a subscriber sees of it is asked of PostgreSQL as that subscriber
//! ([`row`], [`deliver`]).

mod binding;
mod deliver;
mod filter;
mod pgoutput;
mod row;
mod source;
mod worker;

use std::sync::atomic::{AtomicU64, Ordering};

use cloch_sql::{Caller, Database};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

pub(super) use binding::Binding;

use super::hub::Outbox;

/// Names a subscription.
type Id = u64;

/// Where a subscription's messages go.
#[derive(Clone, Debug)]
pub(super) struct Address {
    /// The channel's name on the wire.
    pub(super) topic: String,
    /// The same without `realtime:`.
    pub(super) channel: String,
    pub(super) outbox: Outbox,
}

/// A channel's wish for changes.
#[derive(Debug)]
struct Subscriber {
    bindings: Vec<Binding>,
    caller: Caller,
    address: Address,
}

#[derive(Debug)]
enum Command {
    Add(Id, Box<Subscriber>),
    Remove(Id),
}

/// The way to the reader.
#[derive(Clone, Debug)]
pub(super) struct Changes {
    commands: mpsc::UnboundedSender<Command>,
}

impl Changes {
    /// Starts the reader; it opens nothing before somebody subscribes.
    pub(super) fn new(database: Database, shutdown: CancellationToken) -> Self {
        let (commands, wishes) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            shutdown.run_until_cancelled(worker::run(database, wishes)).await;
        });
        Self { commands }
    }

    /// Subscribes, until the answer is dropped. The channel is told by a `system` message how it went.
    pub(super) fn subscribe(&self, bindings: Vec<Binding>, caller: Caller, address: Address) -> Subscription {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let subscriber = Box::new(Subscriber { bindings, caller, address });
        // The reader ends with the program only.
        let _ = self.commands.send(Command::Add(id, subscriber));
        Subscription { commands: self.commands.clone(), id }
    }
}

/// A running subscription.
#[derive(Debug)]
pub(super) struct Subscription {
    commands: mpsc::UnboundedSender<Command>,
    id: Id,
}

impl Drop for Subscription {
    fn drop(&mut self) {
        let _ = self.commands.send(Command::Remove(self.id));
    }
}
