//! Begins transactions of pooled sqlx connections in a separate task. sqlx's `Pool::begin` is not safe: if a request is cancelled between
//! BEGIN and the server's response, it returns a connection with an open transaction to the pool. Statements of the next request that run
//! without a transaction would then be rolled back too. clippy.toml therefore forbids sqlx's own functions that begin transactions.

use sqlx::pool::MaybePoolConnection;
use sqlx::{PgPool, Postgres, SqlSafeStr, Transaction};

/// Begins a transaction. Dropping the transaction rolls it back.
///
/// # Errors
/// Fails if no connection is available.
pub async fn begin(pool: &PgPool) -> sqlx::Result<Transaction<'static, Postgres>> {
    begin_with(pool, "BEGIN").await
}

/// Begins a transaction with the given statement in place of `BEGIN`.
///
/// # Errors
/// See [`begin`]. Also fails if the statement does not begin a transaction.
pub async fn begin_with(pool: &PgPool, statement: impl SqlSafeStr) -> sqlx::Result<Transaction<'static, Postgres>> {
    // Cancelling the request while it waits for a connection is safe, because no statement has been sent.
    let connection = MaybePoolConnection::PoolConnection(pool.acquire().await?);
    // If the request was cancelled, the result of the task is dropped, which rolls the transaction back.
    let begun = tokio::spawn(Transaction::begin(connection, Some(statement.into_sql_str())));
    begun.await.map_err(|_| sqlx::Error::WorkerCrashed)?
}
