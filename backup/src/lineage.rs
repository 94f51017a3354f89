//! Identifies the server that wrote each backup series of a backup target (a server run), and selects the series to restore from.
//!
//! The backup series of one project follow each other in time, with one exception: a restored copy of a server may write into the backup
//! target of that server. Two series then contain different rows for the same moments, and the operator must choose one of them. If an
//! external provider hosts the database, each node that uses the database has a series without rows.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

use chrono::{DateTime, NaiveDateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use crate::error::{BackupError, Result};
use crate::inventory::{Inventory, series_of};
use crate::layout;
use crate::repository::Repository;
use crate::settings::Settings;
use crate::signed_json;

/// Maximum overlap in time between the backup series of two servers of which one ran after the other. An overlap is possible because the
/// clocks of two machines differ.
const MARGIN: TimeDelta = TimeDelta::seconds(10);
/// File in which Linux stores the host name.
const HOST_FILE: &str = "/proc/sys/kernel/hostname";

/// Identifies the server that writes a backup series.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// Host name of the machine; empty if it cannot be read.
    pub host: String,
    /// Path of the data folder.
    pub data: String,
}

/// Writes `run.json`, which identifies the server that writes a backup series.
pub(crate) async fn sign(settings: &Settings, repository: &Repository, series: &str) -> Result<()> {
    let host = fs::read_to_string(HOST_FILE).map(|name| name.trim().to_owned()).unwrap_or_default();
    let run = Run { host, data: settings.data.display().to_string() };
    signed_json::put(repository, &layout::run(series), &run).await
}

/// Describes a backup series for an operator: its name (the value of `--run`), host and data folder.
///
/// # Errors
/// If the backup target cannot be read.
pub async fn describe(repository: &Repository, series: &str) -> Result<String> {
    match signed_json::get::<Run>(repository, &layout::run(series)).await {
        Ok(Some(Run { host, data })) => Ok(format!("{series} of {host}, {data}")),
        // Older versions of Cloch do not write `run.json`.
        Ok(None) | Err(BackupError::Damaged { .. }) => Ok(format!("{series} of an unknown machine")),
        Err(error) => Err(error),
    }
}

/// Reduces the inventory to the backup series named `run`, the value of the operator's option `--run`. Without `run`, returns the whole
/// inventory if only one series is a candidate for the restore.
///
/// # Errors
/// If no series of that name contains a complete base backup. Without `run`, if two series have different rows for the moment `to`. If `to`
/// is `None`, two series conflict when the earlier series continued after the start of the latest one.
pub(crate) async fn narrow(
    repository: &Repository,
    mut inventory: Inventory,
    run: Option<&str>,
    to: Option<DateTime<Utc>>,
) -> Result<Inventory> {
    let Some(run) = run else {
        let meant = meant(&inventory, to);
        if meant.len() > 1 {
            let text = "several servers wrote backups of that time into this target, with different rows. Name the run with --run".to_owned();
            return Err(refused(repository, text, meant).await?);
        }
        return Ok(inventory);
    };
    if !inventory.bases.iter().any(|base| base.series == run) {
        let all = inventory.bases.iter().map(|base| base.series.as_str()).collect();
        let text = format!("the target holds no run {run} with a complete base backup. Name one of these with --run");
        return Err(refused(repository, text, all).await?);
    }
    inventory.bases.retain(|base| base.series == run);
    inventory.points.retain(|series, _| series == run);
    inventory.pieces.retain(|series, _| series == run);
    inventory.unreadable.retain(|unreadable| series_of(&unreadable.name) == Some(run));
    Ok(inventory)
}

async fn refused(repository: &Repository, mut text: String, runs: BTreeSet<&str>) -> Result<BackupError> {
    text.push(':');
    for series in runs {
        // Writing into a `String` never fails.
        let _ = write!(text, "\n  --run {}", describe(repository, series).await?);
    }
    Ok(BackupError::Refused(text))
}

