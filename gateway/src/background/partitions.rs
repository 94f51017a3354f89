//! Maintains the daily partitions of realtime.messages: they are created a week ahead and dropped after three days. A database that Cloch did
//! not create may lack the function `realtime.maintain_partitions`. In this case, this task does nothing, and a warning is logged when the
//! server starts.

use std::time::Duration;

use sqlx::PgPool;
use tokio_util::sync::CancellationToken;

const INTERVAL: Duration = Duration::from_hours(1);

const MAINTAIN: &str = "do $$ begin
  if exists (select from pg_catalog.pg_proc where pronamespace = to_regnamespace('realtime') and proname = 'maintain_partitions') then
    perform realtime.maintain_partitions();
  end if;
end $$";

pub(super) async fn run(pool: PgPool, shutdown: CancellationToken) {
    loop {
        if let Err(error) = sqlx::raw_sql(MAINTAIN).execute(&pool).await {
            tracing::warn!(%error, "database: creating and deleting daily partitions of realtime.messages failed, retrying in 1 hour, partitions exist for up to 7 days ahead");
        }
        if !super::task::sleep_unless_stopped(INTERVAL, &shutdown).await {
            return;
        }
    }
}
