//! Room for bytes: a quota for all of them, and a part of the disk that stays free, for the database and the log lie there too. Uploads
//! beyond either are refused while everything else goes on, and the log tells before.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::Duration;

use futures_util::{StreamExt, stream};
use rustix::fs::{StatVfs, statvfs};

use crate::backend::ByteStream;
use crate::error::{Error, Result};
use crate::settings::{BackendSettings, Settings};
use crate::state::StorageState;

/// The time between two looks at how full everything is.
const INTERVAL: Duration = Duration::from_secs(30);
/// After so many bytes of one upload the disk is asked again how much is free.
const STRIDE: u64 = 8 * 1024 * 1024;
/// What stays free where nothing is set: the smaller of this and a share of the disk.
const MIN_FREE: u64 = 1024 * 1024 * 1024;
const MIN_FREE_SHARE: u64 = 20;
/// At how many percent the log tells.
const ALARMS: [u8; 2] = [90, 80];

/// How full the store is.
#[derive(Debug)]
pub(crate) struct Space {
    folder: PathBuf,
    min_free: Option<u64>,
    quota: Option<u64>,
    /// The bytes of all objects and unfinished uploads when they were last counted, and those that were stored here since.
    stored: AtomicU64,
    /// The bytes of uploads that are on their way.
    arriving: AtomicU64,
    quota_alarm: Alarm,
    disk_alarm: Alarm,
}

impl Space {
    pub(crate) fn new(settings: &Settings) -> Self {
        let folder = match &settings.backend {
            BackendSettings::File { folder } => folder,
            BackendSettings::S3(s3) => &s3.spool,
        };
        Self {
            folder: folder.clone(),
            min_free: settings.min_free,
            quota: settings.quota,
            stored: AtomicU64::new(0),
            arriving: AtomicU64::new(0),
            quota_alarm: Alarm::default(),
            disk_alarm: Alarm::default(),
        }
    }

    /// Refuses so many more bytes where there is no room for them.
    ///
    /// # Errors
    /// [`Error::OutOfSpace`].
    pub(crate) fn check(&self, more: u64) -> Result<()> {
        if let Some(quota) = self.quota {
            let used = self.stored.load(Ordering::Relaxed).saturating_add(self.arriving.load(Ordering::Relaxed));
            if used.saturating_add(more) > quota {
                return Err(Error::OutOfSpace("The quota of bytes stored on this server is used up"));
            }
        }
        match self.disk() {
            Some(disk) if free(&disk).saturating_sub(more) < self.min_free(&disk) => {
                Err(Error::OutOfSpace("The server's disk is nearly full"))
            }
            _ => Ok(()),
        }
    }

    fn min_free(&self, disk: &StatVfs) -> u64 {
        self.min_free.unwrap_or_else(|| MIN_FREE.min(total(disk) / MIN_FREE_SHARE))
    }

    /// The disk that bytes are written to; none where the system does not tell.
    fn disk(&self) -> Option<StatVfs> {
        if self.min_free == Some(0) {
            return None;
        }
        // A folder that is not made yet will be on the disk of the one above it.
        self.folder.ancestors().find_map(|folder| statvfs(folder).ok())
    }
}

fn free(disk: &StatVfs) -> u64 {
    disk.f_bavail.saturating_mul(disk.f_frsize)
}

fn total(disk: &StatVfs) -> u64 {
    disk.f_blocks.saturating_mul(disk.f_frsize)
}

/// An upload's bytes, which end with an error as soon as there is no room for more.
///
/// # Errors
/// [`Error::OutOfSpace`] where there is no room for the declared ones.
pub(crate) fn guarded(state: &StorageState, bytes: ByteStream, declared: Option<u64>) -> Result<ByteStream> {
    state.space().check(declared.unwrap_or(0))?;
    let arriving = Arriving { space: state.space().clone(), bytes: 0, checked: 0, is_whole: false };
    let guarded = stream::unfold(Some((bytes, arriving)), |state| async move {
        let (mut bytes, mut arriving) = state?;
        let Some(item) = bytes.next().await else {
            arriving.is_whole = true;
            return None;
        };
        let item = item.and_then(|chunk| arriving.add(chunk.len() as u64).map(|()| chunk));
        let next = item.is_ok().then_some((bytes, arriving));
        Some((item, next))
    });
    Ok(guarded.boxed())
}

