//! Messages to clients about one table change. Each message is built once for all recipients that receive the same content.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use axum::extract::ws::Message;
use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Serialize, Serializer};
use serde_json::json;
use serde_json::value::RawValue;

use super::ask::{Record, RoleView};
use super::binding::Binding;
use super::replication_slot::{Column, Table};
use super::subscriber::{Subscriber, Target};
use super::table_change::TableChange;
use crate::frame::{self, SharedFrame, Version};

/// Total size of the new and the old row in bytes, above which long values are omitted from both rows, as in Supabase's Realtime server.
const MAX_RECORD_BYTES: usize = 1024 * 1024;
/// Size of a value in bytes above which the value is omitted if the rows are larger than [`MAX_RECORD_BYTES`].
const LONG_VALUE_BYTES: usize = 64;
const TOO_LARGE: &str = "Error 413: Payload Too Large";

/// Names of the columns that a client selected. `None` for all columns.
type Selection<'a> = Option<&'a [String]>;
/// Cache key of a serialised frame.
#[derive(PartialEq, Eq, Hash)]
struct FrameKey<'a> {
    version: Version,
    topic: &'a str,
    is_older_client: bool,
    /// Ids of the matching entries of `postgres_changes`.
    ids: Vec<u32>,
    role: &'a str,
    select: Selection<'a>,
}

impl FrameKey<'_> {
    /// Writes the frame. The payload for older clients contains no ids, because their topic is their only entry.
    fn write(&self, kind: &str, data: &RawValue) -> Message {
        if self.is_older_client {
            return frame::push(self.version, None, self.topic, kind, &data);
        }
        frame::push(self.version, None, self.topic, "postgres_changes", &Payload { ids: &self.ids, data })
    }
}

pub(super) struct Messages<'a> {
    change: &'a TableChange,
    /// Index of this change among the changes of the policy check.
    at: usize,
    data: HashMap<(&'a str, Selection<'a>), Arc<RawValue>>,
    frames: HashMap<FrameKey<'a>, SharedFrame>,
}

#[derive(Serialize)]
struct Payload<'a> {
    ids: &'a [u32],
    data: &'a RawValue,
}

impl<'a> Messages<'a> {
    pub(super) fn new(change: &'a TableChange, at: usize) -> Self {
        Self { change, at, data: HashMap::new(), frames: HashMap::new() }
    }

    /// Sends the change to a subscriber. `wanted` contains the matching entries of the client's `postgres_changes`; entries that select the
    /// same columns share one message.
    pub(super) fn send(&mut self, subscriber: &'a Subscriber, wanted: &[&'a Binding], view: &RoleView) {
        let mut by_columns: BTreeMap<Selection<'a>, Vec<u32>> = BTreeMap::new();
        for binding in wanted {
            by_columns.entry(binding.select.as_deref()).or_default().push(binding.id);
        }
        let Target { topic, is_older_client, outbox, .. } = &subscriber.target;
        for (select, ids) in by_columns {
            let role = subscriber.caller.role();
            let (version, is_older_client) = (outbox.version, *is_older_client);
            let key = FrameKey { version, topic, is_older_client, ids, role, select };
            if let Some(frame) = self.frames.get(&key) {
                outbox.send_frame(frame.clone());
                continue;
            }
            let (change, at) = (self.change, self.at);
            let written = || data(change, at, view, select);
            let data = Arc::clone(self.data.entry((role, select)).or_insert_with(written));
            let message = key.write(change.change.kind.name(), &data);
            let charge = outbox.account.budget().charge_frame(frame::length(&message));
            outbox.send_frame((message.clone(), Arc::clone(&charge)));
            self.frames.insert(key, (message, charge));
        }
    }
}

/// Content of the field `data` in a `postgres_changes` message.
#[derive(Serialize)]
struct Data<'a> {
    schema: &'a str,
    table: &'a str,
    commit_timestamp: String,
    r#type: &'static str,
    columns: Vec<Listed<'a>>,
    errors: Option<[&'static str; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<Row<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    old_record: Option<Row<'a>>,
}

#[derive(Serialize)]
struct Listed<'a> {
    name: &'a str,
    r#type: &'a str,
}

struct Row<'a>(Vec<(&'a str, &'a RawValue)>);

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

impl<'a> Row<'a> {
    fn of(record: &'a Record, columns: &[&Column]) -> Self {
        let is_selected = |(name, _): &&(String, Box<RawValue>)| columns.iter().any(|column| column.name == *name);
        Self(record.0.iter().filter(is_selected).map(|(name, value)| (name.as_str(), &**value)).collect())
    }

    fn bytes(&self) -> usize {
        self.0.iter().map(|(name, value)| name.len() + value.get().len()).sum()
    }
}

fn json_of(value: &impl Serialize) -> Arc<RawValue> {
    serde_json::value::to_raw_value(value).unwrap_or_else(|_| RawValue::NULL.to_owned()).into()
}

fn data(change: &TableChange, at: usize, view: &RoleView, select: Selection<'_>) -> Arc<RawValue> {
    let Table { schema, name: table, .. } = &*change.table;
    let kind = change.change.kind.name();
    if let Some(error) = view.refusal(change.change.kind) {
        return json_of(&json!({ "schema": schema, "table": table, "type": kind, "errors": [error] }));
    }
    // Messages are sent only for visible rows and for refusals, so this value is not used.
    let RoleView::Shown(shown) = view else { return RawValue::NULL.to_owned().into() };
    let is_wanted = |column: &Column| column.is_key || select.is_none_or(|names| names.contains(&column.name));
    let columns: Vec<&Column> = shown.columns.iter().filter(|column| is_wanted(column)).collect();
    let (new, old) = shown.records.get(at).map_or((None, None), |(new, old)| (new.as_ref(), old.as_ref()));
    let mut record = new.map(|record| Row::of(record, &columns));
    let mut old_record = old.map(|record| Row::of(record, &columns));
    let mut errors = None;
    if [&record, &old_record].into_iter().flatten().map(Row::bytes).sum::<usize>() > MAX_RECORD_BYTES {
        for row in [&mut record, &mut old_record].into_iter().flatten() {
            row.0.retain(|(_, value)| value.get().len() <= LONG_VALUE_BYTES);
        }
        errors = Some([TOO_LARGE]);
    }
    json_of(&Data {
        schema,
        table,
        commit_timestamp: timestamp(change.committed),
        r#type: kind,
        columns: columns.iter().map(|column| Listed { name: &column.name, r#type: &column.type_name }).collect(),
        errors,
        record,
        old_record,
    })
}

fn timestamp(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Millis, true)
}
