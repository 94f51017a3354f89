//! The reader: takes wishes, reads the slot while there are any, and hands each change to the queues of those who asked for it.
//! It waits for the database alone, never for a subscriber, and gives no more than a slice of a turn to new subscriptions.

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
use super::source::{Catalog, Source, Table};
use super::{ChangeLimits, Command, Id, Subscriber};

/// Between two readings of the slot.
const POLL: Duration = Duration::from_millis(100);
/// Before a subscription or the slot is tried again.
const RETRY: Duration = Duration::from_secs(5);
/// The share of a turn in which subscriptions are looked at; the rest waits for the next turn.
const CONFIRM_SLICE: Duration = Duration::from_millis(50);
/// Longest time for opening the slot.
const OPEN_TIMEOUT: Duration = Duration::from_secs(15);
/// Between two looks at how much WAL the slot keeps, and at queues that have ended.
const UPKEEP: Duration = Duration::from_secs(10);

/// Why changes cannot be read; everybody waits until they can.
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

/// The reader and its orders. What it knows of its subscribers outlives a panic.
#[derive(Debug)]
pub(super) struct Reader {
    worker: Worker,
    wishes: UnboundedReceiver<Command>,
    /// Whether a turn has begun and not ended.
    is_in_turn: bool,
}

#[derive(Debug)]
struct Worker {
    database: Database,
    limits: ChangeLimits,
    source: Option<Source>,
    queues: Queues,
    /// Those who are told of changes.
    confirmed: BTreeMap<Id, Arc<Subscriber>>,
    /// Those who will be when the database agrees.
    waiting: BTreeMap<Id, Waiting>,
    /// When the slot may be opened.
    retry: Instant,
    upkeep: Instant,
}

/// A subscription that is not confirmed.
#[derive(Debug)]
struct Waiting {
    subscriber: Arc<Subscriber>,
    /// When it is looked at.
    due: Instant,
    /// Whether it knows that it has to wait.
    is_told: bool,
}

impl Waiting {
    fn new(subscriber: Arc<Subscriber>) -> Self {
        Self { subscriber, due: Instant::now(), is_told: false }
    }
}

impl Reader {
    pub(super) fn new(database: Database, wishes: UnboundedReceiver<Command>, limits: ChangeLimits) -> Self {
        let worker = Worker {
            queues: Queues::new(database.clone(), limits.waiting_bytes),
            database,
            limits,
            source: None,
            confirmed: BTreeMap::new(),
            waiting: BTreeMap::new(),
            retry: Instant::now(),
            upkeep: Instant::now(),
        };
        Self { worker, wishes, is_in_turn: false }
    }
}

/// Reads until nobody can subscribe any more.
pub(super) async fn run(reader: Arc<Mutex<Reader>>) {
    let mut reader = reader.lock().await;
    let Reader { worker, wishes, is_in_turn } = &mut *reader;
    if std::mem::take(is_in_turn) {
        worker.lose(&ReadError::Panicked);
    }
    loop {
        let idle = worker.confirmed.is_empty() && worker.waiting.is_empty();
        tokio::select! {
            wish = wishes.recv() => match wish {
                Some(wish) => worker.take(wish),
                None => return,
            },
            () = tokio::time::sleep(POLL), if !idle || worker.source.is_some() => {
                *is_in_turn = true;
                if idle {
                    worker.close().await;
                } else if let Err(error) = worker.turn().await {
                    worker.lose(&error);
                }
                *is_in_turn = false;
            }
        }
    }
}

impl Worker {
    fn take(&mut self, command: Command) {
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
        if let Some(source) = self.source.take() {
            source.close().await;
        }
        self.queues.prune();
    }

    /// The database is away, or refuses: everybody waits again, and is told once.
    fn lose(&mut self, error: &ReadError) {
        tracing::warn!(%error, "changes of tables cannot be read");
        self.source = None;
        self.retry = Instant::now() + RETRY;
        let confirmed = std::mem::take(&mut self.confirmed).into_iter();
        self.waiting.extend(confirmed.map(|(id, subscriber)| (id, Waiting::new(subscriber))));
        for waiting in self.waiting.values_mut() {
            if !std::mem::replace(&mut waiting.is_told, true) {
                waiting.subscriber.say("error", "Unable to connect to the project database");
            }
        }
    }

    async fn turn(&mut self) -> Result<(), ReadError> {
        self.confirmed.retain(|_, subscriber| !subscriber.has_ended());
        if self.source.is_none() {
            if Instant::now() < self.retry {
                return Ok(());
            }
            let opening = tokio::time::timeout(OPEN_TIMEOUT, Source::open(&self.database));
            self.source = Some(opening.await.map_err(|_| ReadError::OpenTimeout)??);
        }
        self.confirm_waiting().await?;
        self.keep_up().await?;
        self.read().await
    }

    /// Looks at what grows unseen.
    async fn keep_up(&mut self) -> Result<(), ReadError> {
        let Some(source) = self.source.as_mut().filter(|_| Instant::now() >= self.upkeep) else { return Ok(()) };
        self.upkeep = Instant::now() + UPKEEP;
        self.queues.prune();
        match source.kept_wal_bytes().await? {
            bytes if bytes > self.limits.slot_wal_bytes => Err(ReadError::TooMuchWal(bytes)),
            _ => Ok(()),
        }
    }

    async fn confirm_waiting(&mut self) -> Result<(), ReadError> {
        let begun = Instant::now();
        let mut due: Vec<(Instant, Id)> = self.waiting.iter().map(|(id, waiting)| (waiting.due, *id)).collect();
        due.retain(|(due, _)| *due <= begun);
        // Who has waited longest comes first: those that failed before stand behind those that are new.
        due.sort_unstable();
        let mut known = Known::default();
        for (_, id) in due {
            if begun.elapsed() > CONFIRM_SLICE {
                return Ok(());
            }
            let (Some(source), Some(waiting)) = (&mut self.source, self.waiting.get_mut(&id)) else { continue };
            let subscriber = Arc::clone(&waiting.subscriber);
            let found = confirm::obstacle(&self.database, source, &mut known, self.limits, &subscriber).await?;
            waiting.due = Instant::now() + RETRY;
            match found {
                None => {
                    subscriber.say("ok", "Subscribed to PostgreSQL");
                    self.waiting.remove(&id);
                    self.confirmed.insert(id, subscriber);
                }
                Some(Obstacle::Filter(error)) => {
                    subscriber.end(&error.to_string());
                    self.waiting.remove(&id);
                }
                Some(Obstacle::Unpublished(bindings)) => {
                    if !std::mem::replace(&mut waiting.is_told, true) {
                        subscriber.say(
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

    /// Reads what was committed, and hands it out message by message: a large transaction is never whole in memory.
    async fn read(&mut self) -> Result<(), ReadError> {
        let Some(source) = &mut self.source else { return Ok(()) };
        let (mut messages, mut catalog) = source.read();
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

/// About how much memory a change takes: its texts, and what holds them.
fn memory(message: &[u8], change: &Change) -> usize {
    let cells = change.old.iter().chain(&change.new).map(Vec::len).sum::<usize>();
    message.len() + cells * size_of::<pgoutput::Cell>() + size_of::<TableChange>()
}

#[cfg(test)]
mod tests;
