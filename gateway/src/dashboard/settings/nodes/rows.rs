//! Reads and writes the rows of `cloch.settings_changes` and `cloch.settings_nodes`.

use serde::{Deserialize, Serialize};
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use crate::dashboard::Keys;
use crate::dashboard::node_settings::{Memory, Problem};

/// Maximum number of changes that are read at once.
const BATCH_ROWS: i64 = 200;
/// Purpose for which the encryption key of a node's state is derived.
const PURPOSE: &str = "settings node";

/// A row of `cloch.settings_changes`: id and encrypted change.
pub(super) type ChangeRow = (i64, Option<Vec<u8>>);

/// State of a node. The node stores it encrypted in its row, and the dashboard on every node shows it.
#[derive(Default, Deserialize, Serialize)]
pub(super) struct NodeState {
    pub(super) problems: Vec<Problem>,
    /// Keys of changed settings that take effect only after a restart of the node.
    pub(super) waiting: Vec<String>,
}

/// A row of `cloch.settings_nodes`.
#[derive(sqlx::FromRow)]
pub(super) struct NodeRow {
    pub(super) id: Uuid,
    pub(super) name: String,
    /// Whether the node has updated its row recently.
    pub(super) is_running: bool,
    /// Whether the node has run within a day.
    pub(super) is_recent: bool,
    pub(super) position: i64,
    sealed: Vec<u8>,
}

impl NodeRow {
    /// Decrypts the state. `None` if the node has encrypted it with other secrets.
    pub(super) fn state(&self, keys: &Keys) -> Option<NodeState> {
        serde_json::from_str(keys.decrypt(PURPOSE, self.id.as_bytes(), &self.sealed)?.expose()).ok()
    }
}

/// Result of the query that a node runs every two seconds.
#[derive(sqlx::FromRow)]
pub(super) struct News {
    /// Id of the last change; 0 if there is none.
    pub(super) last: i64,
    /// Whether the project has other nodes.
    pub(super) has_others: bool,
    /// Id of the process that was the last to write this node's row.
    pub(super) process: Option<Uuid>,
}

pub(super) async fn news(pool: &PgPool, node: Uuid) -> sqlx::Result<News> {
    sqlx::query_as(
        "select coalesce((select max(id) from cloch.settings_changes), 0) as last,
                exists (select from cloch.settings_nodes where id <> $1) as has_others,
                (select process from cloch.settings_nodes where id = $1) as process",
    )
    .bind(node)
    .fetch_one(pool)
    .await
}

pub(super) async fn last(connection: &mut PgConnection) -> sqlx::Result<i64> {
    sqlx::query_scalar("select coalesce(max(id), 0) from cloch.settings_changes").fetch_one(connection).await
}

pub(super) async fn after(connection: &mut PgConnection, position: i64) -> sqlx::Result<Vec<ChangeRow>> {
    sqlx::query_as("select id, sealed from cloch.settings_changes where id > $1 order by id limit $2")
        .bind(position)
        .bind(BATCH_ROWS)
        .fetch_all(connection)
        .await
}

pub(super) async fn with_ids(connection: &mut PgConnection, ids: &[i64]) -> sqlx::Result<Vec<ChangeRow>> {
    sqlx::query_as("select id, sealed from cloch.settings_changes where id = any($1) order by id")
        .bind(ids)
        .fetch_all(connection)
        .await
}

/// Locks `cloch.settings_changes` until the end of the transaction, so that only one node changes settings at a time. Waits up to 10 s if
/// another node holds the lock. Only the server may use this table, so no other role can hold the lock.
pub(super) async fn lock(connection: &mut PgConnection) -> sqlx::Result<()> {
    sqlx::query("set local lock_timeout = '10s'").execute(&mut *connection).await?;
    sqlx::query("lock table cloch.settings_changes in share row exclusive mode").execute(connection).await.map(drop)
}

/// Returns the id of the next change.
pub(super) async fn next_id(connection: &mut PgConnection) -> sqlx::Result<i64> {
    sqlx::query_scalar(
        "select greatest((extract(epoch from clock_timestamp()) * 1000000)::bigint, coalesce(max(id), 0) + 1) from cloch.settings_changes",
    )
    .fetch_one(connection)
    .await
}

/// Adds a change. Also deletes the content of changes that are more than 30 days old.
pub(super) async fn insert(connection: &mut PgConnection, id: i64, sealed: &[u8]) -> sqlx::Result<()> {
    sqlx::query(
        "update cloch.settings_changes set sealed = null where sealed is not null and made_at < now() - interval '30 days'",
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query("insert into cloch.settings_changes (id, sealed) values ($1, $2)")
        .bind(id)
        .bind(sealed)
        .execute(connection)
        .await
        .map(drop)
}

/// Writes the row of this node.
pub(super) async fn publish(
    connection: &mut PgConnection,
    keys: &Keys,
    (name, process): (&str, Uuid),
    memory: &Memory,
    waiting: &[String],
) -> sqlx::Result<()> {
    let state = NodeState { problems: memory.problems.clone(), waiting: waiting.to_owned() };
    let text = serde_json::to_string(&state).unwrap_or_default();
    let sealed = keys.encrypt(PURPOSE, memory.node.as_bytes(), &text).unwrap_or_default();
    sqlx::query("delete from cloch.settings_nodes where seen_at < now() - interval '30 days'")
        .execute(&mut *connection)
        .await?;
    sqlx::query(
        "insert into cloch.settings_nodes (id, name, process, seen_at, position, sealed) values ($1, $2, $3, now(), $4, $5)
         on conflict (id) do update set name = excluded.name, process = excluded.process, seen_at = excluded.seen_at,
                                        position = excluded.position, sealed = excluded.sealed",
    )
    .bind(memory.node)
    .bind(name)
    .bind(process)
    .bind(memory.position)
    .bind(sealed)
    .execute(connection)
    .await
    .map(drop)
}

/// Records that this node has stopped.
pub(super) async fn stopped(pool: &PgPool, node: Uuid, process: Uuid) -> sqlx::Result<()> {
    sqlx::query("update cloch.settings_nodes set seen_at = now() - interval '1 minute' where id = $1 and process = $2")
        .bind(node)
        .bind(process)
        .execute(pool)
        .await
        .map(drop)
}

pub(super) async fn nodes(pool: &PgPool) -> sqlx::Result<Vec<NodeRow>> {
    sqlx::query_as(
        "select id, name, seen_at > now() - interval '30 seconds' as is_running,
                seen_at > now() - interval '1 day' as is_recent, position, sealed
           from cloch.settings_nodes order by name, id",
    )
    .fetch_all(pool)
    .await
}
