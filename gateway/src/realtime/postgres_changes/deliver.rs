//! Delivers a change to its subscribers, each with the columns it may read.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use chrono::{DateTime, SecondsFormat, Utc};
use cloch_sql::Database;
use serde_json::{Map, Value, json};

use super::binding::Binding;
use super::compare::Patterns;
use super::filter::{Filter, FilterError};
use super::pgoutput::{Cell, Change, Kind, Relation};
use super::replication_slot::{Column, Table};
use super::row::{self, RowChange, Seen};
use super::subscriber::{Id, Recipient, Subscriber};
use crate::realtime::frame;

/// Size above which long values are left out of a record, as upstream.
const MAX_RECORD_BYTES: usize = 1024 * 1024;
/// Size from which a value counts as long.
const LONG_VALUE_BYTES: usize = 64;
const TOO_LARGE: &str = "Error 413: Payload Too Large";

/// A change of a table, shared by all its recipients.
#[derive(Debug)]
pub(super) struct TableChange {
    pub(super) table: Arc<Table>,
    pub(super) relation: Arc<Relation>,
    pub(super) change: Change,
    pub(super) committed: DateTime<Utc>,
    /// Its estimated memory.
    pub(super) bytes: usize,
}

/// The outcome of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// All subscribers received what they may see.
    Told,
    /// PostgreSQL did not decide the visibility in time; nothing was sent.
    TimedOut,
}

/// The subscribers whose bindings match a change, ignoring filters.
pub(super) fn concerned(
    subscribers: &BTreeMap<Id, Arc<Subscriber>>,
    relation: &Relation,
    change: &Change,
) -> Vec<Recipient> {
    let asks = |binding: &&Arc<Binding>| binding.concerns(&relation.schema, &relation.table, change.kind);
    let recipient = |subscriber: &Arc<Subscriber>| -> Recipient {
        (Arc::clone(subscriber), subscriber.bindings.iter().filter(asks).cloned().collect())
    };
    let listening = subscribers.values().filter(|subscriber| !subscriber.has_ended());
    listening.map(recipient).filter(|(_, bindings)| !bindings.is_empty()).collect()
}

/// Delivers a change to subscribers that have the same caller, which PostgreSQL is queried for once.
pub(super) async fn deliver(
    database: &Database,
    patterns: &Patterns,
    table_change: &TableChange,
    recipients: &[Recipient],
) -> Outcome {
    let change = by_column(&table_change.relation, &table_change.table, &table_change.change);
    let mut met: Vec<(&Subscriber, Vec<&Binding>)> = Vec::new();
    for (subscriber, bindings) in recipients.iter().filter(|(subscriber, _)| !subscriber.has_ended()) {
        let wanted = wanted(database, patterns, &change, subscriber, bindings).await;
        if !wanted.is_empty() {
            met.push((subscriber, wanted));
        }
    }
    let Some((first, _)) = met.first() else { return Outcome::Told };
    let seen = match row::see(database, &first.caller, &change).await {
        Ok(Seen::Hidden) => return Outcome::Told,
        Ok(seen) => seen,
        Err(error) => {
            tracing::warn!(%error, table = table_change.table.name, "a change cannot be shown to a subscriber");
            return if row::is_timeout(&error) { Outcome::TimedOut } else { Outcome::Told };
        }
    };
    for (subscriber, mut bindings) in met {
        match &seen {
            // A column that the role may not read must not be revealed by a filter either.
            Seen::Shown { columns, .. } => {
                let may_read = |filter: &Filter| columns.iter().any(|column| column.name == filter.column);
                bindings.retain(|binding| filters_of(binding).iter().all(may_read));
            }
            Seen::Refused(_) if !subscriber.is_first_refusal(table_change.table.oid) => continue,
            Seen::Refused(_) | Seen::Hidden => {}
        }
        send(subscriber, &bindings, &change, &seen, table_change.committed);
    }
    Outcome::Told
}

/// The recipients whose filters a change meets. Filters that cannot be evaluated here are evaluated by PostgreSQL.
async fn wanted<'a>(
    database: &Database,
    patterns: &Patterns,
    change: &RowChange<'_>,
    subscriber: &Subscriber,
    bindings: &'a [Arc<Binding>],
) -> Vec<&'a Binding> {
    let (mut wanted, mut open): (Vec<&Binding>, Vec<(&Binding, Vec<&Filter>)>) = (Vec::new(), Vec::new());
    for binding in bindings {
        let verdicts = filters_of(binding).iter().map(|filter| (filter, change.is_met(filter, patterns)));
        let verdicts: Vec<_> = verdicts.collect();
        if verdicts.iter().any(|(_, met)| *met == Some(false)) {
            continue;
        }
        let undecided: Vec<&Filter> =
            verdicts.iter().filter(|(_, met)| met.is_none()).map(|(filter, _)| *filter).collect();
        if undecided.is_empty() { wanted.push(binding) } else { open.push((binding, undecided)) }
    }
    if open.is_empty() {
        return wanted;
    }
    let filters: Vec<&Filter> = open.iter().flat_map(|(_, filters)| filters.iter().copied()).collect();
    match row::ask_filters(database, &subscriber.caller, change, &filters).await {
        Ok(answers) => {
            let mut answers = answers.into_iter();
            for (binding, filters) in open {
                // Takes the answers of each binding, whether met or not.
                let met: Vec<bool> = answers.by_ref().take(filters.len()).collect();
                if met.len() == filters.len() && met.into_iter().all(|met| met) {
                    wanted.push(binding);
                }
            }
        }
        Err(error) if row::is_timeout(&error) => {
            let column = filters.first().map(|filter| filter.column.clone()).unwrap_or_default();
            tracing::warn!(table = change.table.name, column, "a filter takes too long: its subscription is ended");
            subscriber.end(&FilterError::TooSlow(column).to_string());
            wanted.clear();
        }
        Err(error) => tracing::warn!(%error, table = change.table.name, "a filter cannot be evaluated"),
    }
    wanted
}

