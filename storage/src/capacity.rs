//! The capacity of the store: a quota for all bytes, and a part of the disk that stays free, because the database and the log are there
//! too. Uploads beyond either are refused while everything else continues; warnings are logged before.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::Duration;

use cloch_sql::Database;
use futures_util::{StreamExt, stream};
use rustix::fs::{StatVfs, statvfs};
use tokio_util::sync::CancellationToken;

use crate::backend::ByteStream;
use crate::error::{Error, Result};
use crate::settings::{BackendSettings, Settings};

/// The time between two measurements.
const CHECK_INTERVAL: Duration = Duration::from_secs(30);
/// After so many bytes of one upload the free space of the disk is read again.
const CHECK_EVERY_BYTES: u64 = 8 * 1024 * 1024;
/// What stays free where nothing is configured: the smaller of this and a share (one twentieth) of the disk.
const DEFAULT_MIN_FREE_BYTES: u64 = 1024 * 1024 * 1024;
const DEFAULT_MIN_FREE_SHARE: u64 = 20;
/// The percentage at which an error is logged, and the one at which a warning is.
const ALARM_PERCENTS: [u8; 2] = [ERROR_PERCENT, 80];
const ERROR_PERCENT: u8 = 90;

/// How full the store is.
#[derive(Debug)]
pub(crate) struct Capacity {
    folder: PathBuf,
    min_free: Option<u64>,
    quota: Option<u64>,
    /// The bytes of all objects and unfinished uploads when they were last counted, and those that were stored here since.
    stored: AtomicU64,
    /// The bytes of running uploads.
    in_flight: AtomicU64,
    quota_alarm: Alarm,
    disk_alarm: Alarm,
}

impl Capacity {
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
            in_flight: AtomicU64::new(0),
            quota_alarm: Alarm::default(),
            disk_alarm: Alarm::default(),
        }
    }

    /// Refuses so many more bytes where they do not fit.
    ///
    /// # Errors
    /// [`Error::OutOfSpace`].
    pub(crate) fn check(&self, more: u64) -> Result<()> {
        if let Some(quota) = self.quota {
            let used = self.stored.load(Ordering::Relaxed).saturating_add(self.in_flight.load(Ordering::Relaxed));
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

    /// The bytes of an upload, which end with an error as soon as no more fit.
    ///
    /// # Errors
    /// [`Error::OutOfSpace`] where the declared ones do not fit.
    pub(crate) fn guard(self: &Arc<Self>, bytes: ByteStream, declared: Option<u64>) -> Result<ByteStream> {
        self.check(declared.unwrap_or(0))?;
        let upload = RunningUpload { capacity: self.clone(), bytes: 0, checked: 0, is_whole: false };
        let guarded = stream::unfold(Some((bytes, upload)), |state| async move {
            let (mut bytes, mut upload) = state?;
            let Some(item) = bytes.next().await else {
                upload.is_whole = true;
                return None;
            };
            let item = item.and_then(|chunk| upload.add(chunk.len() as u64).map(|()| chunk));
            let next = item.is_ok().then_some((bytes, upload));
            Some((item, next))
        });
        Ok(guarded.boxed())
    }

    /// Measures until the server shuts down.
    pub(crate) async fn watch(&self, database: &Database, shutdown: &CancellationToken) {
        let mut ticks = tokio::time::interval(CHECK_INTERVAL);
        while shutdown.run_until_cancelled(ticks.tick()).await.is_some() {
            if let Err(error) = self.measure(database).await {
                tracing::warn!("counting the bytes of all objects failed: {error}");
            }
        }
    }

    /// Counts the bytes of all objects where there is a quota, and logs a warning when the disk or the quota is nearly full.
    ///
    /// # Errors
    /// When the database cannot be queried.
    pub(crate) async fn measure(&self, database: &Database) -> Result<()> {
        if let Some(disk) = self.disk() {
            self.disk_alarm.update("disk", total(&disk).saturating_sub(free(&disk)), total(&disk));
        }
        let Some(quota) = self.quota else { return Ok(()) };
        let counted = sqlx::query_scalar!(
            r#"select (coalesce((select sum(size) from (select (metadata ->> 'size')::numeric as size from storage.objects) as o), 0)
                 + coalesce((select sum((metadata ->> 'size')::numeric) from cloch.object_versions), 0)
                 + coalesce((select sum(offset_bytes) from cloch.storage_uploads where completed_at is null), 0)
                 + coalesce((select sum(in_progress_size) from storage.s3_multipart_uploads), 0))::text as "bytes!""#,
        )
        .fetch_one(database.admin())
        .await?;
        let stored = counted.parse().unwrap_or(u64::MAX);
        self.stored.store(stored, Ordering::Relaxed);
        self.quota_alarm.update("quota", stored, quota);
        Ok(())
    }

    fn min_free(&self, disk: &StatVfs) -> u64 {
        self.min_free.unwrap_or_else(|| DEFAULT_MIN_FREE_BYTES.min(total(disk) / DEFAULT_MIN_FREE_SHARE))
    }

    /// The file system that bytes are written to; `None` where it cannot be read.
    fn disk(&self) -> Option<StatVfs> {
        if self.min_free == Some(0) {
            return None;
        }
        // A folder that does not exist yet will be on the disk of the one above it.
        self.folder.ancestors().find_map(|folder| statvfs(folder).ok())
    }
}

