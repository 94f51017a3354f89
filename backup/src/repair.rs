//! Repairs the backup target together with the next base backup. Copies missing files again. Base backups that cannot be restored are
//! removed from the list of base backups.
//!
//! Problems that `check` found (`damage`) are verified again before a repair. A file is replaced only by an intact one. A base backup is
//! removed from the list only if it is damaged and an intact newer base backup exists.

use std::collections::HashSet;
use std::time::Duration;

use chrono::Utc;

use crate::blobs;
use crate::check::{gaps, missing_log};
use crate::damage::{self, Damage, Kind, Problem, is_damaged};
use crate::error::{BackupError, Result};
use crate::inventory::{Base, Inventory, series_of};
use crate::layout::{self, Manifest, Point};
use crate::repository::Repository;
use crate::settings::Settings;
use crate::signed_json;

/// Age of the newest file of a backup series after which the server that writes the series counts as stopped.
const ENDED_AGE: Duration = Duration::from_secs(60 * 60);
/// Time between two checks whether the queued blobs were copied.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Queues the project's files (blobs) that are missing or damaged in the backup target, so that they are copied. Also rewrites the root
/// file `cloch-backup.json` and its copy if they are damaged or missing. Returns a queue number that is higher than the numbers of all
/// queued blobs.
pub(crate) async fn send_files(settings: &Settings, repository: &Repository) -> Result<u64> {
    repository.mend_root().await?;
    let store = cloch_storage::backend::open(&settings.files)?;
    let added = blobs::compare(repository, store.as_ref(), &settings.new_blobs).await?;
    if added > 0 {
        tracing::info!(
            backup.files = added,
            "backup: storage files missing in the backup target, copying the missing files"
        );
    }
    for problem in noted(settings).iter().filter(|problem| matches!(problem.kind, Kind::File | Kind::Forged)) {
        if let Some((key, _, _)) = layout::parse_blob_part(&problem.name)
            && is_damaged(repository, &problem.name).await?
        {
            tracing::warn!(file = %problem.name, "backup: damaged file in the backup target, copying the file again");
            settings.new_blobs.add(key);
        }
    }
    Ok(settings.new_blobs.next_number())
}

