//! The lock of an upload: one request at a time writes to it, on any node. A later request asks the earlier one to stop, which saves its
//! progress. So a phone that lost its connection continues at once instead of waiting for the timeout of the dead connection.

use std::time::Duration;

use cloch_sql::Database;
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::error::{Result, TusError};
use crate::backend::BlobKey;
use crate::error::Error;
use crate::state::upload_locks::UploadLocks;

/// How long the lock of a crashed node is still held.
const LEASE_SECONDS: f64 = 10.0;
/// How often a holder renews its lease and checks whether another node wants the lock.
const RENEWAL_INTERVAL: Duration = Duration::from_secs(2);
/// How long a request waits for the lock.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(15);
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The exclusive right to write to an upload; released when dropped.
#[derive(Debug)]
pub(crate) struct UploadLock {
    database: Database,
    local: UploadLocks,
    version: BlobKey,
    /// Names this holder in the upload's row.
    pub(crate) holder: Uuid,
    /// Cancelled when another request wants the lock, or the lease was lost.
    pub(crate) stop: CancellationToken,
    renewal: AbortHandle,
}

impl UploadLock {
    /// Waits for the lock of an upload.
    ///
    /// # Errors
    /// 404 when there is no such upload, 423 when the holder does not stop.
    pub(crate) async fn acquire(database: &Database, local: &UploadLocks, version: BlobKey) -> Result<Self> {
        let holder = Uuid::new_v4();
        let until = Instant::now() + ACQUIRE_TIMEOUT;
        while !try_lock(database, version, holder).await? {
            if Instant::now() >= until {
                return Err(Error::Locked.into());
            }
            local.stop(version);
            sleep(POLL_INTERVAL).await;
        }
        let stop = CancellationToken::new();
        local.insert(version, holder, stop.clone());
        let renewal = tokio::spawn(renew(database.clone(), version, holder, stop.clone())).abort_handle();
        Ok(Self { database: database.clone(), local: local.clone(), version, holder, stop, renewal })
    }

    /// Releases the lock, and waits until that is done.
    pub(crate) async fn release(self) {
        unlock(&self.database, self.version, self.holder).await;
    }
}

impl Drop for UploadLock {
    fn drop(&mut self) {
        self.renewal.abort();
        self.local.remove(self.version, self.holder);
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let (database, version, holder) = (self.database.clone(), self.version, self.holder);
            runtime.spawn(async move { unlock(&database, version, holder).await });
        }
    }
}

/// Tries to lock an upload; where it is locked, its holder, on whichever node, is asked to stop.
async fn try_lock(database: &Database, version: BlobKey, holder: Uuid) -> Result<bool> {
    let row = sqlx::query!(
        r#"update cloch.storage_uploads
              set held_by = case when held_until is null or held_until < now() then $2 else held_by end,
                  wanted = held_until is not null and held_until >= now(),
                  held_until = case when held_until is null or held_until < now()
                                    then now() + make_interval(secs => $3) else held_until end
            where version = $1
            returning held_by = $2 as "taken!""#,
        version.uuid(),
        holder,
        LEASE_SECONDS,
    )
    .fetch_optional(database.admin())
    .await?;
    row.map(|row| row.taken).ok_or(TusError::NOT_FOUND)
}

/// Renews the lease until it is lost or wanted.
async fn renew(database: Database, version: BlobKey, holder: Uuid, stop: CancellationToken) {
    loop {
        sleep(RENEWAL_INTERVAL).await;
        let renewed = sqlx::query_scalar!(
            "update cloch.storage_uploads set held_until = now() + make_interval(secs => $3)
              where version = $1 and held_by = $2 returning wanted",
            version.uuid(),
            holder,
            LEASE_SECONDS,
        )
        .fetch_optional(database.admin())
        .await;
        match renewed {
            Ok(Some(false)) => {}
            Ok(Some(true) | None) => stop.cancel(),
            // The lease expires by itself if the database stays away; saving checks the holder.
            Err(error) => tracing::warn!("renewing the lock of an upload failed: {error}"),
        }
    }
}

async fn unlock(database: &Database, version: BlobKey, holder: Uuid) {
    let unlocked = sqlx::query!(
        "update cloch.storage_uploads set held_by = null, held_until = null, wanted = false
          where version = $1 and held_by = $2",
        version.uuid(),
        holder,
    )
    .execute(database.admin())
    .await;
    if let Err(error) = unlocked {
        tracing::warn!("releasing the lock of an upload failed, it expires: {error}");
    }
}
