//! One request at a time writes to an upload. A later one asks the earlier one to stop, which saves what it has; a phone that
//! lost its connection goes on at once instead of waiting until the dead connection is noticed.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::error::{Result, TusError};
use crate::backend::BlobKey;
use crate::error::Error;
use crate::state::StorageState;

/// How long a node that died still holds an upload.
const LEASE: f64 = 10.0;
/// How often a holder renews its lease and looks whether another node asks.
const RENEWAL: Duration = Duration::from_secs(2);
/// How long a request waits for the one before it.
const PATIENCE: Duration = Duration::from_secs(15);
const POLL: Duration = Duration::from_millis(50);

/// The uploads that requests of this node hold.
#[derive(Debug, Default)]
pub(crate) struct Holds(Mutex<HashMap<BlobKey, (Uuid, CancellationToken)>>);

impl Holds {
    fn stop(&self, version: BlobKey) {
        if let Some((_, stop)) = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&version) {
            stop.cancel();
        }
    }

    fn insert(&self, version: BlobKey, holder: Uuid, stop: CancellationToken) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(version, (holder, stop));
    }

    fn remove(&self, version: BlobKey, holder: Uuid) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if held.get(&version).is_some_and(|(current, _)| *current == holder) {
            held.remove(&version);
        }
    }
}

/// The right to write to an upload; given back when dropped.
#[derive(Debug)]
pub(crate) struct Hold {
    state: StorageState,
    version: BlobKey,
    /// Names this holder in the upload's row.
    pub(crate) holder: Uuid,
    /// Cancelled when another request asks for the upload, or the lease was lost.
    pub(crate) stop: CancellationToken,
    keeper: AbortHandle,
}

impl Hold {
    /// Waits for an upload.
    ///
    /// # Errors
    /// 404 when there is none, 423 when its holder does not stop.
    pub(crate) async fn acquire(state: &StorageState, version: BlobKey) -> Result<Self> {
        let holder = Uuid::new_v4();
        let until = Instant::now() + PATIENCE;
        while !take(state, version, holder).await? {
            if Instant::now() >= until {
                return Err(Error::Locked.into());
            }
            state.holds().stop(version);
            sleep(POLL).await;
        }
        let stop = CancellationToken::new();
        state.holds().insert(version, holder, stop.clone());
        let keeper = tokio::spawn(keep(state.clone(), version, holder, stop.clone())).abort_handle();
        Ok(Self { state: state.clone(), version, holder, stop, keeper })
    }

    /// Gives the upload back, and waits until that is done.
    pub(crate) async fn release(self) {
        give_back(&self.state, self.version, self.holder).await;
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.keeper.abort();
        self.state.holds().remove(self.version, self.holder);
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let (state, version, holder) = (self.state.clone(), self.version, self.holder);
            runtime.spawn(async move { give_back(&state, version, holder).await });
        }
    }
}

/// Tries to take an upload, or asks its holder, on whichever node, for it.
async fn take(state: &StorageState, version: BlobKey, holder: Uuid) -> Result<bool> {
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
        LEASE,
    )
    .fetch_optional(state.database().admin())
    .await?;
    row.map(|row| row.taken).ok_or(TusError::NOT_FOUND)
}

/// Renews the lease until it is lost or wanted.
async fn keep(state: StorageState, version: BlobKey, holder: Uuid, stop: CancellationToken) {
    loop {
        sleep(RENEWAL).await;
        let renewed = sqlx::query_scalar!(
            "update cloch.storage_uploads set held_until = now() + make_interval(secs => $3)
              where version = $1 and held_by = $2 returning wanted",
            version.uuid(),
            holder,
            LEASE,
        )
        .fetch_optional(state.database().admin())
        .await;
        match renewed {
            Ok(Some(false)) => {}
            Ok(Some(true) | None) => stop.cancel(),
            // The lease runs out by itself if the database stays away; saving is fenced by the holder's name.
            Err(error) => tracing::warn!("the hold on an upload could not be renewed: {error}"),
        }
    }
}

async fn give_back(state: &StorageState, version: BlobKey, holder: Uuid) {
    let given = sqlx::query!(
        "update cloch.storage_uploads set held_by = null, held_until = null, wanted = false
          where version = $1 and held_by = $2",
        version.uuid(),
        holder,
    )
    .execute(state.database().admin())
    .await;
    if let Err(error) = given {
        tracing::warn!("the hold on an upload ends by itself, not now: {error}");
    }
}