/// Waits until all blobs with queue numbers lower than `below` are in the backup target.
pub(crate) async fn until_sent(settings: &Settings, below: u64) {
    while !settings.new_blobs.are_copied(below) {
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

/// Whether `damage.json` contains a damaged archive of the secrets and the project's folder, so that a new archive must be written.
pub(crate) fn wants_project(settings: &Settings) -> bool {
    noted(settings).iter().any(|problem| problem.kind == Kind::Project)
}

/// Removes damaged and incomplete base backups from the list of base backups. Deletes a damaged archive of the project if a later archive
/// is intact. Called after the new base backup `made` is committed.
pub(crate) async fn set_lost_aside(
    settings: &Settings,
    repository: &Repository,
    made: &Manifest,
    own_series: &str,
) -> Result<()> {
    let noted = noted(settings);
    let inventory = Inventory::read(repository).await?;
    for base in inventory.bases.iter().filter(|base| base.manifest.completed < made.completed) {
        if lacks_part(repository, &inventory, base, &noted).await?
            || lacks_log(repository, &inventory, base, &noted).await?
        {
            set_aside(repository, base).await?;
        }
    }
    for unreadable in &inventory.unreadable {
        if let Some((series, id)) = layout::parse_manifest(&unreadable.name)
            && (series == own_series || has_ended(repository, series).await?)
        {
            set_manifest_aside(repository, series, id).await?;
        }
    }
    mend_points(repository).await?;
    for problem in noted.iter().filter(|problem| problem.kind == Kind::Project) {
        if has_successor(&inventory, &problem.name, &noted) && is_damaged(repository, &problem.name).await? {
            repository.target.delete(&problem.name).await?;
        }
    }
    Ok(())
}

/// Deletes from `damage.json` the problems that are solved, and records the time of the repair.
pub(crate) async fn note_left(settings: &Settings, repository: &Repository) -> Result<()> {
    let folder = settings.folder();
    let Some(mut damage) = Damage::read(&folder) else { return Ok(()) };
    damage.problems = left(repository, damage.problems).await?;
    damage.repaired = Some(Utc::now());
    damage.write(&folder).map_err(BackupError::io(&folder))
}

fn noted(settings: &Settings) -> Vec<Problem> {
    Damage::read(&settings.folder()).map(|damage| damage.problems).unwrap_or_default()
}

/// Whether `cloch backup check` has found a problem in a part or in the blob list of a base backup, and the problem still exists.
async fn lacks_part(repository: &Repository, inventory: &Inventory, base: &Base, noted: &[Problem]) -> Result<bool> {
    let names: HashSet<&str> = inventory.files.iter().map(|(name, _)| name.as_str()).collect();
    let blob_list = layout::blob_list(&base.series, &base.id);
    let parts = base.manifest.parts.iter().map(|part| part.name.as_str());
    let parts: HashSet<&str> = parts.chain([blob_list.as_str()]).collect();
    for problem in noted.iter().filter(|problem| parts.contains(problem.name.as_str())) {
        if !names.contains(problem.name.as_str()) || is_damaged(repository, &problem.name).await? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether WAL between the start and the end of the base backup is missing or damaged, so that the base backup cannot be restored.
async fn lacks_log(repository: &Repository, inventory: &Inventory, base: &Base, noted: &[Problem]) -> Result<bool> {
    let mut whole = Vec::new();
    for piece in inventory.pieces.get(&base.series).into_iter().flatten() {
        let is_noted = noted.iter().any(|problem| problem.name == piece.name);
        if !is_noted || !is_damaged(repository, &piece.name).await? {
            whole.push(piece.clone());
        }
    }
    let manifest = &base.manifest;
    let gaps = gaps(&whole, manifest.timeline, manifest.segment_bytes, manifest.start, manifest.end);
    Ok(!manifest.is_files_only && !gaps.is_empty())
}

/// Removes a base backup from the list of base backups by moving its manifest to another name. Its parts are deleted later, in the same way
/// as those of incomplete base backups.
async fn set_aside(repository: &Repository, base: &Base) -> Result<()> {
    signed_json::put(repository, &layout::set_aside(&base.series, &base.id), &base.manifest).await?;
    forget_base(repository, &base.series, &base.id).await
}

/// Rewrites the damaged last recovery points of ended backup series. Each new recovery point ends at the end of the series' last base
/// backup. Later moments cannot be restored, because only the damaged recovery point covered them. The recovery point of a running series
/// is not changed: its server rewrites it itself.
async fn mend_points(repository: &Repository) -> Result<()> {
    let inventory = Inventory::read(repository).await?;
    for name in inventory.unreadable.iter().map(|unreadable| &unreadable.name) {
        let Some(series) = series_of(name).filter(|series| *name == layout::point(series)) else { continue };
        if !has_ended(repository, series).await? {
            continue;
        }
        let Some(base) = inventory.bases.iter().rfind(|base| base.series == series) else {
            // Delete the recovery point, because nothing of a backup series without base backups can be restored.
            repository.target.delete(name).await?;
            continue;
        };
        let (Manifest { mark, end, completed, .. }, settings) = (base.manifest.clone(), base.manifest.settings.clone());
        signed_json::put(
            repository,
            name,
            &Point { mark, marked: completed, end, until: completed, number: 0, settings, is_mended: true },
        )
        .await?;
        tracing::warn!(
            run = %series,
            until = %completed,
            "backup: the last recovery point of an earlier run (series of backups) was damaged, the run can be restored only up to its last base \
             backup"
        );
    }
    Ok(())
}

/// Whether the server that wrote a backup series has stopped. A running server writes its recovery point at least every ten seconds.
/// [`ENDED_AGE`] is longer, because clocks differ.
async fn has_ended(repository: &Repository, series: &str) -> Result<bool> {
    let entries = repository.target.list(&layout::series(series)).await?;
    let last = entries.iter().map(|entry| entry.modified).max();
    Ok(last.is_none_or(|last| last.elapsed().is_ok_and(|age| age >= ENDED_AGE)))
}

/// Removes a base backup with a damaged manifest from the list of base backups, unless the manifest is readable now.
async fn set_manifest_aside(repository: &Repository, series: &str, id: &str) -> Result<()> {
    let name = layout::manifest(series, id);
    match signed_json::get::<Manifest>(repository, &name).await {
        Err(BackupError::Damaged { .. }) => {}
        read => return read.map(drop),
    }
    if let Some(bytes) = repository.target.get(&name).await? {
        repository.target.put(&layout::set_aside(series, id), bytes).await?;
        forget_base(repository, series, id).await?;
    }
    Ok(())
}

async fn forget_base(repository: &Repository, series: &str, id: &str) -> Result<()> {
    repository.target.delete(&layout::manifest(series, id)).await?;
    tracing::warn!(base = %id, run = %series, "backup: damaged base backup excluded, restores do not use this base backup");
    Ok(())
}

/// Whether the backup series contains an archive of the project's folder that is later than the archive part `name` and has no known
/// damage.
fn has_successor(inventory: &Inventory, name: &str, noted: &[Problem]) -> bool {
    let Some((folder, own)) = name.rsplit_once('/') else { return false };
    let is_later = |other: &str| {
        other.rsplit_once('/').is_some_and(|(beside, other)| beside == folder && moment(other) > moment(own))
    };
    let is_noted = |other: &str| noted.iter().any(|problem| problem.name == other);
    inventory.files.iter().any(|(other, _)| is_later(other) && !is_noted(other))
}

/// Returns the time in the name of an archive's part.
fn moment(part: &str) -> &str {
    part.split_once('.').map_or(part, |(moment, _)| moment)
}

/// Returns those of `problems` that still exist in the backup target.
async fn left(repository: &Repository, problems: Vec<Problem>) -> Result<Vec<Problem>> {
    let inventory = Inventory::read(repository).await?;
    let present = blobs::in_target(repository).await?;
    let log: HashSet<Problem> = inventory.bases.iter().flat_map(|base| missing_log(&inventory, base)).collect();
    let keys = damage::of_root(&repository.target, repository.verifier()).await?;
    let mut left = Vec::new();
    for problem in problems {
        let stays = match (problem.kind, layout::parse_base_file(&problem.name)) {
            (Kind::Key, _) => keys.contains(&problem),
            (Kind::Forged, _) => keys.contains(&problem) || is_damaged(repository, &problem.name).await?,
            (Kind::Base, _) if inventory.unreadable.iter().any(|one| one.name == problem.name) => true,
            (Kind::Base, Some(own)) => {
                inventory.bases.iter().any(|base| (base.series.as_str(), base.id.as_str()) == own)
            }
            (Kind::Base, None) => inventory.bases.is_empty(),
            (Kind::Log, _) if log.contains(&problem) => true,
            (Kind::File, _) if layout::parse_blob_part(&problem.name).is_none() => {
                !present.keys().any(|key| key.to_string() == problem.name)
            }
            (Kind::File | Kind::Project | Kind::Log, _) => is_damaged(repository, &problem.name).await?,
        };
        if stays {
            left.push(problem);
        }
    }
    Ok(left)
}
