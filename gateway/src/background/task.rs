//! Helper functions of the background tasks.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

/// Sleeps for `duration`; returns false if the program is stopped meanwhile.
pub(super) async fn sleep_unless_stopped(duration: Duration, shutdown: &CancellationToken) -> bool {
    tokio::select! {
        () = shutdown.cancelled() => false,
        () = tokio::time::sleep(duration) => true,
    }
}

/// Whether the platform SQL's replacement of an extension is installed. If the real extension is installed, the background task is not
/// needed.
pub(super) async fn stands_in_for(pool: &sqlx::PgPool, extension: &str) -> sqlx::Result<bool> {
    sqlx::query_scalar("select exists (select from cloch.stand_ins where extension = $1)")
        .bind(extension)
        .fetch_one(pool)
        .await
}
