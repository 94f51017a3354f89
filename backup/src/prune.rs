//! Deletes what no kept backup needs.

use std::collections::{BTreeSet, HashSet};
use std::time::Duration;

use chrono::{DateTime, Utc};
use cloch_sql::database::Login;
use sqlx::{ConnectOptions, Connection};

use crate::error::{BackupError, Result};
use crate::inventory::{Base, Inventory};
use crate::keep::{self, Keep};
use crate::layout;
use crate::lsn::{Lsn, segment_name};
use crate::repository::{Repository, get_json};

/// The time by which a blob may be older than the row that names it, and clocks may differ.
const BLOB_GRACE: Duration = Duration::from_secs(2 * 24 * 60 * 60);

/// Deletes base backups, log and blobs that no kept backup needs; returns what is left. `series` is the one that is written now.
pub(crate) async fn run(repository: &Repository, series: &str, keep: Keep, login: &Login) -> Result<Inventory> {
    let inventory = Inventory::read(repository).await?;
    let completed: Vec<DateTime<Utc>> = inventory.bases.iter().map(|base| base.manifest.completed).collect();
    let kept = keep::choose(&completed, keep, Utc::now());
    let is_kept = |index: &usize| kept.continuous.contains(index) || kept.single.contains(index);
    let (stay, go): (Vec<usize>, Vec<usize>) = (0..inventory.bases.len()).partition(is_kept);
    let bases =
        |indexes: &[usize]| -> Vec<&Base> { indexes.iter().filter_map(|index| inventory.bases.get(*index)).collect() };
    let (stay, go) = (bases(&stay), bases(&go));
    if go.is_empty() {
        return Ok(inventory);
    }
    for base in go {
        let folder = format!("{}{}/", layout::folder(&base.series, "base"), base.id);
        // The manifest first: what has none counts as incomplete.
        repository.target.delete(&layout::manifest(&base.series, &base.id)).await?;
        for (name, _) in inventory.files.iter().filter(|(name, _)| name.starts_with(&folder)) {
            repository.target.delete(name).await?;
        }
    }
    let continuous: Vec<&Base> = kept.continuous.iter().filter_map(|index| inventory.bases.get(*index)).collect();
    prune_log(repository, &inventory, &stay, &continuous, series).await?;
    if let Some(oldest) = continuous.first() {
        prune_blobs(repository, &stay, oldest.manifest.begun, login).await?;
    }
    Inventory::read(repository).await
}

/// Deletes the segments before the first base backup of the continuous time, except those from the beginning to the end of a single one.
async fn prune_log(
    repository: &Repository,
    inventory: &Inventory,
    stay: &[&Base],
    continuous: &[&Base],
    current: &str,
) -> Result<()> {
    for (series, pieces) in &inventory.pieces {
        let mut needed: BTreeSet<String> = BTreeSet::new();
        for base in stay.iter().filter(|base| base.series == *series) {
            let manifest = &base.manifest;
            let number = |lsn: Lsn| lsn.segment(manifest.segment_bytes).0;
            let all = number(manifest.start)..=number(manifest.stop);
            needed.extend(all.map(|number| segment_name(manifest.timeline, number, manifest.segment_bytes)));
        }
        let first = continuous.iter().find(|base| base.series == *series).map(|base| {
            let manifest = &base.manifest;
            segment_name(manifest.timeline, manifest.start.segment(manifest.segment_bytes).0, manifest.segment_bytes)
        });
        // A series without a base backup: the current one is about to get one.
        if first.is_none() && series == current {
            continue;
        }
        for piece in pieces {
            let is_continuous = first.as_ref().is_some_and(|first| piece.segment >= *first);
            if !is_continuous && !needed.contains(&piece.segment) {
                repository.target.delete(&piece.name).await?;
            }
        }
    }
    Ok(())
}

/// Deletes the blobs that were copied before the oldest moment, and that neither a kept base backup nor the database names.
async fn prune_blobs(repository: &Repository, stay: &[&Base], oldest: DateTime<Utc>, login: &Login) -> Result<()> {
    let Some(before) = std::time::SystemTime::from(oldest).checked_sub(BLOB_GRACE) else { return Ok(()) };
    let mut named: HashSet<String> = HashSet::new();
    for base in stay {
        let name = layout::blob_list(&base.series, &base.id);
        let versions: Vec<String> =
            get_json(&repository.target, &name).await?.ok_or(BackupError::Missing { what: name })?;
        named.extend(versions);
    }
    let mut connection = login.sqlx_options().connect().await?;
    let current: Vec<String> = sqlx::query_scalar(
        "select version from storage.objects where version is not null
         union all select version from storage.s3_multipart_uploads_parts",
    )
    .fetch_all(&mut connection)
    .await?;
    connection.close().await?;
    named.extend(current);
    for entry in repository.target.list(layout::BLOBS).await? {
        let Some((key, _, _)) = layout::parse_blob_part(&entry.name) else { continue };
        if entry.modified < before && !named.contains(&key.to_string()) {
            repository.target.delete(&entry.name).await?;
        }
    }
    Ok(())
}
