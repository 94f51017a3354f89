//! Lock of a resumable upload. On all nodes together, only one request at a time writes to the upload. A later request for the same upload
//! cancels the earlier request, which then saves its progress. Therefore a client that lost its connection can continue immediately,
//! without waiting for the timeout of the old connection.

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

/// Time in seconds after which the upload lock of a crashed node expires.
const LEASE_SECONDS: f64 = 10.0;
/// Interval in which the holder of an upload lock renews its lease and checks whether another request wants the lock.
const RENEWAL_INTERVAL: Duration = Duration::from_secs(2);
/// Maximum time for which a request waits for the lock of a resumable upload.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(15);
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Exclusive right to write to a resumable upload, released on drop.
#[derive(Debug)]
pub(crate) struct UploadLock {
    database: Database,
    local: UploadLocks,
    version: BlobKey,
    /// Id of this lock holder in the upload's row.
    pub(crate) holder: Uuid,
    /// Token that is cancelled when another request wants the lock or the lease is lost.
    pub(crate) stop: CancellationToken,
    renewal: AbortHandle,
}

impl UploadLock {
    /// Waits for the lock of a resumable upload.
    ///
    /// # Errors
    /// 404 if the upload does not exist, 423 if the holder does not release the lock in time.
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

    /// Releases the upload lock and waits until the release is complete.
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

/// Tries to lock a resumable upload, and returns whether this request now holds the lock. If another request holds the lock, sets the flag
/// `wanted` in the upload's row, which makes the holder on any node stop.
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

/// Renews the lease of an upload lock regularly. Cancels `stop` if the lease is lost or another request wants the lock.
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
            // If the database stays unavailable, the lease expires. This is safe: progress is saved only while the upload's row contains
            // the id of this holder.
            Err(error) => {
                tracing::warn!(%error, storage.version = %version, "storage: renewing the lock of a resumable upload failed, retrying")
            }
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
        tracing::warn!(%error, storage.version = %version, "storage: releasing the lock of a resumable upload failed, the lock expires by itself");
    }
}
