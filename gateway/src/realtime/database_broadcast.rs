//! Broadcast from the database: rows of `realtime.messages`, inserted by `realtime.send` and its like.
//!
//! A trigger sends a NOTIFY for each row; every node listens ([`super::listener`]) and broadcasts the row to its own members.

use cloch_sql::Database;
use serde_json::{Value, json};
use uuid::Uuid;

use super::error::JoinError;
use super::frame::{Content, Encoding, RawJson, UserBroadcast};
use super::hub::{Hub, Topic};

/// The channel on which the trigger notifies.
pub(super) const NOTIFY_CHANNEL: &str = "cloch_realtime";
/// Messages in one replay.
const MAX_REPLAY_MESSAGES: i64 = 25;

/// The payload of the trigger's notification. A topic that is too long for a notification is truncated there and matches no channel.
#[derive(serde::Deserialize)]
pub(super) struct Note {
    id: Uuid,
    topic: String,
    private: bool,
}

impl Note {
    /// Reads a notification; `None` if this node has no members of its topic.
    pub(super) fn read(payload: &str, hub: &Hub) -> Option<Self> {
        serde_json::from_str(payload).ok().filter(|note: &Self| hub.has(&note.topic()))
    }

    fn topic(&self) -> Topic {
        Topic { name: self.topic.clone(), private: self.private }
    }
}

#[derive(sqlx::FromRow)]
struct Row {
    id: Uuid,
    event: Option<String>,
    payload: Option<Value>,
    binary_payload: Option<Vec<u8>>,
}

/// Broadcasts the row that a notification names to this node's members of its topic.
pub(super) async fn broadcast_row(database: &Database, hub: &Hub, note: &Note) -> sqlx::Result<()> {
    let row: Option<Row> = sqlx::query_as(
        "select id, event, payload, binary_payload from realtime.messages
          where id = $1 and inserted_at > now() - interval '1 day'",
    )
    .bind(note.id)
    .fetch_optional(database.admin())
    .await?;
    if let Some(row) = row {
        hub.broadcast(&note.topic(), None, content(row, false));
    }
    Ok(())
}

fn content(row: Row, is_replayed: bool) -> Content {
    let event = row.event.unwrap_or_default();
    let mut meta = json!({ "id": row.id });
    if let (true, Some(meta)) = (is_replayed, meta.as_object_mut()) {
        meta.insert("replayed".to_owned(), true.into());
    }
    match row.binary_payload {
        Some(bytes) => Content::Broadcast(UserBroadcast {
            event,
            metadata: meta.to_string(),
            encoding: Encoding::Binary,
            payload: bytes.into(),
        }),
        None => {
            let broadcast = json!({ "type": "broadcast", "event": event, "payload": row.payload, "meta": meta });
            Content::RawEvent("broadcast", RawJson::write(&broadcast))
        }
    }
}

/// A request to replay messages sent before the join.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Replay {
    /// Milliseconds since 1970.
    since: f64,
    limit: i64,
}

impl Replay {
    /// `{since, limit?}`
    pub(super) fn read(value: &Value) -> Option<Self> {
        let since = value.get("since")?.as_f64()?;
        let limit = value.get("limit").and_then(Value::as_i64).unwrap_or(MAX_REPLAY_MESSAGES);
        Some(Self { since, limit: limit.clamp(0, MAX_REPLAY_MESSAGES) })
    }
}

/// The newest messages since a time, oldest first.
pub(super) async fn replay(database: &Database, topic: &Topic, replay: Replay) -> Result<Vec<Content>, JoinError> {
    let rows: Vec<Row> = sqlx::query_as(
        "select id, event, payload, binary_payload from (
           select * from realtime.messages
            where topic = $1 and private and extension = 'broadcast' and (payload is not null or binary_payload is not null)
              and inserted_at >= to_timestamp($2 / 1000.0) at time zone 'utc'
            order by inserted_at desc limit $3) as newest
         order by inserted_at",
    )
    .bind(&topic.name)
    .bind(replay.since)
    .bind(replay.limit)
    .fetch_all(database.admin())
    .await
    .map_err(JoinError::Database)?;
    Ok(rows.into_iter().map(|row| content(row, true)).collect())
}
