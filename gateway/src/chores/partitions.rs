//! Upkeep of realtime's daily partitions: a week ahead exist, those older than three days go.

use std::time::Duration;

use sqlx::PgPool;
use tokio_util::sync::CancellationToken;

const EVERY: Duration = Duration::from_hours(1);

pub(super) async fn run(pool: PgPool, shutdown: CancellationToken) {
    loop {
        if let Err(error) = sqlx::query("select realtime.maintain_partitions()").execute(&pool).await {
            tracing::warn!(%error, "the partitions of realtime.messages cannot be kept");
        }
        if !super::pause(EVERY, &shutdown).await {
            return;
        }
    }
}
