//! Worker that reads the stream of the replication slot while there are subscriptions, and queues each change for the matching subscribers.
//! The worker waits only for the database, never for a subscriber. Between the messages of the stream, it spends only a limited time on the
//! confirmation of new subscriptions.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use cloch_sql::Database;
use tokio::sync::Mutex;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::Instant;

use super::decoder::Decoder;
use super::pipeline::Pipeline;
use super::read_error::ReadError;
use super::replication_slot::{ReplicationSlot, SlotError};
use super::subscriber::{Id, Subscriber};
use super::validate_subscription::{self, Known, Obstacle};
use crate::counters::COUNTERS;
use crate::limits::ChangeLimits;

/// Interval between checks of unconfirmed subscriptions, and between checks whether all subscriptions have ended.
const TICK_INTERVAL: Duration = Duration::from_millis(100);
/// Delay before the validation of a subscription or the opening of the replication slot is retried.
const RETRY_DELAY: Duration = Duration::from_secs(5);
/// Maximum time for the confirmation of subscriptions in each [`TICK_INTERVAL`]. The remaining subscriptions wait for the next interval.
const MAX_CONFIRM_TIME: Duration = Duration::from_millis(50);
const OPEN_TIMEOUT: Duration = Duration::from_secs(15);
/// Interval between confirmations of the received WAL, and between checks of the WAL that the slot keeps.
const MAINTENANCE_INTERVAL: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(super) enum Command {
    Add(Arc<Subscriber>),
    /// Replaces the subscriber with the id `before` by the subscriber `by`, which has requested the same changes.
    Replace {
        before: Id,
        by: Arc<Subscriber>,
    },
    Remove(Id),
}

/// The worker that reads the replication slot, and the queue of its commands. The value survives a panic of the worker's task, so that the
/// list of subscribers is not lost.
#[derive(Debug)]
pub(super) struct Reader {
    worker: Worker,
    commands: UnboundedReceiver<Command>,
    /// Whether the worker is processing an event. Still true after a panic.
    is_working: bool,
}

#[derive(Debug)]
struct Worker {
    database: Database,
    limits: ChangeLimits,
    slot: Option<ReplicationSlot>,
    decoder: Decoder,
    pipeline: Pipeline,
    confirmed: BTreeMap<Id, Arc<Subscriber>>,
    /// Subscribers whose subscriptions are not confirmed yet.
    waiting: BTreeMap<Id, Waiting>,
    /// Earliest time at which the replication slot may be opened again.
    retry_at: Instant,
    next_maintenance: Instant,
}

/// An unconfirmed subscription.
#[derive(Debug)]
struct Waiting {
    subscriber: Arc<Subscriber>,
    due: Instant,
    /// Whether the client was notified that its subscription has to wait.
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
            pipeline: Pipeline::start(database.clone(), limits.waiting_bytes),
            database,
            limits,
            slot: None,
            decoder: Decoder::default(),
            confirmed: BTreeMap::new(),
            waiting: BTreeMap::new(),
            retry_at: Instant::now(),
            next_maintenance: Instant::now(),
        };
        Self { worker, commands, is_working: false }
    }
}

/// Runs the worker until all handles that send commands are dropped.
pub(super) async fn run(reader: Arc<Mutex<Reader>>) {
    let mut reader = reader.lock().await;
    let Reader { worker, commands, is_working } = &mut *reader;
    if std::mem::take(is_working) {
        worker.lose(&ReadError::Panicked);
    }
    let mut ticks = tokio::time::interval(TICK_INTERVAL);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        let is_needed = worker.slot.is_some() || !worker.is_idle();
        let outcome = tokio::select! {
            command = commands.recv() => {
                let Some(command) = command else { return };
                *is_working = true;
                worker.execute(command);
                while let Ok(command) = commands.try_recv() {
                    worker.execute(command);
                }
                worker.tend().await
            }
            message = next(&mut worker.slot) => {
                *is_working = true;
                match message {
                    Ok(message) => worker.read(&message).await,
                    Err(error) => Err(error.into()),
                }
            }
            _ = ticks.tick(), if is_needed => {
                *is_working = true;
                worker.tend().await
            }
        };
        if let Err(error) = outcome {
            worker.lose(&error);
        }
        *is_working = false;
    }
}

/// Waits for the next message of the replication slot. Without a slot, waits forever. Cancel safe.
async fn next(slot: &mut Option<ReplicationSlot>) -> Result<Bytes, SlotError> {
    match slot {
        Some(slot) => slot.next().await,
        None => std::future::pending().await,
    }
}

impl Worker {
    fn is_idle(&self) -> bool {
        self.confirmed.is_empty() && self.waiting.is_empty()
    }

    fn execute(&mut self, command: Command) {
        match command {
            Command::Add(subscriber) => {
                self.waiting.insert(subscriber.id, Waiting::new(subscriber));
            }
            Command::Replace { before, by } => {
                self.waiting.remove(&before);
                if let Some(before) = self.confirmed.remove(&before).filter(|before| !before.has_ended()) {
                    by.asks_postgres.store(before.asks_postgres.load(Ordering::Relaxed), Ordering::Relaxed);
                    self.confirmed.insert(by.id, Arc::clone(&by));
                }
                self.decoder.forget_recipients();
                self.waiting.insert(by.id, Waiting::new(by));
            }
            Command::Remove(id) => {
                self.waiting.remove(&id);
                if self.confirmed.remove(&id).is_some() {
                    self.decoder.forget_recipients();
                }
            }
        }
    }

