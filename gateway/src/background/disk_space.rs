//! Measures the free space of the data folder's disk. While the disk is full, /health responds with 503, and an error is logged once a
//! minute.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use cloch_core::disk_full::Space;
use cloch_http::Health;
use tokio_util::sync::CancellationToken;

const CHECK_INTERVAL: Duration = Duration::from_secs(2);
/// Time between two log lines about a full disk. `LOW_LOG_INTERVAL` is the time between two log lines about a nearly full disk.
const FULL_LOG_INTERVAL: Duration = Duration::from_secs(60);
const LOW_LOG_INTERVAL: Duration = Duration::from_secs(60 * 60);

/// Measures the free space repeatedly until `shutdown`.
pub(super) async fn run(data: PathBuf, health: Health, shutdown: CancellationToken) {
    let mut lines = Lines::default();
    loop {
        if let Some(space) = Space::of(&data) {
            health.disk(space.is_full().then(|| reason(&data, space)));
            lines.log(&data, space, Instant::now());
        }
        if !super::task::sleep_unless_stopped(CHECK_INTERVAL, &shutdown).await {
            return;
        }
    }
}

fn reason(data: &std::path::Path, space: Space) -> String {
    format!("the disk of {} is full: {} of {} MB are free", data.display(), space.free >> 20, space.size >> 20)
}

#[derive(Debug, Default)]
struct Lines {
    /// Time of the last log line, and whether this line was about a full disk. `None` while the disk has enough space.
    last: Option<(bool, Instant)>,
}

impl Lines {
    fn log(&mut self, data: &std::path::Path, space: Space, now: Instant) {
        let (data, free, is_full) = (data.display(), space.free >> 20, space.is_full());
        if !space.is_low() {
            if self.last.take().is_some() {
                tracing::info!("disk: {free} MB are free again on the disk of {data}");
            }
            return;
        }
        if !self.is_due(is_full, now) {
            return;
        }
        self.last = Some((is_full, now));
        match is_full {
            true => tracing::error!(
                "disk: the disk of {data} is full, {free} MB are free: writes fail with status 503, and /health responds with 503. Free some space \
                 (docs/operations/full-disk.md)"
            ),
            false => {
                tracing::warn!(
                    "disk: the disk of {data} is nearly full, {free} MB are free: writes fail when the disk is full"
                )
            }
        }
    }

    fn is_due(&self, is_full: bool, now: Instant) -> bool {
        self.last.is_none_or(|(was_full, at)| {
            let interval = match (was_full, is_full) {
                (false, true) => Duration::ZERO,
                (false, false) => LOW_LOG_INTERVAL,
                (true, _) => FULL_LOG_INTERVAL,
            };
            now.duration_since(at) >= interval
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_logged_at_once_and_then_by_interval() {
        let begun = Instant::now();
        let at = |seconds| begun + Duration::from_secs(seconds);
        let lines = |last: Option<(bool, u64)>| Lines { last: last.map(|(is_full, seconds)| (is_full, at(seconds))) };
        assert!(lines(None).is_due(true, begun) && lines(None).is_due(false, begun));
        assert!(lines(Some((false, 0))).is_due(true, at(1)), "nearly full, then full");
        assert!(!lines(Some((true, 0))).is_due(true, at(59)) && lines(Some((true, 0))).is_due(true, at(60)));
        assert!(!lines(Some((false, 0))).is_due(false, at(600)) && lines(Some((false, 0))).is_due(false, at(3600)));
        assert!(!lines(Some((true, 0))).is_due(false, at(59)) && lines(Some((true, 0))).is_due(false, at(60)));
    }
}
