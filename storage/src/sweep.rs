//! Periodic cleanup, which the settings call `sweep`: deletes orphaned blobs, to which no database row refers. Crashes, concurrent requests
//! and deletions of rows by SQL leave orphaned blobs behind.
//!
//! A blob whose row is about to be written looks the same as a blob whose row was deleted. Therefore only blobs older than a grace period
//! are checked, and each orphaned blob is checked twice. The second check is needed for S3: an object's modification time is the start of
//! its upload, so an object that has just been completed may look old.

use std::time::{Duration, SystemTime};

use crate::backend::BlobKey;
use crate::db::multipart_uploads;
use crate::error::Result;
use crate::state::StorageState;
use crate::{lifecycle, tus};

/// Number of blobs that are compared with the database rows in one query.
const BATCH_BLOBS: usize = 1000;
/// Maximum number of apparently orphaned blobs that are held in memory. A blob is deleted only if a second check finds it orphaned too.
const MAX_SUSPECTS: usize = 50 * BATCH_BLOBS;
/// Time between the two checks of an orphaned blob, unless the grace period is shorter. A row is written shortly after its blob, so a row
/// that was about to be written exists at the second check.
const RECHECK_AFTER: Duration = Duration::from_secs(60);

/// Numbers of items that one cleanup has deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Number of resumable and multipart uploads that expired before completion.
    pub expired_uploads: u64,
    /// Number of objects, versions, delete markers and uploads deleted by the lifecycle rules of their buckets.
    pub expired_objects: u64,
    /// Number of orphaned blobs deleted.
    pub blobs: u64,
    /// Number of temporary files of interrupted writes deleted.
    pub unfinished: u64,
}

/// Runs the cleanup regularly until the server shuts down. Several nodes may run a cleanup at the same time.
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
                    sweep.expired_objects = swept.expired_objects,
                    sweep.expired_uploads = swept.expired_uploads,
                    sweep.unfinished = swept.unfinished,
                    "storage: sweep (periodic cleanup) deleted orphaned blobs and expired uploads"
                ),
                Ok(_) => {}
                Err(error) => tracing::warn!(error = %error.with_cause(), "storage: sweep (periodic cleanup) failed, the next sweep retries"),
            }
        }
    }
}

/// Returns the time `age` ago, but not before 1970, because the database's type has a smaller range than [`SystemTime`].
fn before(age: Duration) -> SystemTime {
    SystemTime::now().checked_sub(age).unwrap_or(SystemTime::UNIX_EPOCH).max(SystemTime::UNIX_EPOCH)
}

/// Runs one cleanup: applies lifecycle rules, and deletes expired uploads, temporary files of interrupted writes, and orphaned blobs older
/// than `before`. Orphaned blobs are checked a second time after `recheck_after`.
///
/// # Errors
/// If the database or the storage backend fails. The next cleanup continues the work.
pub async fn pass(state: &StorageState, before: SystemTime, recheck_after: Duration) -> Result<Swept> {
    let mut swept = Swept {
        expired_objects: lifecycle::expire::apply(state).await,
        expired_uploads: tus::record::expire(state).await? + expire_parts(state).await?,
        unfinished: state.backend().clear_unfinished(before).await?,
        blobs: 0,
    };
    let (mut after, mut suspects) = (None, Vec::new());
    loop {
        let listed = state.backend().list(after, BATCH_BLOBS).await?;
        let Some(last) = listed.last() else { break };
        after = Some(last.key);
        let old: Vec<BlobKey> = listed.iter().filter(|blob| blob.modified <= before).map(|blob| blob.key).collect();
        suspects.extend(orphaned(state, &old).await?);
        if suspects.len() >= MAX_SUSPECTS {
            swept.blobs += delete_orphans(state, std::mem::take(&mut suspects), recheck_after).await?;
        }
    }
    swept.blobs += delete_orphans(state, suspects, recheck_after).await?;
    delete_rendered(state).await?;
    Ok(swept)
}

/// Deletes cached images without a source: another node or SQL has orphaned the source blob, or the source blob was deleted while the image
/// was being rendered.
async fn delete_rendered(state: &StorageState) -> Result<()> {
    let sources: Vec<BlobKey> = state.render_cache().sources().into_iter().collect();
    for batch in sources.chunks(BATCH_BLOBS) {
        for key in orphaned(state, batch).await? {
            state.render_cache().remove(key);
        }
    }
    Ok(())
}

/// Deletes expired multipart uploads. The blobs of the uploads' parts become orphaned.
async fn expire_parts(state: &StorageState) -> Result<u64> {
    multipart_uploads::expire(state.database().admin(), before(state.settings().sweep.uploads).into()).await
}

/// Deletes the blobs in `suspects` that are still orphaned after `recheck_after`. Returns the number of deleted blobs.
async fn delete_orphans(state: &StorageState, suspects: Vec<BlobKey>, recheck_after: Duration) -> Result<u64> {
    if suspects.is_empty() {
        return Ok(0);
    }
    tokio::time::sleep(recheck_after).await;
    let mut deleted = 0;
    for batch in suspects.chunks(BATCH_BLOBS) {
        for key in orphaned(state, batch).await? {
            state.backend().delete(key).await?;
            deleted += 1;
        }
    }
    Ok(deleted)
}

/// Returns the blobs to which no object, object version, part of a multipart upload or resumable upload refers.
async fn orphaned(state: &StorageState, blobs: &[BlobKey]) -> Result<Vec<BlobKey>> {
    if blobs.is_empty() {
        return Ok(Vec::new());
    }
    let versions: Vec<String> = blobs.iter().map(BlobKey::to_string).collect();
    let orphans = sqlx::query_scalar!(
        r#"select blob as "blob!"
             from unnest($1::text[]) as blob
            where not exists (select from storage.objects as o where o.version = blob)
              and not exists (select from cloch.object_versions as v where v.version = blob)
              and not exists (select from storage.s3_multipart_uploads_parts as p where p.version = blob)
              and not exists (select from cloch.storage_uploads as u where u.version = blob::uuid)"#,
        &versions,
    )
    .fetch_all(state.database().admin())
    .await?;
    Ok(orphans.iter().filter_map(|version| BlobKey::parse(version)).collect())
}