    async fn close(&mut self) {
        if let Some(slot) = self.slot.take() {
            slot.close().await;
        }
        self.decoder = Decoder::default();
        COUNTERS.slot_lag_bytes.set(0);
    }

    /// Handles a lost database or replication slot: all subscriptions wait for confirmation again, and each client is notified once.
    fn lose(&mut self, error: &ReadError) {
        tracing::warn!(%error, "realtime: reading table changes from the replication slot failed, subscriptions get no changes until a retry succeeds, retrying in 5 s");
        self.slot = None;
        self.decoder = Decoder::default();
        // PostgreSQL drops a temporary slot when its connection closes, so this node has no slot and no lag.
        COUNTERS.slot_lag_bytes.set(0);
        self.retry_at = Instant::now() + RETRY_DELAY;
        let confirmed = std::mem::take(&mut self.confirmed).into_iter();
        self.waiting.extend(confirmed.map(|(id, subscriber)| (id, Waiting::new(subscriber))));
        for waiting in self.waiting.values_mut() {
            if !std::mem::replace(&mut waiting.is_told, true) {
                waiting.subscriber.send_system("error", "Unable to connect to the project database");
            }
        }
    }

    /// Opens the replication slot if it is closed, confirms new subscriptions, and confirms received WAL. Closes the slot if there are no
    /// subscriptions.
    async fn tend(&mut self) -> Result<(), ReadError> {
        self.waiting.retain(|_, waiting| !waiting.subscriber.has_ended());
        let before = self.confirmed.len();
        self.confirmed.retain(|_, subscriber| !subscriber.has_ended());
        if self.confirmed.len() < before {
            self.decoder.forget_recipients();
        }
        if self.is_idle() {
            self.close().await;
            return Ok(());
        }
        if self.slot.is_none() {
            if Instant::now() < self.retry_at {
                self.waiting.values().for_each(|waiting| waiting.subscriber.settled.notify_one());
                return Ok(());
            }
            let opening = tokio::time::timeout(OPEN_TIMEOUT, ReplicationSlot::open(&self.database));
            self.slot = Some(opening.await.map_err(|_| ReadError::OpenTimeout)??);
        }
        self.confirm_waiting().await?;
        self.maintain().await
    }

    /// Confirms the received WAL, and checks the amount of WAL that the slot keeps.
    async fn maintain(&mut self) -> Result<(), ReadError> {
        let Some(slot) = self.slot.as_mut().filter(|_| Instant::now() >= self.next_maintenance) else { return Ok(()) };
        self.next_maintenance = Instant::now() + MAINTENANCE_INTERVAL;
        slot.confirm().await?;
        let wal = slot.wal().await?;
        COUNTERS.slot_lag_bytes.set(wal.unread_bytes);
        match wal.kept_bytes {
            bytes if bytes > self.limits.slot_wal_bytes => Err(ReadError::TooMuchWal(bytes)),
            _ => Ok(()),
        }
    }

    async fn confirm_waiting(&mut self) -> Result<(), ReadError> {
        let begun = Instant::now();
        let mut due: Vec<(Instant, Id)> = self.waiting.iter().map(|(id, waiting)| (waiting.due, *id)).collect();
        due.retain(|(due, _)| *due <= begun);
        // The subscriptions are sorted by due time, so that subscriptions whose validation is retried come after new
        // subscriptions.
        due.sort_unstable();
        let mut known = Known::default();
        for (_, id) in due {
            if begun.elapsed() > MAX_CONFIRM_TIME {
                return Ok(());
            }
            let (Some(slot), Some(waiting)) = (&mut self.slot, self.waiting.get_mut(&id)) else { continue };
            let subscriber = Arc::clone(&waiting.subscriber);
            let found =
                validate_subscription::obstacle(&self.database, slot, &mut known, self.limits, &subscriber).await?;
            waiting.due = Instant::now() + RETRY_DELAY;
            match found {
                None => {
                    subscriber.send_system("ok", "Subscribed to PostgreSQL");
                    self.waiting.remove(&id);
                    self.confirmed.insert(id, subscriber);
                    self.decoder.forget_recipients();
                }
                Some(Obstacle::Filter(error)) => {
                    subscriber.end(&error.to_string());
                    self.waiting.remove(&id);
                    // A subscriber that has replaced another subscriber receives changes before its own subscription is
                    // confirmed.
                    if self.confirmed.remove(&id).is_some() {
                        self.decoder.forget_recipients();
                    }
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
                Some(Obstacle::Busy) => subscriber.settled.notify_one(),
            }
        }
        Ok(())
    }

    /// Decodes a message of the replication slot and queues the table change in the message. The changes of a large transaction are queued
    /// one by one, so the transaction is never in memory as a whole.
    async fn read(&mut self, message: &[u8]) -> Result<(), ReadError> {
        let Some(slot) = &mut self.slot else { return Ok(()) };
        if let Some((change, recipients)) = self.decoder.take(message, slot, &self.confirmed).await? {
            self.pipeline.push(change, recipients);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
