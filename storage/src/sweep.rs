//! The sweep: deletes orphaned blobs, which no row refers to. Crashes, concurrent requests and rows deleted in SQL leave them behind.
//!
//! A blob whose row is about to be written looks like one whose row was deleted. So only blobs older than a grace time are checked, and
//! each is checked twice: on S3 an object's age counts from the beginning of its upload, so that one completed just now may look old.

use std::time::{Duration, SystemTime};

use crate::backend::BlobKey;
use crate::db::multipart_uploads;
use crate::error::Result;
use crate::state::StorageState;
use crate::{lifecycle, tus};

/// Blobs that are compared with the rows in one query.
const BATCH_BLOBS: usize = 1000;
/// Orphaned blobs that are kept in memory until the second check.
const MAX_SUSPECTS: usize = 50 * BATCH_BLOBS;
/// The time between the two checks, unless the grace time is shorter: a row is written within moments of its bytes.
const RECHECK_AFTER: Duration = Duration::from_secs(60);

/// What a pass found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Resumable and multipart uploads that were not completed in time.
    pub expired_uploads: u64,
    /// Objects, versions, delete markers and uploads that went by the lifecycle rules of their buckets.
    pub expired_objects: u64,
    /// Orphaned blobs.
    pub blobs: u64,
    /// Remains of interrupted writes.
    pub unfinished: u64,
}

/// Runs passes until the server shuts down. Several nodes may do so at the same time.
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
                    "deleted leftover bytes",
                ),
                Ok(_) => {}
                Err(error) => tracing::warn!("deleting orphaned blobs failed: {}", error.with_cause()),
            }
        }
    }
}

/// The time so long ago.
fn before(age: Duration) -> SystemTime {
    SystemTime::now().checked_sub(age).unwrap_or(SystemTime::UNIX_EPOCH)
}

/// Runs one pass: applies the lifecycle rules of buckets, deletes expired uploads, leftovers of interrupted writes, and blobs older than
/// `before` without a row, which are checked again after `recheck_after`.
///
/// # Errors
/// When the database or the backend fails; the next pass continues.
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
    Ok(swept)
}

/// Deletes multipart uploads that were not completed in time. The blobs of their parts are orphaned then.
async fn expire_parts(state: &StorageState) -> Result<u64> {
    multipart_uploads::expire(state.database().admin(), before(state.settings().sweep.uploads).into()).await
}

/// Deletes those of some blobs that are still orphaned after a while; returns how many.
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

/// Those of some blobs that no object, version of one, part of a multipart upload or resumable upload names.
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
