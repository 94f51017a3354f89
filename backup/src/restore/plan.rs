//! Plans a restore to a moment: chooses the base backup, the WAL after the base backup, and the end of replay.

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};

use crate::check::gaps;
use crate::error::{BackupError, Result};
use crate::inventory::{Base, Inventory};
use crate::layout::Point;
use crate::lsn::Lsn;

/// A later base backup limits the WAL that a restore fetches only if it was begun more than this time after the restored moment.
const MARGIN: TimeDelta = TimeDelta::minutes(1);
/// Number of WAL segments that are fetched beyond the base backup that follows the restored moment. They are needed because replay stops
/// only at the first commit after that moment.
const SEGMENTS_BEHIND: u64 = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReplayEnd {
    /// Replay ends after a WAL mark.
    Mark(Lsn),
    /// Replay ends before the first commit after a moment.
    Moment(DateTime<Utc>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Plan<'a> {
    pub(super) base: &'a Base,
    pub(super) log_end: Lsn,
    pub(super) replay_end: ReplayEnd,
    pub(super) moment: DateTime<Utc>,
    /// Name of a project archive (secrets and project's folder): the latest one according to the manifest of the base backup or the
    /// recovery point. The backup must contain this archive or a later one. An older archive is not restored.
    pub(super) settings: Option<&'a str>,
}

impl<'a> Plan<'a> {
    /// Plans the restore of a moment, or of the latest moment if `to` is `None`.
    ///
    /// # Errors
    /// If no backup covers the moment.
    pub(super) fn new(inventory: &'a Inventory, to: Option<DateTime<Utc>>) -> Result<Self> {
        if let Some((base, moment)) = to.and_then(|to| Some((inventory.base_of(to)?, to))) {
            return Ok(Self::exactly(base, moment));
        }
        let Some((series, latest)) = inventory.latest() else {
            return Err(BackupError::Refused(
                "the target holds no complete base backup yet: see `cloch backup status`".to_owned(),
            ));
        };
        let Some(moment) = to else {
            let base = inventory.bases.iter().rfind(|base| base.series == series);
            let base = base.ok_or_else(|| uncovered(inventory, latest, latest.until))?;
            return Ok(Self::last(base, latest));
        };
        let found = inventory.bases.iter().rev().find_map(|base| {
            let point = inventory.points.get(&base.series)?;
            let manifest = &base.manifest;
            let is_covered = manifest.completed <= moment && moment <= point.until && manifest.mark <= point.mark;
            is_covered.then_some((base, point))
        });
        let (base, point) = found.ok_or_else(|| uncovered(inventory, latest, moment))?;
        refuse_single(inventory, base, point, moment)?;
        // No transaction was committed between the recovery point's WAL mark and its `until`. If the moment is in this period, replay can
        // therefore end at the mark.
        let replay_end = if moment < point.marked { ReplayEnd::Moment(moment) } else { ReplayEnd::Mark(point.mark) };
        let log_end = log_end(inventory, base, point, moment);
        Ok(Self { base, log_end, replay_end, moment, settings: settings_of(base) })
    }

    /// Plans the restore of the moment at which a base backup was completed. This works even if the later WAL is expired, or the last recovery
    /// point of the backup series is damaged.
    fn exactly(base: &'a Base, moment: DateTime<Utc>) -> Self {
        let replay_end = ReplayEnd::Mark(base.manifest.mark);
        Self { base, log_end: base.manifest.end, replay_end, moment, settings: settings_of(base) }
    }

    /// Plans the restore of the last moment of a backup series, from its last base backup and its last recovery point. For a short time
    /// after a base backup, the WAL mark of the last recovery point is older than that of the base backup. The moment is then that of the
    /// base backup.
    fn last(base: &'a Base, point: &'a Point) -> Self {
        let settings = point.settings.as_deref().or(settings_of(base));
        if point.mark < base.manifest.mark {
            return Self { settings, ..Self::exactly(base, base.manifest.completed) };
        }
        Self { base, log_end: point.end, replay_end: ReplayEnd::Mark(point.mark), moment: point.until, settings }
    }
}

fn settings_of(base: &Base) -> Option<&str> {
    base.manifest.settings.as_deref()
}

/// Returns the WAL position up to which the restore needs WAL. This is [`SEGMENTS_BEHIND`] segments after the end of the first base backup
/// that was begun more than [`MARGIN`] after the restored moment, but at most the end of the recovery point. Without such a base backup, it
/// is the end of the recovery point.
fn log_end(inventory: &Inventory, base: &Base, point: &Point, moment: DateTime<Utc>) -> Lsn {
    let later = inventory.bases.iter().filter(|other| other.series == base.series);
    let later = later.filter(|other| other.manifest.begun > moment + MARGIN).map(|other| other.manifest.stop).min();
    let behind = SEGMENTS_BEHIND * base.manifest.segment_bytes;
    later.map_or(point.end, |stop| Lsn(stop.0 + behind).min(point.end))
}

/// Refuses a moment that follows a base backup that retention keeps without later WAL. Until the next base backup, only the moment of the
/// kept base backup itself can be restored.
fn refuse_single(inventory: &Inventory, base: &Base, point: &Point, moment: DateTime<Utc>) -> Result<()> {
    let first = inventory.first_continuous(&base.series).map(|first| &first.manifest);
    let manifest = &base.manifest;
    let pieces = inventory.pieces.get(&base.series).map_or(&[][..], Vec::as_slice);
    let is_single = first.is_some_and(|first| manifest.completed < first.completed)
        && gaps(pieces, manifest.timeline, manifest.segment_bytes, manifest.start, manifest.end).is_empty();
    match first {
        Some(first) if is_single => Err(BackupError::Refused(format!(
            "no backup covers {}: of that time only the base backup is kept (--to {}); every moment can be restored from {} to {}",
            shown(moment),
            shown(manifest.completed),
            shown(first.completed),
            shown(point.until)
        ))),
        _ => Ok(()),
    }
}

fn uncovered(inventory: &Inventory, latest: &Point, moment: DateTime<Utc>) -> BackupError {
    let first = inventory.bases.first().map_or_else(String::new, |base| shown(base.manifest.completed));
    let last = inventory.bases.last().map_or(latest.until, |base| base.manifest.completed.max(latest.until));
    BackupError::Refused(format!(
        "no backup covers {}: they reach from {first} to {}; `cloch backup list` shows gaps. Without --to the last moment is restored",
        shown(moment),
        shown(last)
    ))
}

/// Formats a moment as `cloch backup list` shows it.
fn shown(moment: DateTime<Utc>) -> String {
    moment.to_rfc3339_opts(SecondsFormat::Millis, true)
}

#[cfg(test)]
mod tests;
