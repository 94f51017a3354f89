//! Maintains the daily partitions of realtime.messages: created a week ahead, dropped after three days.

use std::time::Duration;

use sqlx::PgPool;
use tokio_util::sync::CancellationToken;

const INTERVAL: Duration = Duration::from_hours(1);

pub(super) async fn run(pool: PgPool, shutdown: CancellationToken) {
    loop {
        if let Err(error) = sqlx::query("select realtime.maintain_partitions()").execute(&pool).await {
            tracing::warn!(%error, "database: maintaining the daily partitions of realtime.messages failed, retrying in 1 hour");
        }
        if !super::task::sleep_unless_stopped(INTERVAL, &shutdown).await {
            return;
        }
    }
}