fn free(disk: &StatVfs) -> u64 {
    disk.f_bavail.saturating_mul(disk.f_frsize)
}

fn total(disk: &StatVfs) -> u64 {
    disk.f_blocks.saturating_mul(disk.f_frsize)
}

/// The bytes of a running upload.
struct RunningUpload {
    capacity: Arc<Capacity>,
    bytes: u64,
    /// How many of them there were at the last check.
    checked: u64,
    is_whole: bool,
}

impl RunningUpload {
    fn add(&mut self, more: u64) -> Result<()> {
        self.bytes += more;
        self.capacity.in_flight.fetch_add(more, Ordering::Relaxed);
        if self.capacity.quota.is_some() || self.bytes >= self.checked + CHECK_EVERY_BYTES {
            self.checked = self.bytes;
            self.capacity.check(0)?;
        }
        Ok(())
    }
}

impl Drop for RunningUpload {
    fn drop(&mut self) {
        self.capacity.in_flight.fetch_sub(self.bytes, Ordering::Relaxed);
        if self.is_whole {
            self.capacity.stored.fetch_add(self.bytes, Ordering::Relaxed);
        }
    }
}

/// Logs once when something is filled to a certain percentage, and again only after it was emptier.
#[derive(Debug, Default)]
struct Alarm(AtomicU8);

impl Alarm {
    fn update(&self, what: &'static str, used: u64, of: u64) {
        let Some(percent) = self.rise(used, of) else { return };
        // Many machines are filled to the first level all their life.
        if percent >= ERROR_PERCENT {
            tracing::error!(
                space.kind = what,
                space.used = used,
                space.total = of,
                "storage almost full: {percent} % of the {what} used"
            );
        } else {
            tracing::warn!(
                space.kind = what,
                space.used = used,
                space.total = of,
                "storage almost full: {percent} % of the {what} used"
            );
        }
    }

    /// The level that has been reached since the last call, in percent.
    fn rise(&self, used: u64, of: u64) -> Option<u8> {
        let reached = |percent: &u8| u128::from(used) * 100 >= u128::from(of) * u128::from(*percent);
        let level = ALARM_PERCENTS.into_iter().find(reached).unwrap_or(0);
        let before = self.0.swap(level, Ordering::Relaxed);
        (level > before).then_some(level)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_level_is_logged_once() {
        let alarm = Alarm::default();
        let logged = [10, 79, 80, 85, 90, 100, 85, 95, 0, 80].map(|used| alarm.rise(used, 100));
        assert_eq!(logged, [None, None, Some(80), None, Some(90), None, None, Some(90), None, Some(80)]);
    }
}
