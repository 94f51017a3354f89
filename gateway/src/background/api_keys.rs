//! Reads the API keys of table `cloch.api_keys`, so that every node accepts new keys and refuses revoked keys without a restart.

use std::time::Duration;

use cloch_sql::caller::IssuedKeys;
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;

/// Time between two reads of the table. A revoked key is accepted for at most this time, or longer while the table cannot be read. The
/// interval can be short, because the table has few rows.
const INTERVAL: Duration = Duration::from_secs(2);

pub(super) async fn run(pool: PgPool, issued: IssuedKeys, shutdown: CancellationToken) {
    let mut has_failed = false;
    while super::task::sleep_unless_stopped(INTERVAL, &shutdown).await {
        match issued.load(&pool).await {
            Ok(()) => has_failed = false,
            Err(error) => {
                if !has_failed {
                    tracing::warn!(%error, "API keys: reading table cloch.api_keys failed, the keys of the last read stay valid, retrying in 2 s");
                }
                has_failed = true;
            }
        }
    }
}
