//! Deletes the files of a backup target that no kept base backup needs.

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

/// Maximum time between the copy of a blob and the commit of the row that names the blob. Includes differences between clocks.
const BLOB_GRACE: Duration = Duration::from_secs(2 * 24 * 60 * 60);
/// Time before and after a base backup within which new blobs are kept, even if the base backup does not list them. This is necessary
/// because the list of blobs is read shortly before the base backup is completed.
const BASE_GRACE: Duration = Duration::from_secs(60 * 60);
/// Age from which a base backup without a manifest counts as left by a killed process.
const INCOMPLETE_AGE: TimeDelta = TimeDelta::days(2);

/// Deletes base backups, WAL and blobs that no kept base backup needs. Returns the remaining contents of the backup target. `series` is the
/// backup series that this server writes.
pub(crate) async fn run(repository: &Repository, series: &str, keep: Keep, login: &Login) -> Result<Inventory> {
    let inventory = Inventory::read(repository).await?;
    let decision = Decision::new(&inventory, series, keep, Utc::now());
    // It is unknown which WAL and which blobs a base backup with a damaged manifest needs. Delete nothing of its backup series. Delete no
    // blobs either, because all series share the blobs.
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

/// Deletes expired files in the unsigned format, which servers with older Cloch versions wrote. Deletes all of these files when the newest
/// of them is older than the retention period. The contents of unsigned files cannot be verified. Therefore they only decide which unsigned
/// files are deleted.
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

/// The base backups to keep and the files of the backup target to delete.
#[derive(Debug)]
struct Decision<'a> {
    bases: Vec<&'a Base>,
    /// Start time of the oldest base backup from which every later moment can be restored.
    oldest: Option<DateTime<Utc>>,
    /// Files of base backups and WAL to delete, in the order of deletion.
    files: Vec<String>,
}

impl<'a> Decision<'a> {
    fn new(inventory: &'a Inventory, current: &str, keep: Keep, now: DateTime<Utc>) -> Self {
        let candidate = |base: &'a Base| {
            let completed = base.manifest.completed;
            let until = inventory.points.get(&base.series).map_or(completed, |point| point.until);
            // The server is still writing the current backup series. Therefore this series ends now, not at its last recovery point.
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
            // Keep the WAL of the current backup series if the series has no base backup yet.
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

    /// Whether to keep a blob that is neither in the list of a kept base backup nor referenced by a row of the database. Such a blob may
    /// belong to rows that existed between two base backups, or during a kept base backup. `copied` is the time when the blob was copied to
    /// the backup target.
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

/// Returns the files of a base backup in the order of deletion. The manifest comes first. If the deletion is interrupted, the base backup
/// then counts as incomplete.
fn files_of_base(inventory: &Inventory, base: &Base) -> Vec<String> {
    let manifest = layout::manifest(&base.series, &base.id);
    let folder = format!("{}{}/", layout::folder(&base.series, "base"), base.id);
    let others =
        inventory.files.iter().map(|(name, _)| name).filter(|name| name.starts_with(&folder) && **name != manifest);
    std::iter::once(manifest.clone()).chain(others.cloned()).collect()
}

/// Returns the files of old incomplete base backups. They were left by processes that were killed while they made or deleted a base backup.
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

/// Returns for each base backup the range of WAL segments that its restore needs. Within one timeline, the order of segment names is that
/// of segment numbers.
fn log_of_bases<'a>(bases: impl Iterator<Item = &'a Base>) -> Vec<RangeInclusive<String>> {
    let segments = bases.map(|base| {
        let manifest = &base.manifest;
        let name =
            |lsn: Lsn| segment_name(manifest.timeline, lsn.segment(manifest.segment_bytes).0, manifest.segment_bytes);
        name(manifest.start)..=name(manifest.end)
    });
    segments.collect()
}

/// Returns the versions of all blobs that are in the lists of kept base backups or referenced by rows of the database.
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
