//! Begins transactions of pooled sqlx connections in a separate task. With sqlx's `Pool::begin`, a request cancelled between BEGIN and its
//! response returns a connection with an open transaction to the pool. Statements of the next request that run without a transaction would
//! then be rolled back too. clippy.toml forbids sqlx's functions.

use sqlx::pool::MaybePoolConnection;
use sqlx::{PgPool, Postgres, SqlSafeStr, Transaction};

/// Begins a transaction. Dropping it rolls it back.
///
/// # Errors
/// Fails if no connection is available.
pub async fn begin(pool: &PgPool) -> sqlx::Result<Transaction<'static, Postgres>> {
    begin_with(pool, "BEGIN").await
}

/// Begins a transaction with the given statement.
///
/// # Errors
/// See [`begin`]. Also fails if the statement does not begin a transaction.
pub async fn begin_with(pool: &PgPool, statement: impl SqlSafeStr) -> sqlx::Result<Transaction<'static, Postgres>> {
    // Cancelling is safe while waiting for a connection.
    let connection = MaybePoolConnection::PoolConnection(pool.acquire().await?);
    // If the request was cancelled, the task's result is dropped, which rolls the transaction back.
    let begun = tokio::spawn(Transaction::begin(connection, Some(statement.into_sql_str())));
    begun.await.map_err(|_| sqlx::Error::WorkerCrashed)?
}
