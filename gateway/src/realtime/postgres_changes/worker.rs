//! The worker: polls the replication slot while there are subscriptions, and queues each change for the matching subscribers. It waits for
//! the database only, never for a subscriber, and spends a bounded part of each poll on new subscriptions.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use chrono::Utc;
use cloch_sql::Database;
use futures_util::TryStreamExt;
use tokio::sync::Mutex;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::Instant;

use super::confirm::{self, Known, Obstacle};
use super::deliver::{self, TableChange};
use super::pgoutput::{self, Change, Event, Relation};
use super::queue::Queues;
use super::replication_slot::{Catalog, ReplicationSlot, Table};
use super::subscriber::{ChangeLimits, Id, Subscriber};

/// Time between two reads of the slot.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// Time before a subscription or the slot is retried.
const RETRY_DELAY: Duration = Duration::from_secs(5);
/// Time in each poll for confirming subscriptions; the rest waits for the next poll.
const MAX_CONFIRM_TIME: Duration = Duration::from_millis(50);
/// Timeout for opening the slot.
const OPEN_TIMEOUT: Duration = Duration::from_secs(15);
/// Time between two checks of the WAL that the slot keeps, and of ended queues.
const MAINTENANCE_INTERVAL: Duration = Duration::from_secs(10);

/// A command to the worker.
#[derive(Debug)]
pub(super) enum Command {
    Add(Arc<Subscriber>),
    Remove(Id),
}

