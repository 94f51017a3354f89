//! Broadcasts from the database: rows of `realtime.messages` inserted by `realtime.send` and similar functions.
//!
//! A trigger sends a NOTIFY for each row. Every node listens for these notifications ([`super::listener`]) and broadcasts the row to the
//! members of its topic that are connected to the node.

use std::ops::RangeInclusive;

use chrono::{DateTime, Utc};
use cloch_sql::Database;
use serde_json::json;
use serde_json::value::RawValue;
use sqlx::types::Json;
use uuid::Uuid;

use super::error::JoinError;
use super::frame::{Content, Encoding, RawJson, UserBroadcast};
use super::hub::{Hub, Topic};
use super::join_fields::{Fields, NotAnInteger};

/// NOTIFY channel of the trigger on `realtime.messages`.
pub(super) const NOTIFY_CHANNEL: &str = "cloch_realtime";
const MAX_REPLAY_MESSAGES: i64 = 25;
/// Accepted values of `since` in a replay request, in milliseconds since 1970: the years 0 to 9999, which Supabase's
/// Realtime server accepts.
const MOMENTS: RangeInclusive<i64> = -62_167_219_200_000..=253_402_300_799_999;

/// Notification about a new row of `realtime.messages`. The trigger truncates a topic that is too long for a notification. A truncated topic
/// matches no channel.
#[derive(serde::Deserialize)]
pub(super) struct Note {
    pub(super) id: Uuid,
    pub(super) topic: String,
    private: bool,
}

impl Note {
    /// Parses a notification. `None` if the notification is malformed, or if no client of this node has joined its topic.
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
    /// Payload of a database broadcast, as the JSON text that PostgreSQL writes. The text is not parsed, because parsing would convert
    /// numbers to floating point.
    payload: Option<Json<Box<RawValue>>>,
    binary_payload: Option<Vec<u8>>,
}

/// Broadcasts the row of a notification to the members of the row's topic on this node.
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
            let payload = row.payload.as_ref().map(|Json(payload)| &**payload);
            Content::RawEvent("broadcast", RawJson::broadcast(&event, payload, Some(&meta)))
        }
    }
}

/// Request of a joining client to receive messages that were sent before the join.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Replay {
    since: DateTime<Utc>,
    limit: i64,
}

impl Replay {
    /// Parses the replay request of a join: `{since, limit?}`. `since` is in milliseconds since 1970.
    pub(super) fn read(fields: &Fields<'_>) -> Result<Self, JoinError> {
        let integer = |key| fields.integer(key).map_err(|NotAnInteger| JoinError::ReplayParameters);
        let since = integer("since")?.filter(|since| MOMENTS.contains(since)).and_then(DateTime::from_timestamp_millis);
        let limit = integer("limit")?.unwrap_or(MAX_REPLAY_MESSAGES).clamp(1, MAX_REPLAY_MESSAGES);
        Ok(Self { since: since.ok_or(JoinError::ReplayParameters)?, limit })
    }
}

/// Returns the newest messages of a topic since the time in `replay`, oldest first. As in Supabase's Realtime server, the result includes
/// messages without a payload and excludes messages whose time is more than one minute in the future. Several messages can have the same
/// time, because some databases store the time of the transaction. These messages are in the order of their insertion (`ctid`).
pub(super) async fn replay(database: &Database, topic: &Topic, replay: Replay) -> Result<Vec<Content>, JoinError> {
    let rows: Vec<Row> = sqlx::query_as(
        "select id, event, payload, binary_payload from (
           select *, ctid as place from realtime.messages
            where topic = $1 and private and extension = 'broadcast'
              and inserted_at >= $2 and inserted_at < (now() at time zone 'utc') + interval '1 minute'
            order by inserted_at desc, ctid desc limit $3) as newest
         order by inserted_at, place",
    )
    .bind(&topic.name)
    .bind(replay.since.naive_utc())
    .bind(replay.limit)
    .fetch_all(database.admin())
    .await
    .map_err(JoinError::Database)?;
    Ok(rows.into_iter().map(|row| content(row, true)).collect())
}
