//! Transactions of pooled connections, begun in a task of their own. With sqlx's `Pool::begin`, a request that is cancelled between BEGIN and its
//! answer gives a connection with an open transaction back to the pool: what the next request does without a transaction of its own is then
//! undone with it. clippy.toml refuses those functions.

use sqlx::pool::MaybePoolConnection;
use sqlx::{PgPool, Postgres, SqlSafeStr, Transaction};

/// Begins a transaction; dropping it rolls back.
///
/// # Errors
/// When no connection is available.
pub async fn begin(pool: &PgPool) -> sqlx::Result<Transaction<'static, Postgres>> {
    begin_with(pool, "BEGIN").await
}

/// Begins a transaction with this statement.
///
/// # Errors
/// As [`begin`], and when the statement begins none.
pub async fn begin_with(pool: &PgPool, statement: impl SqlSafeStr) -> sqlx::Result<Transaction<'static, Postgres>> {
    // Waiting for a connection may be cancelled.
    let connection = MaybePoolConnection::PoolConnection(pool.acquire().await?);
    // Who is not there any more drops the transaction that was begun, which rolls it back.
    let begun = tokio::spawn(Transaction::begin(connection, Some(statement.into_sql_str())));
    begun.await.map_err(|_| sqlx::Error::WorkerCrashed)?
}
