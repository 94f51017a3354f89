//! Broadcast from the database: rows of `realtime.messages`, inserted by `realtime.send` and its like.
//!
//! A trigger sends a NOTIFY for each row; every node listens and broadcasts the row to its own members.

use std::sync::Arc;
use std::time::Duration;

use cloch_sql::Database;
use serde_json::{Value, json};
use sqlx::postgres::PgListener;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::error::JoinError;
use super::frame::{Content, Encoding, UserBroadcast};
use super::hub::{Hub, Topic};

/// The channel on which the trigger notifies.
const NOTIFY_CHANNEL: &str = "cloch_realtime";
/// Time before LISTEN is retried.
const RETRY_DELAY: Duration = Duration::from_secs(2);
/// Messages in one replay.
const MAX_REPLAY_MESSAGES: i64 = 25;

/// Broadcasts the database's messages until `shutdown`, and reconnects after outages.
///
/// `listening` says whether they arrive.
pub(super) async fn run(
    database: Database,
    hub: Hub,
    listening: Arc<watch::Sender<bool>>,
    shutdown: CancellationToken,
) {
    let work = async {
        loop {
            if let Err(error) = listen(&database, &hub, &listening).await {
                tracing::warn!(%error, "broadcasts of the database cannot be listened for");
            }
            listening.send_replace(false);
            tokio::time::sleep(RETRY_DELAY).await;
        }
    };
    shutdown.run_until_cancelled(work).await;
}

async fn listen(database: &Database, hub: &Hub, listening: &watch::Sender<bool>) -> sqlx::Result<()> {
    let mut listener = PgListener::connect_with(database.admin()).await?;
    listener.listen(NOTIFY_CHANNEL).await?;
    listening.send_replace(true);
    // `None`: the connection was lost, and with it the notifications sent meanwhile.
    while let Some(notification) = listener.try_recv().await? {
        if let Ok(note) = serde_json::from_str::<Note>(notification.payload()) {
            let topic = Topic { name: note.topic, private: note.private };
            if hub.has(&topic)
                && let Err(error) = broadcast_row(database, hub, &topic, note.id).await
            {
                tracing::warn!(%error, "a broadcast of the database is lost");
            }
        }
    }
    Ok(())
}

/// The payload of the trigger's notification. A topic that is too long for a notification is truncated there and matches no channel.
#[derive(serde::Deserialize)]
struct Note {
    id: Uuid,
    topic: String,
    private: bool,
}

#[derive(sqlx::FromRow)]
struct Row {
    id: Uuid,
    event: Option<String>,
    payload: Option<Value>,
    binary_payload: Option<Vec<u8>>,
}

async fn broadcast_row(database: &Database, hub: &Hub, topic: &Topic, id: Uuid) -> sqlx::Result<()> {
    let row: Option<Row> = sqlx::query_as(
        "select id, event, payload, binary_payload from realtime.messages
          where id = $1 and inserted_at > now() - interval '1 day'",
    )
    .bind(id)
    .fetch_optional(database.admin())
    .await?;
    if let Some(row) = row {
        hub.broadcast(topic, None, content(row, false));
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
        None => Content::Event(
            "broadcast",
            json!({ "type": "broadcast", "event": event, "payload": row.payload, "meta": meta }),
        ),
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