fn filters_of(binding: &Binding) -> &[Filter] {
    binding.filters.as_deref().unwrap_or_default()
}

/// The change's values by column. If an update has no old key, the key did not change.
fn by_column<'a>(relation: &'a Relation, table: &'a Table, change: &'a Change) -> RowChange<'a> {
    let names = || relation.columns.iter().map(|(name, _)| name.as_str());
    let identity = |cells: &'a [Cell]| -> HashMap<&'a str, &'a Cell> {
        let is_key = |((_, is_key), _): &(&(String, bool), &Cell)| *is_key;
        relation.columns.iter().zip(cells).filter(is_key).map(|((name, _), cell)| (name.as_str(), cell)).collect()
    };
    let old = match (&change.old, &change.new) {
        (Some(old), _) => Some(identity(old)),
        (None, Some(new)) if change.kind == Kind::Update => Some(identity(new)),
        _ => None,
    };
    let new = change.new.as_ref().map(|cells| {
        let mut row: HashMap<&str, &Cell> = names().zip(cells).collect();
        for (name, cell) in &mut row {
            if let (Cell::Unchanged, Some(known)) = (*cell, old.as_ref().and_then(|old| old.get(name))) {
                *cell = known;
            }
        }
        row
    });
    RowChange { table, kind: change.kind, new, old }
}

/// Sends one message for each list of columns that the recipients selected.
fn send(subscriber: &Subscriber, wanted: &[&Binding], change: &RowChange<'_>, seen: &Seen, committed: DateTime<Utc>) {
    let mut by_columns: BTreeMap<Option<&[String]>, Vec<u32>> = BTreeMap::new();
    for binding in wanted {
        by_columns.entry(binding.select.as_deref()).or_default().push(binding.id);
    }
    for (select, ids) in by_columns {
        let payload = json!({ "ids": ids, "data": data(change, seen, select, committed) });
        let outbox = &subscriber.target.outbox;
        outbox.send(frame::push(outbox.version, None, &subscriber.target.topic, "postgres_changes", &payload));
    }
}

fn data(change: &RowChange<'_>, seen: &Seen, select: Option<&[String]>, committed: DateTime<Utc>) -> Value {
    let (schema, table, kind) = (&change.table.schema, &change.table.name, change.kind.name());
    let (new, old, columns) = match seen {
        Seen::Shown { new, old, columns, .. } => (new, old, columns),
        Seen::Refused(error) => return json!({ "schema": schema, "table": table, "type": kind, "errors": [error] }),
        Seen::Hidden => return Value::Null,
    };
    let is_wanted = |column: &Column| column.is_key || select.is_none_or(|names| names.contains(&column.name));
    let columns: Vec<&Column> = columns.iter().filter(|column| is_wanted(column)).collect();
    let listed: Vec<Value> =
        columns.iter().map(|column| json!({ "name": column.name, "type": column.type_name })).collect();
    let cut = |row: &Map<String, Value>| -> Map<String, Value> {
        let there = |column: &&Column| row.get(&column.name).map(|value| (column.name.clone(), value.clone()));
        columns.iter().filter_map(there).collect()
    };
    let (mut record, mut old_record) = (new.as_ref().map(cut), old.as_ref().map(cut));
    let mut errors = Value::Null;
    let size = |row: &Option<Map<String, Value>>| row.as_ref().map_or(0, |row| json!(row).to_string().len());
    if size(&record) + size(&old_record) > MAX_RECORD_BYTES {
        for row in [&mut record, &mut old_record].into_iter().flatten() {
            row.retain(|_, value| value.to_string().len() <= LONG_VALUE_BYTES);
        }
        errors = json!([TOO_LARGE]);
    }
    let mut data = json!({
        "schema": schema,
        "table": table,
        "commit_timestamp": committed.to_rfc3339_opts(SecondsFormat::Millis, true),
        "type": kind,
        "columns": listed,
        "errors": errors,
    });
    if let Some(data) = data.as_object_mut() {
        let rows = [("record", record), ("old_record", old_record)];
        data.extend(rows.into_iter().filter_map(|(name, row)| Some((name.to_owned(), Value::Object(row?)))));
    }
    data
}
