//! `/queues`: queues of the extension `pgmq` and the queues' messages. Reading a message does not change the queue.

use axum::Json;
use axum::extract::State;
use axum::routing::on;
use serde::Deserialize;
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;

use super::extract::{At, Params};
use super::route::{Access, Method, Route};
use super::{ApiError, DashboardState};

const MAX_QUEUES: usize = 200;
const MAX_MESSAGES: i64 = 200;
/// Maximum length in characters of a queue message in a response.
const MAX_MESSAGE_CHARS: i32 = 10_000;

pub(super) const ROUTES: &[Route] = &[
    Route::new(Method::Get, "/queues", "queues.list", "Queues", Access::VIEWER, |method| on(method, list)),
    Route::new(
        Method::Get,
        "/queues/{name}/messages",
        "queues.messages",
        "Messages of a queue",
        Access::VIEWER,
        |method| on(method, messages),
    )
    .audited(),
];

#[derive(sqlx::FromRow)]
struct Queue {
    name: String,
    created_at: chrono::DateTime<chrono::Utc>,
    /// Quoted names of the queue's tables: waiting and archived messages.
    waiting: String,
    archived: String,
}

async fn is_available(state: &DashboardState) -> sqlx::Result<bool> {
    sqlx::query_scalar("select to_regclass('pgmq.meta') is not null").fetch_one(state.database.admin()).await
}

async fn queues(state: &DashboardState) -> sqlx::Result<Vec<Queue>> {
    sqlx::query_as(
        "select queue_name::text as name, created_at, format('pgmq.%I', lower('q_' || queue_name)) as waiting,
                format('pgmq.%I', lower('a_' || queue_name)) as archived
           from pgmq.meta where to_regclass(format('pgmq.%I', lower('q_' || queue_name))) is not null order by queue_name",
    )
    .fetch_all(state.database.admin())
    .await
}

async fn list(State(state): State<DashboardState>) -> Result<Json<Value>, ApiError> {
    if !is_available(&state).await? {
        return Ok(Json(json!({ "available": false, "queues": [] })));
    }
    let mut listed = Vec::new();
    for Queue { name, created_at, waiting, archived } in queues(&state).await?.into_iter().take(MAX_QUEUES) {
        let text = format!(
            "select jsonb_build_object('length', count(*), 'visible', count(*) filter (where vt <= now()),
                      'oldest_seconds', extract(epoch from now() - min(enqueued_at))::bigint,
                      'newest_seconds', extract(epoch from now() - max(enqueued_at))::bigint, 'last_id', max(msg_id),
                      'archived', (select count(*) from {archived})) from {waiting}"
        );
        let mut queue: Value = sqlx::query_scalar(AssertSqlSafe(text)).fetch_one(state.database.admin()).await?;
        if let Some(object) = queue.as_object_mut() {
            object.insert("name".to_owned(), name.into());
            object.insert("created_at".to_owned(), json!(created_at));
        }
        listed.push(queue);
    }
    Ok(Json(json!({ "available": true, "queues": listed })))
}

#[derive(Deserialize)]
struct QueueRequest {
    limit: Option<i64>,
    #[serde(default)]
    archived: bool,
}

async fn messages(
    State(state): State<DashboardState>,
    At(name): At<String>,
    Params(asked): Params<QueueRequest>,
) -> Result<Json<Value>, ApiError> {
    let unknown = || ApiError::not_found("There is no such queue");
    if !is_available(&state).await? {
        return Err(unknown());
    }
    let queue = queues(&state).await?.into_iter().find(|queue| queue.name == name).ok_or_else(unknown)?;
    let table = if asked.archived { queue.archived } else { queue.waiting };
    let text = format!(
        "select jsonb_build_object('id', msg_id, 'enqueued_at', enqueued_at, 'visible_at', vt, 'reads', read_ct,
                  'message', case when length(message::text) <= $2 then message else to_jsonb(left(message::text, $2)) end)
           from {table} order by msg_id limit $1"
    );
    let messages: Vec<Value> = sqlx::query_scalar(AssertSqlSafe(text))
        .bind(asked.limit.unwrap_or(50).clamp(1, MAX_MESSAGES))
        .bind(MAX_MESSAGE_CHARS)
        .fetch_all(state.database.admin())
        .await?;
    Ok(Json(json!({ "messages": messages })))
}