/// The bytes of one upload on their way.
struct Arriving {
    space: Arc<Space>,
    bytes: u64,
    /// How many of them there were when the disk was asked.
    checked: u64,
    is_whole: bool,
}

impl Arriving {
    fn add(&mut self, more: u64) -> Result<()> {
        self.bytes += more;
        self.space.arriving.fetch_add(more, Ordering::Relaxed);
        if self.space.quota.is_some() || self.bytes >= self.checked + STRIDE {
            self.checked = self.bytes;
            self.space.check(0)?;
        }
        Ok(())
    }
}

impl Drop for Arriving {
    fn drop(&mut self) {
        self.space.arriving.fetch_sub(self.bytes, Ordering::Relaxed);
        if self.is_whole {
            self.space.stored.fetch_add(self.bytes, Ordering::Relaxed);
        }
    }
}

/// Looks at how full everything is until the server shuts down.
pub(crate) async fn watch(state: StorageState) {
    let shutdown = state.shutdown().clone();
    loop {
        if let Err(error) = measure(&state).await {
            tracing::warn!("the bytes of all objects cannot be counted: {error}");
        }
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = tokio::time::sleep(INTERVAL) => {}
        }
    }
}

/// Counts the bytes of all objects where there is a quota, and tells the log how full everything is.
///
/// # Errors
/// When the database cannot be asked.
pub async fn measure(state: &StorageState) -> Result<()> {
    let space = state.space();
    if let Some(disk) = space.disk() {
        space.disk_alarm.tell("disk", total(&disk).saturating_sub(free(&disk)), total(&disk));
    }
    let Some(quota) = space.quota else { return Ok(()) };
    let counted = sqlx::query_scalar!(
        r#"select (coalesce((select sum(size) from (select (metadata ->> 'size')::numeric as size from storage.objects) as o), 0)
                 + coalesce((select sum(offset_bytes) from cloch.storage_uploads where completed_at is null), 0)
                 + coalesce((select sum(in_progress_size) from storage.s3_multipart_uploads), 0))::text as "bytes!""#,
    )
    .fetch_one(state.database().admin())
    .await?;
    let stored = counted.parse().unwrap_or(u64::MAX);
    space.stored.store(stored, Ordering::Relaxed);
    space.quota_alarm.tell("quota", stored, quota);
    Ok(())
}

/// Tells the log once when something is filled to a certain part, and again only after it was emptier.
#[derive(Debug, Default)]
struct Alarm(AtomicU8);

impl Alarm {
    fn tell(&self, what: &'static str, used: u64, of: u64) {
        if let Some(percent) = self.rise(used, of) {
            tracing::error!(
                space.kind = what,
                space.used = used,
                space.total = of,
                "{percent} % of the {what} is used"
            );
        }
    }

    /// The level that has been reached since the last call, in percent.
    fn rise(&self, used: u64, of: u64) -> Option<u8> {
        let reached = |percent: &u8| u128::from(used) * 100 >= u128::from(of) * u128::from(*percent);
        let level = ALARMS.into_iter().find(reached).unwrap_or(0);
        let before = self.0.swap(level, Ordering::Relaxed);
        (level > before).then_some(level)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_level_is_told_once() {
        let alarm = Alarm::default();
        let told = [10, 79, 80, 85, 90, 100, 85, 95, 0, 80].map(|used| alarm.rise(used, 100));
        assert_eq!(told, [None, None, Some(80), None, Some(90), None, None, Some(90), None, Some(80)]);
    }
}