/// Returns the backup series from which the operator may want to restore. If there are several, the operator must choose one. For a moment
/// `to`, these are the series that contain this moment. If `to` is `None`, they are the latest series, and earlier series that continued
/// after the start of the latest series.
fn meant(inventory: &Inventory, to: Option<DateTime<Utc>>) -> BTreeSet<&str> {
    let spans = spans(inventory);
    let Some(moment) = to else {
        let last = inventory.latest().and_then(|(series, _)| spans.iter().find(|span| span.series == series));
        let Some(last) = last else { return BTreeSet::new() };
        let went_on = |span: &&Span<'_>| span.begun < last.begun && span.until > last.begun + MARGIN;
        return spans.iter().filter(went_on).chain([last]).map(|span| span.series).collect();
    };
    // If the moment is the completion time of a base backup, as `cloch backup list` shows it, the operator means this base backup. Then the
    // operator need not choose a series, so the list is empty.
    if inventory.base_of(moment).is_some() {
        return BTreeSet::new();
    }
    spans.iter().filter(|span| span.first <= moment && moment <= span.until).map(|span| span.series).collect()
}

struct Span<'a> {
    series: &'a str,
    begun: DateTime<Utc>,
    /// First restorable moment of the backup series.
    first: DateTime<Utc>,
    until: DateTime<Utc>,
}

/// Returns the period of each backup series that contains the rows of the database. Series that contain only the files of a hosted database
/// are omitted.
fn spans(inventory: &Inventory) -> Vec<Span<'_>> {
    let mut spans: Vec<Span<'_>> = Vec::new();
    for base in inventory.bases.iter().filter(|base| !base.manifest.is_files_only) {
        let (series, manifest) = (base.series.as_str(), &base.manifest);
        let Some(point) = inventory.points.get(series) else { continue };
        if !spans.iter().any(|span| span.series == series) {
            let begun = begun(series).unwrap_or(manifest.begun);
            spans.push(Span { series, begun, first: manifest.completed, until: point.until });
        }
    }
    spans
}

/// Parses the start time in the name of a backup series. `None` if the name contains no time.
fn begun(series: &str) -> Option<DateTime<Utc>> {
    NaiveDateTime::parse_from_str(series, "%Y%m%dT%H%M%S%3fZ").ok().map(|moment| moment.and_utc())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inventory::Base;
    use crate::layout::{Manifest, Point};
    use crate::lsn::Lsn;
    use crate::testing;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_790_000_000 + seconds, 0).unwrap()
    }

    /// Creates an inventory of backup series with begin and end in seconds. Each base backup takes five seconds.
    fn inventory(series: &[(i64, i64)], is_files_only: bool) -> Inventory {
        let mut inventory = Inventory::default();
        for (begun, until) in series {
            let manifest = Manifest {
                mark: Lsn(3),
                end: Lsn(3),
                completed: at(begun + 5),
                is_files_only,
                ..testing::manifest(at(*begun))
            };
            let name = layout::moment_name(at(*begun));
            inventory.bases.push(Base { series: name.clone(), id: name.clone(), manifest });
            let until = at(*until);
            inventory.points.insert(
                name,
                Point { mark: Lsn(9), marked: until, end: Lsn(9), until, number: 1, settings: None, is_mended: false },
            );
        }
        inventory
    }

    #[test]
    fn runs_that_follow_each_other_are_never_ambiguous() {
        let inventory = inventory(&[(0, 1000), (1003, 2000), (1995, 3000)], false);
        assert_eq!(meant(&inventory, None).len(), 1);
        for moment in [500, 1500, 2500] {
            assert_eq!(meant(&inventory, Some(at(moment))).len(), 1, "{moment}");
        }
    }

    #[test]
    fn a_copy_that_began_beside_its_origin_is_not_taken_for_it() {
        let after_the_loss = inventory(&[(0, 1000), (500, 2000)], false);
        assert_eq!(meant(&after_the_loss, None).len(), 2, "the last moment is the copy's");
        assert_eq!(meant(&after_the_loss, Some(at(800))).len(), 2);
        assert_eq!(meant(&after_the_loss, Some(at(300))).len(), 1);
        assert_eq!(meant(&after_the_loss, Some(at(505))).len(), 0, "a base backup is named by its moment");
        let copy_has_ended = inventory(&[(0, 2000), (500, 1000)], false);
        assert_eq!(meant(&copy_has_ended, None).len(), 1, "the origin goes on");
    }

    #[test]
    fn nodes_of_a_providers_database_hold_no_rows() {
        let nodes = inventory(&[(0, 1000), (500, 2000)], true);
        assert!(meant(&nodes, None).len() < 2 && meant(&nodes, Some(at(800))).len() < 2);
    }
}
