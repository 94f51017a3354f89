//! Reports that the database's disk is full: one error message for the clients of all APIs, a counter, and at most one log
//! line per minute.

use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::fs::statvfs;

use crate::metrics::DISK_FULL_ERRORS;

/// Error message of the responses (status 503) to requests that cannot write because the disk is full.
pub const MESSAGE: &str = "The database's disk is full: nothing can be stored until the operator frees some space";
/// SQLSTATE `disk_full`.
pub const SQLSTATE: &str = "53100";

/// Free space in bytes below which the disk counts as full: the size of one WAL segment file (16 MiB). PostgreSQL stops if it cannot create
/// the next segment file.
const FULL_BYTES: u64 = 16 << 20;
/// Free space in bytes below which the operator is warned.
const LOW_BYTES: u64 = 200 << 20;
/// Minimum time between two log lines about the full disk.
const LOG_INTERVAL: Duration = Duration::from_secs(60);

/// Time of the last log line about the full disk. `None` before the first log line.
static LAST_LOGGED: Mutex<Option<Instant>> = Mutex::new(None);

/// Size and free space of a file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    /// Bytes that the account which runs Cloch can still write.
    pub free: u64,
    /// Size in bytes.
    pub size: u64,
}

impl Space {
    /// Measures the file system that contains a folder. `None` if the operating system returns an error.
    #[must_use]
    pub fn of(folder: &Path) -> Option<Self> {
        let disk = statvfs(folder).ok()?;
        Some(Self {
            free: disk.f_bavail.saturating_mul(disk.f_frsize),
            size: disk.f_blocks.saturating_mul(disk.f_frsize),
        })
    }

    /// Whether the free space is too small for the database to write.
    #[must_use]
    pub fn is_full(self) -> bool {
        self.free < FULL_BYTES
    }

    /// Whether the free space is so small that the operator must be warned.
    #[must_use]
    pub fn is_low(self) -> bool {
        self.free < LOW_BYTES
    }
}

/// Whether a file operation failed because the disk or the account's quota is full.
#[must_use]
pub fn is_cause(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded)
}

/// Counts a write that failed because the disk is full, and writes a log line unless one was written within the last minute. The log line
/// begins with `part`, the name of the API or other part of the program whose write failed.
pub fn report(part: &str) {
    DISK_FULL_ERRORS.inc();
    let mut last = LAST_LOGGED.lock().unwrap_or_else(PoisonError::into_inner);
    if last.is_none_or(|logged| logged.elapsed() >= LOG_INTERVAL) {
        *last = Some(Instant::now());
        tracing::error!(
            "{part}: writing failed, the database's disk is full. Requests that write get status 503 until there is space again; no stored data \
             is lost (docs/operations/full-disk.md). This is logged once a minute, metric cloch_disk_full_errors_total counts all"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_is_full_before_its_last_byte() {
        let space = |free| Space { free, size: 1 << 40 };
        assert!(space(0).is_full() && space(FULL_BYTES - 1).is_full() && !space(FULL_BYTES).is_full());
        assert!(space(LOW_BYTES - 1).is_low() && !space(LOW_BYTES).is_low());
        let here = Space::of(&std::env::temp_dir()).unwrap();
        assert!(here.size >= here.free && here.size > 0);
        assert_eq!(Space::of(Path::new("/does/not/exist")), None);
    }

    #[test]
    fn each_failed_write_is_counted() {
        let before = DISK_FULL_ERRORS.get();
        (0..3).for_each(|_| report("test"));
        assert_eq!(DISK_FULL_ERRORS.get(), before + 3);
    }
}
