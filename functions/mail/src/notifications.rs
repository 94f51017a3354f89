//! Wakes background workers when a PostgreSQL notification arrives. The workers also poll, because a pooler in transaction mode does not
//! forward notifications.

use std::time::Duration;

use cloch_sql::Database;
use sqlx::PgPool;
use sqlx::postgres::{PgListener, PgPoolOptions};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

const RETRY_DELAY: Duration = Duration::from_secs(10);

/// Forwards the notifications of a PostgreSQL channel to `wake` until `shutdown` is cancelled. Uses a separate database connection.
pub async fn forward(database: Database, channel: &'static str, wake: watch::Sender<()>, shutdown: CancellationToken) {
    let pool = database.admin_login().pool(PgPoolOptions::new().max_connections(1), "cloch");
    while !shutdown.is_cancelled() {
        tokio::select! {
            () = shutdown.cancelled() => {}
            result = listen(&pool, channel, &wake) => if let Err(error) = result {
                tracing::warn!(
                    error = %error,
                    channel,
                    "mail: LISTEN on the notification channel of a mail queue failed, workers poll every 10 s instead"
                );
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
