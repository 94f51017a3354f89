//! Deletes what no kept backup needs.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::RangeInclusive;
use std::time::{Duration, SystemTime};

use chrono::{DateTime, TimeDelta, Utc};
use cloch_sql::database::{Login, read_no_views};
use sqlx::{ConnectOptions, Connection};

use crate::error::{BackupError, Result};
use crate::inventory::{Base, Inventory, series_of};
use crate::layout::{self, BlobList};
use crate::lsn::{Lsn, segment_name};
use crate::repository::Repository;
use crate::retention::{self, Candidate, Keep};
use crate::signed_json;

/// The time by which a blob may be older than the row that names it, and clocks may differ.
const BLOB_GRACE: Duration = Duration::from_secs(2 * 24 * 60 * 60);
/// Time around a base backup whose new blobs stay with it: its list was read a moment before it was completed.
const BASE_GRACE: Duration = Duration::from_secs(60 * 60);
/// Age at which a base backup without a manifest is what a killed program has left.
const INCOMPLETE_AGE: TimeDelta = TimeDelta::days(2);

/// Deletes base backups, log and blobs that no kept backup needs; returns what is left. `series` is the one that is written now.
pub(crate) async fn run(repository: &Repository, series: &str, keep: Keep, login: &Login) -> Result<Inventory> {
    let inventory = Inventory::read(repository).await?;
    let decision = Decision::new(&inventory, series, keep, Utc::now());
    // What a damaged manifest needs is unknown: nothing of its run is deleted, and no blob, which runs share.
    let unknown: HashSet<&str> = inventory.unreadable.iter().filter_map(|one| series_of(&one.name)).collect();
    let is_unknown = |name: &str| series_of(name).is_some_and(|series| unknown.contains(series));
    for name in decision.files.iter().filter(|name| !is_unknown(name)) {
        repository.target.delete(name).await?;
    }
    if let Some(unreadable) = inventory.unreadable.first() {
        return Err(unreadable.error());
    }
    let named = named_blobs(repository, &decision.bases, login).await?;
    for entry in repository.target.list(layout::BLOBS).await? {
        let Some((key, _, _)) = layout::parse_blob_part(&entry.name) else { continue };
        if !named.contains(&key.to_string()) && !decision.keeps_unnamed_blob(entry.modified) {
            repository.target.delete(&entry.name).await?;
        }
    }
    Inventory::read(repository).await
}

/// Deletes what is no longer kept of the files that nobody signed, which servers of before wrote; all of them when the last one is older than
/// anything that is kept. What they say is not verified, and decides about themselves alone.
pub(crate) async fn run_of_before(repository: &Repository, keep: Keep, every: Duration) -> Result<()> {
    let target = &repository.of_before().target;
    let files = [target.list(layout::SERIES).await?, target.list(layout::BLOBS).await?].concat();
    let Some(last) = files.iter().map(|entry| entry.modified).max() else { return Ok(()) };
    let hours = u32::try_from(every.as_secs() / 3600).unwrap_or(u32::MAX);
    let longest = Duration::from_secs(u64::from(keep.longest_days(hours)) * 24 * 60 * 60);
    if last.elapsed().is_ok_and(|age| age > longest) {
        for entry in &files {
            target.delete(&entry.name).await?;
        }
        return Ok(());
    }
    let before = repository.of_before();
    let inventory = Inventory::read(&before).await?;
    if let Some(unreadable) = inventory.unreadable.first() {
        return Err(unreadable.error());
    }
    let decision = Decision::new(&inventory, "", keep, Utc::now());
    for name in &decision.files {
        target.delete(name).await?;
    }
    let named = blobs_of_bases(&before, &decision.bases).await?;
    for entry in files.iter().filter(|entry| entry.name.starts_with(layout::BLOBS)) {
        let key = layout::parse_blob_part(&entry.name).map(|(key, _, _)| key.to_string());
        if key.is_some_and(|key| !named.contains(&key)) && !decision.keeps_unnamed_blob(entry.modified) {
            target.delete(&entry.name).await?;
        }
    }
    Ok(())
}

/// What stays and what goes.
#[derive(Debug)]
struct Decision<'a> {
    /// The base backups that stay.
    bases: Vec<&'a Base>,
    /// When the first base backup was begun from which on every moment can be restored.
    oldest: Option<DateTime<Utc>>,
    /// The files of base backups and log that go, in the order in which they do.
    files: Vec<String>,
}

