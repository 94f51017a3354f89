//! Helper functions of the background tasks.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

/// Waits for `duration` and returns `true`. If the program is stopped during this time, returns `false` immediately.
pub(super) async fn sleep_unless_stopped(duration: Duration, shutdown: &CancellationToken) -> bool {
    tokio::select! {
        () = shutdown.cancelled() => false,
        () = tokio::time::sleep(duration) => true,
    }
}

/// Whether SQL functions of Cloch replace the PostgreSQL extension `extension`. Cloch installs these functions if the PostgreSQL server
/// lacks the extension. They need a background task of Cloch; the extension itself does not.
pub(super) async fn stands_in_for(pool: &sqlx::PgPool, extension: &str) -> sqlx::Result<bool> {
    sqlx::query_scalar("select exists (select from cloch.stand_ins where extension = $1)")
        .bind(extension)
        .fetch_one(pool)
        .await
}
