//! Replacement for pg_net if PostgreSQL lacks the extension: sends the requests of `net.http_post` and similar functions.
//!
//! Dequeuing a request, sending the request and storing its response is one transaction. If the program is killed before the commit,
//! the request is sent again.

use std::time::Duration;

use futures_util::future::join_all;
use sqlx::{PgPool, Row};
use tokio_util::sync::CancellationToken;

use super::Destinations;
use super::destinations::Clients;
use super::http_request::{MAX_REQUEST_BYTES, Request, send};

/// Polling interval of the queue of HTTP requests. PostgreSQL's notifications cannot be used, because a connection pooler in transaction
/// mode does not forward them.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Maximum number of HTTP requests in one batch; the requests of a batch are sent concurrently.
const BATCH_REQUESTS: i64 = 20;
/// Retention of stored HTTP responses: pg_net's default (`pg_net.ttl`).
const RESPONSE_TTL: &str = "6 hours";
/// Maximum timeout of an HTTP request. A batch of requests is sent in one transaction, which lasts as long as its slowest request.
const MAX_REQUEST_TIMEOUT: Duration = Duration::from_secs(60);

pub(super) async fn run(pool: PgPool, destinations: Destinations, shutdown: CancellationToken) {
    let clients = match (super::task::stands_in_for(&pool, "pg_net").await, destinations.clients()) {
        (Ok(true), Ok(clients)) => clients,
        (Ok(false), _) => return,
        (Err(error), _) => {
            return tracing::error!(
                %error,
                "http queue: requests of net.http_post not sent until the server is restarted: checking whether PostgreSQL has pg_net failed"
            );
        }
        (_, Err(error)) => {
            return tracing::error!(
                %error,
                "http queue: requests of net.http_post not sent until the server is restarted: creating the HTTP clients failed"
            );
        }
    };
    loop {
        match send_batch(&pool, &clients).await {
            Ok(sent) if sent > 0 && !shutdown.is_cancelled() => continue,
            Ok(_) => {}
            Err(error) => {
                tracing::warn!(%error, "http queue: processing the queue of net.http_post failed, retrying in 1 s")
            }
        }
        if !super::task::sleep_unless_stopped(POLL_INTERVAL, &shutdown).await {
            return;
        }
    }
}

async fn send_batch(pool: &PgPool, clients: &Clients) -> sqlx::Result<usize> {
    let mut transaction = cloch_sql::transaction::begin(pool).await?;
    let rows = sqlx::query(
        "select id, method, url, headers, timeout_milliseconds, url_by_caller,
                case when octet_length(body) <= $2 then body end as body,
                coalesce(octet_length(body) > $2, false) as is_too_large
           from net.http_request_queue order by id limit $1 for update skip locked",
    )
    .bind(BATCH_REQUESTS)
    .bind(MAX_REQUEST_BYTES)
    .fetch_all(&mut *transaction)
    .await?;
    if rows.is_empty() {
        return Ok(0);
    }
    let requests: Vec<Request> = rows.iter().map(parse_request).collect::<sqlx::Result<_>>()?;
    let responses = join_all(requests.iter().map(|request| send(clients, request))).await;
    for (request, response) in requests.iter().zip(responses) {
        sqlx::query(
            "insert into net._http_response (id, status_code, content_type, headers, content, timed_out, error_msg)
             values ($1, $2, $3, $4, $5, $6, $7) on conflict (id) do nothing",
        )
        .bind(request.id)
        .bind(response.status)
        .bind(response.content_type)
        .bind(response.headers)
        .bind(response.content)
        .bind(response.timed_out)
        .bind(response.error)
        .execute(&mut *transaction)
        .await?;
    }
    let ids: Vec<i64> = requests.iter().map(|request| request.id).collect();
    sqlx::query("delete from net.http_request_queue where id = any($1)").bind(&ids).execute(&mut *transaction).await?;
    sqlx::query("delete from net._http_response where created < now() - $1::text::interval")
        .bind(RESPONSE_TTL)
        .execute(&mut *transaction)
        .await?;
    transaction.commit().await?;
    Ok(ids.len())
}

fn parse_request(row: &sqlx::postgres::PgRow) -> sqlx::Result<Request> {
    let milliseconds: i32 = row.try_get("timeout_milliseconds")?;
    Ok(Request {
        id: row.try_get("id")?,
        method: row.try_get("method")?,
        url: row.try_get("url")?,
        headers: row.try_get("headers")?,
        body: row.try_get("body")?,
        timeout: Duration::from_millis(u64::try_from(milliseconds).unwrap_or(0)).min(MAX_REQUEST_TIMEOUT),
        is_too_large: row.try_get("is_too_large")?,
        by_caller: row.try_get("url_by_caller")?,
    })
}
