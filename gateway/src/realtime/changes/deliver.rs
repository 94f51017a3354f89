//! Sending a change to those who asked for it, as each may see it.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use chrono::{DateTime, SecondsFormat, Utc};
use cloch_sql::{Caller, Database};
use serde_json::{Map, Value, json};

use super::binding::Binding;
use super::filter::Filter;
use super::pgoutput::{Cell, Change, Kind, Relation};
use super::row::{self, RowChange, Seen};
use super::source::{Column, Table};
use super::{Id, Subscriber};
use crate::realtime::frame;

/// A larger record loses its long values.
const MAX_RECORD: usize = 1024 * 1024;
/// What counts as a long value then.
const LONG_VALUE: usize = 64;
const TOO_LARGE: &str = "Error 413: Payload Too Large";

/// Subscribers who are one caller to PostgreSQL, each with its wishes that a change may meet.
pub(super) type Group = (Caller, Vec<(Arc<Subscriber>, Vec<Binding>)>);

/// The subscribers who asked for a change, by who they are: PostgreSQL is asked once for each caller.
pub(super) fn concerned(
    subscribers: &BTreeMap<Id, Arc<Subscriber>>,
    relation: &Relation,
    change: &Change,
) -> Vec<Group> {
    let mut groups: HashMap<&str, Group> = HashMap::new();
    for subscriber in subscribers.values() {
        let asks = |binding: &&Binding| binding.concerns(&relation.schema, &relation.table, change.kind);
        let bindings: Vec<Binding> = subscriber.bindings.iter().filter(asks).cloned().collect();
        if !bindings.is_empty() {
            let group = groups
                .entry(subscriber.caller.claims_json())
                .or_insert_with(|| (subscriber.caller.clone(), Vec::new()));
            group.1.push((Arc::clone(subscriber), bindings));
        }
    }
    groups.into_values().collect()
}

/// Tells everybody concerned what they may know of a change.
pub(super) async fn tell(
    database: &Database,
    groups: Vec<Group>,
    relation: &Relation,
    table: &Table,
    change: &Change,
    committed: DateTime<Utc>,
) {
    let change = by_column(relation, table, change);
    for (caller, subscribers) in groups {
        let filters: Vec<&Filter> = subscribers.iter().flat_map(|(_, bindings)| bindings).flat_map(filters).collect();
        let seen = match row::see(database, &caller, &change, &filters).await {
            Ok(seen) => seen,
            Err(error) => {
                tracing::warn!(%error, table = table.name, "a change cannot be shown to a subscriber");
                continue;
            }
        };
        let mut met = match &seen {
            Seen::Shown { met, .. } => met.clone(),
            Seen::Refused(_) => vec![true; filters.len()],
            Seen::Hidden => continue,
        }
        .into_iter();
        for (subscriber, bindings) in &subscribers {
            let mut wanted = Vec::new();
            for binding in bindings {
                // Each binding's answers are taken in turn, met or not.
                let answers: Vec<bool> = met.by_ref().take(filters_of(binding).len()).collect();
                if answers.into_iter().all(|met| met) {
                    wanted.push(binding);
                }
            }
            send(subscriber, &wanted, &change, &seen, committed);
        }
    }
}

fn filters_of(binding: &Binding) -> &[Filter] {
    binding.filters.as_deref().unwrap_or_default()
}

fn filters(binding: &Binding) -> impl Iterator<Item = &Filter> {
    filters_of(binding).iter()
}

/// The change's values by column; where an update does not say what the key was, it is what it is.
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

/// One message for each list of columns that the wishes name.
fn send(subscriber: &Subscriber, wanted: &[&Binding], change: &RowChange<'_>, seen: &Seen, committed: DateTime<Utc>) {
    let mut by_columns: BTreeMap<Option<&[String]>, Vec<u32>> = BTreeMap::new();
    for binding in wanted {
        by_columns.entry(binding.select.as_deref()).or_default().push(binding.id);
    }
    for (select, ids) in by_columns {
        let payload = json!({ "ids": ids, "data": data(change, seen, select, committed) });
        let outbox = &subscriber.address.outbox;
        outbox.send(frame::push(outbox.version, None, &subscriber.address.topic, "postgres_changes", &payload));
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
    if size(&record) + size(&old_record) > MAX_RECORD {
        for row in [&mut record, &mut old_record].into_iter().flatten() {
            row.retain(|_, value| value.to_string().len() <= LONG_VALUE);
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