/// Why changes cannot be read. All subscribers wait until they can.
#[derive(Debug, thiserror::Error)]
enum ReadError {
    #[error("{0}")]
    Database(#[from] sqlx::Error),
    #[error("{0}")]
    Message(#[from] pgoutput::Malformed),
    #[error("the database does not open a replication slot in time")]
    OpenTimeout,
    #[error("the replication slot keeps {0} bytes of WAL: it is given up and opened anew")]
    TooMuchWal(u64),
    #[error("the reader panicked")]
    Panicked,
}

/// The worker's state and commands. The state of its subscribers survives a panic.
#[derive(Debug)]
pub(super) struct Reader {
    worker: Worker,
    commands: UnboundedReceiver<Command>,
    /// Whether a poll is in progress.
    is_polling: bool,
}

#[derive(Debug)]
struct Worker {
    database: Database,
    limits: ChangeLimits,
    slot: Option<ReplicationSlot>,
    queues: Queues,
    /// Subscribers whose subscriptions are confirmed.
    confirmed: BTreeMap<Id, Arc<Subscriber>>,
    /// Subscribers whose subscriptions are not confirmed yet.
    waiting: BTreeMap<Id, Waiting>,
    /// The earliest time at which the slot may be opened again.
    retry_at: Instant,
    next_maintenance: Instant,
}

/// A subscription that is not confirmed.
#[derive(Debug)]
struct Waiting {
    subscriber: Arc<Subscriber>,
    /// The time of its next check.
    due: Instant,
    /// Whether its client was told that it has to wait.
    is_told: bool,
}

impl Waiting {
    fn new(subscriber: Arc<Subscriber>) -> Self {
        Self { subscriber, due: Instant::now(), is_told: false }
    }
}

impl Reader {
    pub(super) fn new(database: Database, commands: UnboundedReceiver<Command>, limits: ChangeLimits) -> Self {
        let worker = Worker {
            queues: Queues::new(database.clone(), limits.waiting_bytes),
            database,
            limits,
            slot: None,
            confirmed: BTreeMap::new(),
            waiting: BTreeMap::new(),
            retry_at: Instant::now(),
            next_maintenance: Instant::now(),
        };
        Self { worker, commands, is_polling: false }
    }
}

/// Polls until the command channel is closed.
pub(super) async fn run(reader: Arc<Mutex<Reader>>) {
    let mut reader = reader.lock().await;
    let Reader { worker, commands, is_polling } = &mut *reader;
    if std::mem::take(is_polling) {
        worker.lose(&ReadError::Panicked);
    }
    loop {
        let idle = worker.confirmed.is_empty() && worker.waiting.is_empty();
        tokio::select! {
            command = commands.recv() => match command {
                Some(command) => worker.execute(command),
                None => return,
            },
            () = tokio::time::sleep(POLL_INTERVAL), if !idle || worker.slot.is_some() => {
                *is_polling = true;
                if idle {
                    worker.close().await;
                } else if let Err(error) = worker.poll().await {
                    worker.lose(&error);
                }
                *is_polling = false;
            }
        }
    }
}

impl Worker {
    fn execute(&mut self, command: Command) {
        match command {
            Command::Add(subscriber) => {
                self.waiting.insert(subscriber.id, Waiting::new(subscriber));
            }
            Command::Remove(id) => {
                self.confirmed.remove(&id);
                self.waiting.remove(&id);
            }
        }
    }

    async fn close(&mut self) {
        if let Some(slot) = self.slot.take() {
            slot.close().await;
        }
        self.queues.prune();
    }

    /// Handles a lost or refusing database: all subscribers wait for confirmation again, and are told once.
    fn lose(&mut self, error: &ReadError) {
        tracing::warn!(%error, "changes of tables cannot be read");
        self.slot = None;
        self.retry_at = Instant::now() + RETRY_DELAY;
        let confirmed = std::mem::take(&mut self.confirmed).into_iter();
        self.waiting.extend(confirmed.map(|(id, subscriber)| (id, Waiting::new(subscriber))));
        for waiting in self.waiting.values_mut() {
            if !std::mem::replace(&mut waiting.is_told, true) {
                waiting.subscriber.send_system("error", "Unable to connect to the project database");
            }
        }
    }

    async fn poll(&mut self) -> Result<(), ReadError> {
        self.confirmed.retain(|_, subscriber| !subscriber.has_ended());
        if self.slot.is_none() {
            if Instant::now() < self.retry_at {
                return Ok(());
            }
            let opening = tokio::time::timeout(OPEN_TIMEOUT, ReplicationSlot::open(&self.database));
            self.slot = Some(opening.await.map_err(|_| ReadError::OpenTimeout)??);
        }
        self.confirm_waiting().await?;
        self.maintain().await?;
        self.read().await
    }

    /// Checks the size of the WAL that the slot keeps, and removes ended queues.
    async fn maintain(&mut self) -> Result<(), ReadError> {
        let Some(slot) = self.slot.as_mut().filter(|_| Instant::now() >= self.next_maintenance) else { return Ok(()) };
        self.next_maintenance = Instant::now() + MAINTENANCE_INTERVAL;
        self.queues.prune();
        match slot.kept_wal_bytes().await? {
            bytes if bytes > self.limits.slot_wal_bytes => Err(ReadError::TooMuchWal(bytes)),
            _ => Ok(()),
        }
    }

    async fn confirm_waiting(&mut self) -> Result<(), ReadError> {
        let begun = Instant::now();
        let mut due: Vec<(Instant, Id)> = self.waiting.iter().map(|(id, waiting)| (waiting.due, *id)).collect();
        due.retain(|(due, _)| *due <= begun);
        // Ordered by time, so that failed ones come after new ones.
        due.sort_unstable();
        let mut known = Known::default();
        for (_, id) in due {
            if begun.elapsed() > MAX_CONFIRM_TIME {
                return Ok(());
            }
            let (Some(slot), Some(waiting)) = (&mut self.slot, self.waiting.get_mut(&id)) else { continue };
            let subscriber = Arc::clone(&waiting.subscriber);
            let found = confirm::obstacle(&self.database, slot, &mut known, self.limits, &subscriber).await?;
            waiting.due = Instant::now() + RETRY_DELAY;
            match found {
                None => {
                    subscriber.send_system("ok", "Subscribed to PostgreSQL");
                    self.waiting.remove(&id);
                    self.confirmed.insert(id, subscriber);
                }
                Some(Obstacle::Filter(error)) => {
                    subscriber.end(&error.to_string());
                    self.waiting.remove(&id);
                }
                Some(Obstacle::Unpublished(bindings)) => {
                    if !std::mem::replace(&mut waiting.is_told, true) {
                        subscriber.send_system(
                            "error",
                            &format!(
                                "Unable to subscribe to changes with given parameters. \
                                 Please check Realtime is enabled for the given connect parameters: [{bindings}]"
                            ),
                        );
                    }
                }
                Some(Obstacle::Busy) => {}
            }
        }
        Ok(())
    }

    /// Reads committed transactions and queues them message by message: a large transaction is never in memory as a whole.
    async fn read(&mut self) -> Result<(), ReadError> {
        let Some(slot) = &mut self.slot else { return Ok(()) };
        let (mut messages, mut catalog) = slot.read();
        let mut relations: HashMap<u32, Arc<Relation>> = HashMap::new();
        let mut tables: HashMap<u32, Option<Arc<Table>>> = HashMap::new();
        let mut committed = Utc::now();
        while let Some(message) = messages.try_next().await? {
            match pgoutput::read(&message)? {
                Some(Event::Begin(time)) => committed = time,
                Some(Event::Relation(relation)) => {
                    tables.remove(&relation.id);
                    relations.insert(relation.id, Arc::new(relation));
                }
                Some(Event::Change(change)) => {
                    let Some(relation) = relations.get(&change.relation) else { continue };
                    let concerned = deliver::concerned(&self.confirmed, relation, &change);
                    if concerned.is_empty() {
                        continue;
                    }
                    let Some(table) = table(&mut tables, &mut catalog, relation.id).await? else { continue };
                    let bytes = memory(&message, &change);
                    let change = TableChange { table, relation: Arc::clone(relation), change, committed, bytes };
                    self.queues.push(&Arc::new(change), concerned);
                }
                None => {}
            }
        }
        Ok(())
    }
}

async fn table(
    tables: &mut HashMap<u32, Option<Arc<Table>>>,
    catalog: &mut Catalog<'_>,
    oid: u32,
) -> sqlx::Result<Option<Arc<Table>>> {
    Ok(match tables.entry(oid) {
        Entry::Occupied(known) => known.get().clone(),
        Entry::Vacant(unknown) => unknown.insert(catalog.table(oid).await?.map(Arc::new)).clone(),
    })
}

/// Estimated memory of a change: its texts and their containers.
fn memory(message: &[u8], change: &Change) -> usize {
    let cells = change.old.iter().chain(&change.new).map(Vec::len).sum::<usize>();
    message.len() + cells * size_of::<pgoutput::Cell>() + size_of::<TableChange>()
}

#[cfg(test)]
mod tests;
