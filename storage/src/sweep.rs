//! Clearing away bytes that no row shows: what crashes, lost races and rows deleted in SQL leave behind.
//!
//! A blob whose row is about to be written looks just like one whose row is gone, so only what is older than a grace time is
//! looked at, and looked at twice: on S3 an object is as old as the beginning of its upload, so that one finished this moment may
//! look old.

use std::time::{Duration, SystemTime};

use crate::backend::BlobKey;
use crate::error::Result;
use crate::rows::multipart;
use crate::state::StorageState;
use crate::tus;

/// Blobs compared with the rows at once.
const BATCH_BLOBS: usize = 1000;
/// Blobs without a row that are kept in mind until the second look.
const MAX_SUSPECTS: usize = 50 * BATCH_BLOBS;
/// The time between the two looks, unless the grace time is shorter: a row is written within moments of its bytes.
const RECHECK_AFTER: Duration = Duration::from_secs(60);

/// What a pass found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Resumable uploads that nobody went on with, and uploads in parts that nobody completed.
    pub expired_uploads: u64,
    /// Blobs without a row.
    pub blobs: u64,
    /// Remains of interrupted writes.
    pub unfinished: u64,
}

/// Makes passes until the server shuts down. Several nodes may do so at once.
pub async fn run(state: StorageState) {
    let sweep = state.settings().sweep;
    let shutdown = state.shutdown().clone();
    let mut ticks = tokio::time::interval(sweep.interval.max(Duration::from_secs(1)));
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            _ = ticks.tick() => {}
        }
        tokio::select! {
            () = shutdown.cancelled() => return,
            swept = pass(&state, before(sweep.grace), sweep.grace.min(RECHECK_AFTER)) => match swept {
                Ok(swept) if swept != Swept::default() => tracing::info!(
                    sweep.blobs = swept.blobs,
                    sweep.expired_uploads = swept.expired_uploads,
                    sweep.unfinished = swept.unfinished,
                    "cleared away leftover bytes",
                ),
                Ok(_) => {}
                Err(error) => tracing::warn!("leftover bytes could not be cleared away: {error}"),
            }
        }
    }
}

/// The time so long ago.
fn before(age: Duration) -> SystemTime {
    SystemTime::now().checked_sub(age).unwrap_or(SystemTime::UNIX_EPOCH)
}

/// Makes one pass: expired uploads, remains of interrupted writes, and blobs from before a time that have no row, neither now nor
/// `recheck_after` a while.
///
/// # Errors
/// When the database or the store cannot be asked; the next pass goes on.
pub async fn pass(state: &StorageState, before: SystemTime, recheck_after: Duration) -> Result<Swept> {
    let mut swept = Swept {
        expired_uploads: tus::expire(state).await? + expire_parts(state).await?,
        unfinished: state.backend().clear_unfinished(before).await?,
        blobs: 0,
    };
    let (mut after, mut suspects) = (None, Vec::new());
    loop {
        let listed = state.backend().list(after, BATCH_BLOBS).await?;
        let Some(last) = listed.last() else { break };
        after = Some(last.key);
        let old: Vec<BlobKey> = listed.iter().filter(|blob| blob.modified <= before).map(|blob| blob.key).collect();
        suspects.extend(without_row(state, &old).await?);
        if suspects.len() >= MAX_SUSPECTS {
            swept.blobs += delete_orphans(state, std::mem::take(&mut suspects), recheck_after).await?;
        }
    }
    swept.blobs += delete_orphans(state, suspects, recheck_after).await?;
    Ok(swept)
}

/// Forgets uploads in parts that nobody has completed. The bytes of their parts have no row then, as any others.
async fn expire_parts(state: &StorageState) -> Result<u64> {
    multipart::expire(state.database().admin(), before(state.settings().sweep.uploads).into()).await
}

/// Deletes those of some blobs that are without a row a while later as well; tells how many.
async fn delete_orphans(state: &StorageState, suspects: Vec<BlobKey>, recheck_after: Duration) -> Result<u64> {
    if suspects.is_empty() {
        return Ok(0);
    }
    tokio::time::sleep(recheck_after).await;
    let mut deleted = 0;
    for batch in suspects.chunks(BATCH_BLOBS) {
        for key in without_row(state, batch).await? {
            state.backend().delete(key).await?;
            deleted += 1;
        }
    }
    Ok(deleted)
}

/// Those of some blobs that neither an object, nor a part of a multipart upload, nor a resumable upload refers to.
async fn without_row(state: &StorageState, blobs: &[BlobKey]) -> Result<Vec<BlobKey>> {
    if blobs.is_empty() {
        return Ok(Vec::new());
    }
    let versions: Vec<String> = blobs.iter().map(BlobKey::to_string).collect();
    let orphans = sqlx::query_scalar!(
        r#"select blob as "blob!"
             from unnest($1::text[]) as blob
            where not exists (select from storage.objects as o where o.version = blob)
              and not exists (select from storage.s3_multipart_uploads_parts as p where p.version = blob)
              and not exists (select from cloch.storage_uploads as u where u.version = blob::uuid)"#,
        &versions,
    )
    .fetch_all(state.database().admin())
    .await?;
    Ok(orphans.iter().filter_map(|version| BlobKey::parse(version)).collect())
}
