//! The reader: takes wishes, reads the slot while there are any, and sends each change to those who asked for it and may see it.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use chrono::Utc;
use cloch_sql::Database;
use serde_json::json;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::Instant;

use super::filter::FilterError;
use super::pgoutput::{self, Event, Relation};
use super::source::{Source, Table};
use super::{Command, Id, Subscriber, deliver, row};
use crate::realtime::channel::system;

/// Between two readings of the slot.
const POLL: Duration = Duration::from_millis(100);
/// Before a subscription or the slot is tried again.
const RETRY: Duration = Duration::from_secs(5);

struct Worker {
    database: Database,
    source: Option<Source>,
    /// Those who are told of changes.
    confirmed: BTreeMap<Id, Arc<Subscriber>>,
    /// Those who will be when the database agrees, and whether they know that it did not.
    waiting: BTreeMap<Id, (Arc<Subscriber>, bool)>,
    retry: Instant,
}

/// Why a subscription is not confirmed.
enum Obstacle {
    /// It never will be.
    Filter(FilterError),
    /// No published table is meant.
    Unpublished(String),
}

pub(super) async fn run(database: Database, mut wishes: UnboundedReceiver<Command>) {
    let mut worker =
        Worker { database, source: None, confirmed: BTreeMap::new(), waiting: BTreeMap::new(), retry: Instant::now() };
    loop {
        let idle = worker.confirmed.is_empty() && worker.waiting.is_empty();
        tokio::select! {
            wish = wishes.recv() => match wish {
                Some(wish) => worker.take(wish),
                None => return,
            },
            () = tokio::time::sleep(POLL), if !idle || worker.source.is_some() => {
                if idle {
                    worker.close().await;
                } else if let Err(error) = worker.turn().await {
                    worker.lose(&error);
                }
            }
        }
    }
}

impl Worker {
    fn take(&mut self, command: Command) {
        match command {
            Command::Add(id, subscriber) => {
                self.waiting.insert(id, (Arc::new(*subscriber), false));
                // A new wish is looked at now, those that failed in their time.
                if self.source.is_some() {
                    self.retry = Instant::now();
                }
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
    }

    /// The database is away, or refuses: everybody waits again, and is told once.
    fn lose(&mut self, error: &sqlx::Error) {
        tracing::warn!(%error, "changes of tables cannot be read");
        self.source = None;
        self.retry = Instant::now() + RETRY;
        let confirmed =
            std::mem::take(&mut self.confirmed).into_iter().map(|(id, subscriber)| (id, (subscriber, false)));
        self.waiting.extend(confirmed);
        for (subscriber, told) in self.waiting.values_mut() {
            if !std::mem::replace(told, true) {
                say(subscriber, "error", "Unable to connect to the project database");
            }
        }
    }

    async fn turn(&mut self) -> sqlx::Result<()> {
        if Instant::now() >= self.retry {
            if self.source.is_none() {
                self.source = Some(Source::open(&self.database).await?);
            }
            self.confirm_waiting().await?;
            self.retry = Instant::now() + RETRY;
        }
        let Some(source) = &mut self.source else { return Ok(()) };
        let messages = source.read().await?;
        self.deliver(&messages).await
    }

    async fn confirm_waiting(&mut self) -> sqlx::Result<()> {
        let waiting: Vec<Id> = self.waiting.keys().copied().collect();
        for id in waiting {
            let Some((subscriber, told)) = self.waiting.get(&id).cloned() else { continue };
            match self.obstacle(&subscriber).await? {
                None => {
                    say(&subscriber, "ok", "Subscribed to PostgreSQL");
                    self.waiting.remove(&id);
                    self.confirmed.insert(id, subscriber);
                }
                Some(Obstacle::Filter(error)) => {
                    say(&subscriber, "error", &error.to_string());
                    self.waiting.remove(&id);
                }
                Some(Obstacle::Unpublished(bindings)) => {
                    if !told {
                        say(
                            &subscriber,
                            "error",
                            &format!(
                                "Unable to subscribe to changes with given parameters. \
                             Please check Realtime is enabled for the given connect parameters: [{bindings}]"
                            ),
                        );
                    }
                    self.waiting.insert(id, (subscriber, true));
                }
            }
        }
        Ok(())
    }

    async fn obstacle(&mut self, subscriber: &Subscriber) -> sqlx::Result<Option<Obstacle>> {
        let Some(source) = &mut self.source else { return Ok(None) };
        for binding in &subscriber.bindings {
            let filters = match &binding.filters {
                Ok(filters) => filters,
                Err(error) => return Ok(Some(Obstacle::Filter(error.clone()))),
            };
            let oids = source.published(&binding.schema, binding.table.as_deref()).await?;
            if oids.is_empty() {
                return Ok(Some(Obstacle::Unpublished(binding.describe())));
            }
            if filters.is_empty() {
                continue;
            }
            for oid in oids {
                let Some(table) = source.table(oid).await? else { continue };
                for filter in filters {
                    if let Err(error) = row::check_filter(&self.database, &subscriber.caller, &table, filter).await? {
                        return Ok(Some(Obstacle::Filter(error)));
                    }
                }
            }
        }
        Ok(None)
    }

    async fn deliver(&mut self, messages: &[Vec<u8>]) -> sqlx::Result<()> {
        let mut relations: HashMap<u32, Relation> = HashMap::new();
        let mut tables: HashMap<u32, Option<Table>> = HashMap::new();
        let mut committed = Utc::now();
        for message in messages {
            match pgoutput::read(message).map_err(|error| sqlx::Error::Decode(error.into()))? {
                Some(Event::Begin(time)) => committed = time,
                Some(Event::Relation(relation)) => {
                    tables.remove(&relation.id);
                    relations.insert(relation.id, relation);
                }
                Some(Event::Change(change)) => {
                    let Some(relation) = relations.get(&change.relation) else { continue };
                    let concerned = deliver::concerned(&self.confirmed, relation, &change);
                    if concerned.is_empty() {
                        continue;
                    }
                    let table = match tables.entry(relation.id) {
                        Entry::Occupied(known) => known.into_mut(),
                        Entry::Vacant(unknown) => {
                            let Some(source) = &mut self.source else { return Ok(()) };
                            unknown.insert(source.table(relation.id).await?)
                        }
                    };
                    if let Some(table) = table {
                        deliver::tell(&self.database, concerned, relation, table, &change, committed).await;
                    }
                }
                None => {}
            }
        }
        Ok(())
    }
}

/// A `system` message about the subscription.
fn say(subscriber: &Subscriber, status: &str, message: &str) {
    let address = &subscriber.address;
    let payload = json!({
        "extension": "postgres_changes",
        "status": status,
        "message": message,
        "channel": address.channel,
    });
    address.outbox.send(system(&address.outbox, &address.topic, &payload));
}
