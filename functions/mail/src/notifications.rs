//! Wakes workers when PostgreSQL says that there is something to do. A pooler in transaction mode passes no notifications on:
//! workers look by the clock as well.

use std::time::Duration;

use cloch_sql::Database;
use sqlx::PgPool;
use sqlx::postgres::{PgListener, PgPoolOptions};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

const RETRY_DELAY: Duration = Duration::from_secs(10);

/// Passes the notifications of a channel on until `shutdown` is cancelled. Its connection is its own: it is never given back to the
/// pool.
pub async fn forward(database: Database, channel: &'static str, wake: watch::Sender<()>, shutdown: CancellationToken) {
    let options = database.admin_login().sqlx_options();
    let pool = PgPoolOptions::new().max_connections(1).connect_lazy_with(options);
    while !shutdown.is_cancelled() {
        tokio::select! {
            () = shutdown.cancelled() => {}
            result = listen(&pool, channel, &wake) => if let Err(error) = result {
                tracing::warn!(error = %error, channel, "no notifications: the table is polled");
                tokio::select! { () = shutdown.cancelled() => {}, () = tokio::time::sleep(RETRY_DELAY) => {} }
            }
        }
    }
}

async fn listen(pool: &PgPool, channel: &str, wake: &watch::Sender<()>) -> sqlx::Result<()> {
    let mut listener = PgListener::connect_with(pool).await?;
    listener.listen(channel).await?;
    loop {
        listener.recv().await?;
        wake.send_replace(());
    }
}