impl<'a> Decision<'a> {
    fn new(inventory: &'a Inventory, current: &str, keep: Keep, now: DateTime<Utc>) -> Self {
        let candidate = |base: &'a Base| {
            let completed = base.manifest.completed;
            let until = inventory.points.get(&base.series).map_or(completed, |point| point.until);
            // The current series is written at this moment.
            let until = if base.series == current { until.max(now) } else { until };
            Candidate { series: &base.series, completed, until }
        };
        let candidates: Vec<Candidate<'_>> = inventory.bases.iter().map(candidate).collect();
        let kept = retention::choose(&candidates, keep, now);
        let (mut bases, mut firsts, mut files) = (Vec::new(), BTreeMap::new(), Vec::new());
        for (index, base) in inventory.bases.iter().enumerate() {
            if kept.continuous.contains(&index) {
                firsts.entry(base.series.as_str()).or_insert(base);
                bases.push(base);
            } else if kept.single.contains(&index) {
                bases.push(base);
            } else {
                files.extend(files_of_base(inventory, base));
            }
        }
        files.extend(incomplete_bases(inventory, now));
        for (series, pieces) in &inventory.pieces {
            let first = firsts.get(series.as_str()).map(|base| first_segment(base));
            // A series without a base backup: the current one is about to get one.
            if first.is_none() && series == current {
                continue;
            }
            let singles = log_of_bases(bases.iter().copied().filter(|base| base.series == *series));
            let goes = |segment: &String| {
                first.as_ref().is_none_or(|first| segment < first)
                    && !singles.iter().any(|single| single.contains(segment))
            };
            files.extend(pieces.iter().filter(|piece| goes(&piece.segment)).map(|piece| piece.name.clone()));
        }
        let oldest = firsts.values().map(|base| base.manifest.begun).min();
        Self { bases, oldest, files }
    }

    /// Whether a blob stays that neither a kept base backup nor the database names: it belongs to rows that were there between two base
    /// backups, or while a kept one was made.
    fn keeps_unnamed_blob(&self, copied: SystemTime) -> bool {
        let is_since = self.oldest.is_none_or(|oldest| copied >= SystemTime::from(oldest) - BLOB_GRACE);
        is_since
            || self.bases.iter().any(|base| {
                let (begun, completed) =
                    (SystemTime::from(base.manifest.begun), SystemTime::from(base.manifest.completed));
                copied >= begun - BASE_GRACE && copied <= completed + BASE_GRACE
            })
    }
}

/// The manifest first: what has none counts as incomplete.
fn files_of_base(inventory: &Inventory, base: &Base) -> Vec<String> {
    let manifest = layout::manifest(&base.series, &base.id);
    let folder = format!("{}{}/", layout::folder(&base.series, "base"), base.id);
    let others =
        inventory.files.iter().map(|(name, _)| name).filter(|name| name.starts_with(&folder) && **name != manifest);
    std::iter::once(manifest.clone()).chain(others.cloned()).collect()
}

/// What was left by programs that were killed while they made or deleted a base backup.
fn incomplete_bases(inventory: &Inventory, now: DateTime<Utc>) -> Vec<String> {
    let complete: BTreeSet<(&str, &str)> =
        inventory.bases.iter().map(|base| (base.series.as_str(), base.id.as_str())).collect();
    let oldest_running = layout::moment_name(now - INCOMPLETE_AGE);
    let is_left = |name: &&String| {
        layout::parse_base_file(name)
            .is_some_and(|(series, id)| !complete.contains(&(series, id)) && id < oldest_running.as_str())
    };
    inventory.files.iter().map(|(name, _)| name).filter(is_left).cloned().collect()
}

fn first_segment(base: &Base) -> String {
    let manifest = &base.manifest;
    segment_name(manifest.timeline, manifest.start.segment(manifest.segment_bytes).0, manifest.segment_bytes)
}

/// The segments that base backups need to be restored as they are, from the first to the last of each. Names of one timeline are in the order of
/// numbers.
fn log_of_bases<'a>(bases: impl Iterator<Item = &'a Base>) -> Vec<RangeInclusive<String>> {
    let segments = bases.map(|base| {
        let manifest = &base.manifest;
        let name =
            |lsn: Lsn| segment_name(manifest.timeline, lsn.segment(manifest.segment_bytes).0, manifest.segment_bytes);
        name(manifest.start)..=name(manifest.end)
    });
    segments.collect()
}

/// The blobs that kept base backups and the database name.
async fn named_blobs(repository: &Repository, bases: &[&Base], login: &Login) -> Result<HashSet<String>> {
    let mut named = blobs_of_bases(repository, bases).await?;
    let mut connection = login.sqlx_options().connect().await?;
    read_no_views(&mut connection).await?;
    let current: Vec<String> = sqlx::query_scalar(
        "select version from storage.objects where version is not null
         union all select version from cloch.object_versions where not is_delete_marker
         union all select version from storage.s3_multipart_uploads_parts",
    )
    .fetch_all(&mut connection)
    .await?;
    connection.close().await?;
    named.extend(current);
    Ok(named)
}

async fn blobs_of_bases(repository: &Repository, bases: &[&Base]) -> Result<HashSet<String>> {
    let mut named = HashSet::new();
    for base in bases {
        let name = layout::blob_list(&base.series, &base.id);
        let list: BlobList = signed_json::get(repository, &name).await?.ok_or(BackupError::Missing { what: name })?;
        named.extend(list.into_versions());
    }
    Ok(named)
}

#[cfg(test)]
mod tests;
