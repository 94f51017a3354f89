//! Enforces the capacity limits of the storage: a quota for the total size of all objects, and a minimum of free disk space. The minimum
//! exists because the database and the logs use the same disk.
//!
//! Uploads that exceed a limit are refused; all other requests continue. Warnings are logged before a limit is reached.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::Duration;

use cloch_core::Live;
use cloch_sql::Database;
use futures_util::{StreamExt, stream};
use rustix::fs::{StatVfs, statvfs};
use tokio::sync::Notify;
use tokio::time::Interval;
use tokio_util::sync::CancellationToken;

use crate::backend::ByteStream;
use crate::error::{Error, Result};
use crate::settings::{BackendSettings, Settings};

/// Time between two measurements of the storage's used space.
const CHECK_INTERVAL: Duration = Duration::from_secs(30);
/// Number of received bytes of one upload after which the free disk space is read again.
const CHECK_EVERY_BYTES: u64 = 8 * 1024 * 1024;
/// Default minimum of free disk space in bytes. The minimum is smaller if one twentieth of the disk ([`DEFAULT_MIN_FREE_SHARE`]) is smaller
/// than this value.
const DEFAULT_MIN_FREE_BYTES: u64 = 1024 * 1024 * 1024;
const DEFAULT_MIN_FREE_SHARE: u64 = 20;
/// Percentages of the used disk space or quota at which an error and a warning are logged.
const ALARM_PERCENTS: [u8; 2] = [ERROR_PERCENT, 80];
const ERROR_PERCENT: u8 = 90;

/// Used and available space of the storage.
#[derive(Debug)]
pub(crate) struct Capacity {
    folder: PathBuf,
    limits: Live<Limits>,
    /// Notifies the measuring task that the limits were replaced, so that a new quota is checked at once.
    changed: Notify,
    /// Total size in bytes of all objects and unfinished uploads when they were last counted, plus the bytes that this node has stored since
    /// then.
    stored: AtomicU64,
    /// Bytes that running uploads have received so far.
    in_flight: AtomicU64,
    quota_alarm: Alarm,
    disk_alarm: Alarm,
}

#[derive(Debug)]
struct Limits {
    min_free: Option<u64>,
    quota: Option<u64>,
}

impl Limits {
    fn of(settings: &Settings) -> Self {
        Self { min_free: settings.min_free, quota: settings.quota }
    }

    fn min_free(&self, disk: &StatVfs) -> u64 {
        self.min_free.unwrap_or_else(|| DEFAULT_MIN_FREE_BYTES.min(total(disk) / DEFAULT_MIN_FREE_SHARE))
    }
}

impl Capacity {
    pub(crate) fn new(settings: &Settings) -> Self {
        let folder = match &settings.backend {
            BackendSettings::File { folder } => folder,
            BackendSettings::S3(s3) => &s3.spool,
        };
        Self {
            folder: folder.clone(),
            limits: Live::new(Limits::of(settings)),
            changed: Notify::new(),
            stored: AtomicU64::new(0),
            in_flight: AtomicU64::new(0),
            quota_alarm: Alarm::default(),
            disk_alarm: Alarm::default(),
        }
    }

    /// Replaces the quota and the minimum of free disk space by the values in `settings`, and starts a new measurement at once.
    pub(crate) fn set_limits(&self, settings: &Settings) {
        self.limits.set(Limits::of(settings));
        self.changed.notify_one();
    }

    /// Checks whether `more` additional bytes fit into the quota and on the disk.
    ///
    /// # Errors
    /// [`Error::OutOfSpace`] if the bytes do not fit.
    pub(crate) fn check(&self, more: u64) -> Result<()> {
        let limits = self.limits.get();
        if let Some(quota) = limits.quota {
            let used = self.stored.load(Ordering::Relaxed).saturating_add(self.in_flight.load(Ordering::Relaxed));
            if used.saturating_add(more) > quota {
                return Err(Error::OutOfSpace("The quota of bytes stored on this server is used up"));
            }
        }
        match self.disk(&limits) {
            Some(disk) if free(&disk).saturating_sub(more) < limits.min_free(&disk) => {
                Err(Error::OutOfSpace("The server's disk is nearly full"))
            }
            _ => Ok(()),
        }
    }

    /// Wraps the content of an upload in a stream that fails as soon as the quota or the disk is full.
    ///
    /// # Errors
    /// [`Error::OutOfSpace`] if the `declared` number of bytes does not fit into the quota or on the disk.
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

    /// Measures the storage's used space regularly until the server shuts down.
    pub(crate) async fn watch(&self, database: &Database, shutdown: &CancellationToken) {
        let mut ticks = tokio::time::interval(CHECK_INTERVAL);
        while shutdown.run_until_cancelled(self.due(&mut ticks)).await.is_some() {
            if let Err(error) = self.measure(database).await {
                tracing::warn!(
                    %error,
                    "storage: counting the size of all objects for the storage quota failed, the last count stays in use, retrying in 30 s"
                );
            }
        }
    }

