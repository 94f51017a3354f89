//! Validates subscriptions to table changes. The tables must belong to the publication `supabase_realtime`, filters and selections must
//! name columns that the caller may read, and the values in a filter must have the type of the filter's column.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::Ordering;
use std::time::Duration;

use cloch_sql::Database;

use super::filter::{Filter, FilterError};
use super::replication_slot::{Column, PublishedTable, ReplicationSlot, Table};
use super::row;
use super::subscriber::Subscriber;
use crate::limits::ChangeLimits;

/// Timeout for checking one filter in PostgreSQL, including the connection.
const FILTER_CHECK_TIMEOUT: Duration = Duration::from_secs(1);
/// Maximum number of patterns in the filters of one channel. The number is limited because a pattern that PostgreSQL evaluates takes time for
/// every change.
const MAX_PATTERNS_PER_CHANNEL: usize = 10;

pub(super) enum Obstacle {
    Filter(FilterError),
    Unpublished(String),
    /// The check of a filter in PostgreSQL timed out, and is retried later.
    Busy,
}

/// Cached results of catalog queries, shared by all subscriptions that the worker validates one after the other.
#[derive(Debug, Default)]
pub(super) struct Known {
    published: Option<Vec<PublishedTable>>,
    tables: HashMap<u32, Option<Table>>,
    readable: HashMap<(String, u32), Vec<i16>>,
}

/// Validates a subscription. Returns the reason for which the subscription cannot be confirmed, or `None` if the subscription is valid.
pub(super) async fn obstacle(
    database: &Database,
    slot: &mut ReplicationSlot,
    known: &mut Known,
    limits: ChangeLimits,
    subscriber: &Subscriber,
) -> sqlx::Result<Option<Obstacle>> {
    if let Err(error) = check_numbers(limits, subscriber) {
        return Ok(Some(Obstacle::Filter(error)));
    }
    for binding in &subscriber.bindings {
        let filters = match &binding.filters {
            Ok(filters) => filters,
            Err(error) => return Ok(Some(Obstacle::Filter(error.clone()))),
        };
        let published = match &mut known.published {
            Some(published) => published,
            unknown @ None => unknown.insert(slot.published().await?),
        };
        let meant = |table: &&PublishedTable| binding.concerns_table(&table.schema, &table.name);
        let oids: Vec<u32> = published.iter().filter(meant).map(|table| table.oid).collect();
        if oids.is_empty() {
            return Ok(Some(Obstacle::Unpublished(binding.describe())));
        }
        for filter in filters {
            for oid in &oids {
                if let Some(obstacle) = check_filter(database, slot, known, subscriber, *oid, filter).await? {
                    return Ok(Some(obstacle));
                }
            }
        }
        for name in binding.select.iter().flatten() {
            for oid in &oids {
                if let Lookup::Unreadable = column(slot, known, subscriber.caller.role(), (*oid, name)).await? {
                    return Ok(Some(Obstacle::Filter(FilterError::SelectedColumn(name.clone()))));
                }
            }
        }
    }
    Ok(None)
}

fn check_numbers(limits: ChangeLimits, subscriber: &Subscriber) -> Result<(), FilterError> {
    let filters = || subscriber.bindings.iter().flat_map(|binding| binding.filters.iter().flatten());
    if filters().count() > limits.filters_per_channel || subscriber.bindings.len() > limits.filters_per_channel {
        return Err(FilterError::TooMany(limits.filters_per_channel));
    }
    match filters().filter(|filter| filter.operator.is_pattern()).count() {
        0..=MAX_PATTERNS_PER_CHANNEL => Ok(()),
        _ => Err(FilterError::TooMany(MAX_PATTERNS_PER_CHANNEL)),
    }
}

/// Result of the lookup of a column that a filter or a selection names.
enum Lookup<'a> {
    Readable(&'a Column),
    /// The table has no column with this name that the role may read.
    Unreadable,
    NoTable,
}

async fn column<'a>(
    slot: &mut ReplicationSlot,
    known: &'a mut Known,
    role: &str,
    (oid, name): (u32, &str),
) -> sqlx::Result<Lookup<'a>> {
    let table = match known.tables.entry(oid) {
        Entry::Occupied(entry) => entry.into_mut(),
        Entry::Vacant(entry) => entry.insert(slot.table(oid).await?),
    };
    let Some(table) = table else { return Ok(Lookup::NoTable) };
    let Some(column) = table.columns.iter().find(|column| column.name == name) else {
        return Ok(Lookup::Unreadable);
    };
    let readable = match known.readable.entry((role.to_owned(), oid)) {
        Entry::Occupied(entry) => entry.into_mut(),
        Entry::Vacant(entry) => {
            let columns = slot.readable(&entry.key().0, oid).await?;
            entry.insert(columns)
        }
    };
    Ok(if readable.contains(&column.number) { Lookup::Readable(column) } else { Lookup::Unreadable })
}

async fn check_filter(
    database: &Database,
    slot: &mut ReplicationSlot,
    known: &mut Known,
    subscriber: &Subscriber,
    oid: u32,
    filter: &Filter,
) -> sqlx::Result<Option<Obstacle>> {
    let column = match column(slot, known, subscriber.caller.role(), (oid, &filter.column)).await? {
        Lookup::Readable(column) => column,
        Lookup::Unreadable => return Ok(Some(Obstacle::Filter(FilterError::Column(filter.column.clone())))),
        Lookup::NoTable => return Ok(None),
    };
    if filter.is_decided_here(&column.type_sql) {
        return Ok(None);
    }
    subscriber.asks_postgres.store(true, Ordering::Relaxed);
    let asked = row::try_filter(database, &subscriber.caller, column, filter);
    match tokio::time::timeout(FILTER_CHECK_TIMEOUT, asked).await {
        Ok(Ok(Ok(()))) => Ok(None),
        Ok(Ok(Err(error))) => Ok(Some(Obstacle::Filter(error))),
        Ok(Err(sqlx::Error::PoolTimedOut)) => Ok(Some(Obstacle::Busy)),
        Ok(Err(error)) => Err(error),
        Err(_) => Ok(Some(Obstacle::Busy)),
    }
}