    /// Waits until the next measurement of the used space is due.
    async fn due(&self, ticks: &mut Interval) {
        tokio::select! { _ = ticks.tick() => {}, () = self.changed.notified() => {} }
    }

    /// Measures the disk usage and, if a quota is configured, the total size of all objects. Logs a warning if the disk or the quota is
    /// nearly full.
    ///
    /// # Errors
    /// If the database query fails.
    pub(crate) async fn measure(&self, database: &Database) -> Result<()> {
        let limits = self.limits.get();
        if let Some(disk) = self.disk(&limits) {
            self.disk_alarm.update("disk", total(&disk).saturating_sub(free(&disk)), total(&disk));
        }
        let Some(quota) = limits.quota else { return Ok(()) };
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

    /// Returns the statistics of the file system that stores the content. `None` if the statistics cannot be read or the configured minimum of
    /// free space is 0 (no check).
    fn disk(&self, limits: &Limits) -> Option<StatVfs> {
        if limits.min_free == Some(0) {
            return None;
        }
        // If the folder does not exist yet, it will be created on the disk of its parent folder.
        self.folder.ancestors().find_map(|folder| statvfs(folder).ok())
    }
}

fn free(disk: &StatVfs) -> u64 {
    disk.f_bavail.saturating_mul(disk.f_frsize)
}

fn total(disk: &StatVfs) -> u64 {
    disk.f_blocks.saturating_mul(disk.f_frsize)
}

/// A running upload and the number of its bytes received so far.
struct RunningUpload {
    capacity: Arc<Capacity>,
    bytes: u64,
    /// Value of `bytes` at the last check of the capacity.
    checked: u64,
    is_whole: bool,
}

impl RunningUpload {
    fn add(&mut self, more: u64) -> Result<()> {
        self.bytes += more;
        self.capacity.in_flight.fetch_add(more, Ordering::Relaxed);
        if self.capacity.limits.get().quota.is_some() || self.bytes >= self.checked + CHECK_EVERY_BYTES {
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

/// Highest level of [`ALARM_PERCENTS`] that was logged. A level is logged once, and again only after the used space was below this level.
#[derive(Debug, Default)]
struct Alarm(AtomicU8);

impl Alarm {
    fn update(&self, what: &'static str, used: u64, of: u64) {
        let Some(percent) = self.rise(used, of) else { return };
        // Many servers are permanently above the warning level, so only the higher level is logged as an error.
        if percent >= ERROR_PERCENT {
            tracing::error!(
                space.kind = what,
                space.used = used,
                space.total = of,
                "storage: space almost full, {percent} % of the {what} used, {} of {}: uploads fail when it is full",
                readable(used),
                readable(of)
            );
        } else {
            tracing::warn!(
                space.kind = what,
                space.used = used,
                space.total = of,
                "storage: space almost full, {percent} % of the {what} used, {} of {}: uploads fail when it is full",
                readable(used),
                readable(of)
            );
        }
    }

    /// Returns the highest level in percent that the used space has reached. Returns `None` if no level is reached, or if the level is not
    /// higher than at the last call.
    fn rise(&self, used: u64, of: u64) -> Option<u8> {
        let reached = |percent: &u8| u128::from(used) * 100 >= u128::from(of) * u128::from(*percent);
        let level = ALARM_PERCENTS.into_iter().find(reached).unwrap_or(0);
        let before = self.0.swap(level, Ordering::Relaxed);
        (level > before).then_some(level)
    }
}

/// Formats a number of bytes in KiB, MiB or GiB, for the log.
fn readable(bytes: u64) -> String {
    let (divisor, unit) = match bytes {
        0..0x10_0000 => (1 << 10, "KiB"),
        0x10_0000..0x4000_0000 => (1 << 20, "MiB"),
        _ => (1 << 30, "GiB"),
    };
    let tenths = u128::from(bytes) * 10 / divisor;
    format!("{}.{} {unit}", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_readable() {
        for (bytes, shown) in
            [(512, "0.5 KiB"), (1536, "1.5 KiB"), (5 << 20, "5.0 MiB"), (228_695_830_528, "212.9 GiB")]
        {
            assert_eq!(readable(bytes), shown);
        }
    }

    #[test]
    fn each_level_is_logged_once() {
        let alarm = Alarm::default();
        let logged = [10, 79, 80, 85, 90, 100, 85, 95, 0, 80].map(|used| alarm.rise(used, 100));
        assert_eq!(logged, [None, None, Some(80), None, Some(90), None, None, Some(90), None, Some(80)]);
    }
}
