//! Checks a backup target without decrypting anything: whether each file is intact and authentic, and whether all files that a restore needs are
//! present.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Duration;

use futures_util::StreamExt;

use crate::blobs;
use crate::damage::{self, Kind, Problem};
use crate::error::{BackupError, Result};
use crate::inventory::{Base, Inventory, Unreadable};
use crate::layout::{self, BlobList};
use crate::lsn::{Lsn, segment_name};
use crate::repository::Repository;
use crate::signed_json;
use crate::status::State;
use crate::wal::{Piece, ends};

/// Number of backup files read concurrently.
const CONCURRENT_READS: usize = 4;
/// Number of times the backup target is listed before a file counts as missing. Several listings are needed because a running server
/// changes the target between two listings: it joins WAL pieces, deletes expired files and adds WAL.
const LISTS: usize = 4;
/// Pause between two listings of the backup target.
const PAUSE: Duration = Duration::from_millis(500);
/// Maximum number of WAL segments to check (256 TB at the default segment size).
const MAX_SEGMENTS: usize = 16 << 20;
/// Maximum number of missing segments to report.
const MAX_GAPS: usize = 10_000;

/// The result of a check of a backup target.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// Number of backup files read.
    pub files: u64,
    /// Total size of the backup files read, in bytes.
    pub bytes: u64,
    /// Number of complete base backups in the backup target.
    pub bases: usize,
    /// Damaged, missing or forged parts of the backup.
    pub problems: Vec<Problem>,
}

/// Reads every file of the backup target, verifies its checksum and signature, and searches for gaps. `report` is called with the number of
/// bytes read so far and the size of all files in bytes. `state` is the saved state (`state.json`) of the server that writes this target. A
/// recovery point older than this state counts as forged, because somebody must have replaced it with an earlier copy.
///
/// # Errors
/// If the target cannot be read.
pub async fn run(repository: &Repository, state: &State, report: impl Fn(u64, u64)) -> Result<Findings> {
    let inventory = Inventory::look(repository).await?;
    let mut findings = Findings { bases: inventory.bases.len(), ..Findings::default() };
    let mut files = inventory.files.clone();
    files.extend(repository.target.list(layout::BLOBS).await?.into_iter().map(|entry| (entry.name, entry.size)));
    // Skip the JSON files that other functions verify: `Inventory::look` verifies manifests and recovery points, `missing` verifies blob
    // lists.
    let is_read = |name: &str| name.ends_with(".json") && !name.ends_with("/run.json");
    files.retain(|(name, _)| !is_read(name) && is_of_complete_base(&inventory, name));
    let total = files.iter().map(|(_, size)| size).sum();
    let mut reads = futures_util::stream::iter(files)
        .map(|(name, size)| async move { (repository.check(&name).await, size) })
        .buffer_unordered(CONCURRENT_READS);
    while let Some((outcome, size)) = reads.next().await {
        findings.files += 1;
        findings.bytes += size;
        report(findings.bytes, total);
        match outcome {
            // A file that was deleted after the listing is not a problem: the running server deletes joined WAL pieces and expired files.
            Ok(()) | Err(BackupError::Missing { .. }) => {}
            Err(BackupError::Damaged { name, reason }) => {
                let text = format!("{name} is damaged: {reason}");
                findings.problems.push(Problem::new(Kind::of(&name), &name, text));
            }
            Err(BackupError::NotAuthentic { name, reason }) => {
                findings.problems.push(Unreadable { name, reason }.forged());
            }
            Err(error) => return Err(error),
        }
    }
    if repository.verifier().is_some()
        && let Err(BackupError::NotAuthentic { name, reason }) = inventory.refuse_older(repository, state)
    {
        findings.problems.push(Unreadable { name, reason }.forged());
    }
    findings.problems.extend(lasting_problems(repository).await?);
    findings.problems.sort();
    findings.problems.dedup();
    Ok(findings)
}

/// Lists the backup target up to [`LISTS`] times, and returns the problems that every listing shows. A problem that only some listings show
/// may come from a change that a running server made in between.
async fn lasting_problems(repository: &Repository) -> Result<BTreeSet<Problem>> {
    let mut lasting = missing(repository).await?;
    for _ in 1..LISTS {
        if lasting.is_empty() {
            break;
        }
        tokio::time::sleep(PAUSE).await;
        let again = missing(repository).await?;
        lasting.retain(|problem| again.iter().any(|other| (other.kind, &other.name) == (problem.kind, &problem.name)));
    }
    Ok(lasting)
}

/// Returns the missing, damaged and forged parts of the backup according to one listing of the backup target. Reads only the JSON files,
/// not the encrypted files.
async fn missing(repository: &Repository) -> Result<BTreeSet<Problem>> {
    let inventory = Inventory::look(repository).await?;
    let present = blobs::in_target(repository).await?;
    let (mut problems, mut files) = (BTreeSet::new(), BTreeMap::new());
    if inventory.bases.is_empty() && inventory.forged.is_empty() {
        problems.insert(Problem::new(Kind::Base, "", "there is no complete base backup yet".to_owned()));
    }
    problems.extend(damage::of_root(&repository.target, repository.verifier()).await?);
    problems.extend(inventory.unreadable.iter().map(Unreadable::problem));
    problems.extend(inventory.forged.iter().map(Unreadable::forged));
    for base in &inventory.bases {
        problems.extend(missing_parts(&inventory, base));
        problems.extend(missing_log(&inventory, base));
        let name = layout::blob_list(&base.series, &base.id);
        let versions = match signed_json::get::<BlobList>(repository, &name).await {
            Ok(Some(list)) => list.into_versions(),
            Ok(None) => {
                problems.insert(Problem::new(Kind::Base, &name, format!("{name} is missing")));
                continue;
            }
            Err(BackupError::Damaged { name, reason }) => {
                problems.insert(Unreadable { name, reason }.problem());
                continue;
            }
            Err(BackupError::NotAuthentic { name, reason }) => {
                problems.insert(Unreadable { name, reason }.forged());
                continue;
            }
            Err(error) => return Err(error),
        };
        let keys = versions.iter().filter_map(|version| cloch_storage::backend::BlobKey::parse(version));
        for key in keys.filter(|key| !present.contains_key(key)) {
            // Report each missing blob once, although several base backups may name it.
            files.entry(key.to_string()).or_insert(&base.id);
        }
    }
    problems.extend(files.into_iter().map(|(key, base)| {
        Problem::new(Kind::File, &key, format!("the file {key} of the base backup {base} is missing"))
    }));
    Ok(problems)
}

/// Whether a file belongs to a complete base backup, or to no base backup at all. Returns `false` for files of base backups that are in
/// progress, were never completed, or were removed from the list of base backups because they are damaged.
fn is_of_complete_base(inventory: &Inventory, name: &str) -> bool {
    layout::parse_base_file(name)
        .is_none_or(|own| inventory.bases.iter().any(|base| (base.series.as_str(), base.id.as_str()) == own))
}

fn missing_parts(inventory: &Inventory, base: &Base) -> Vec<Problem> {
    let names: HashSet<&str> = inventory.files.iter().map(|(name, _)| name.as_str()).collect();
    let missing = base.manifest.parts.iter().filter(|part| !names.contains(part.name.as_str()));
    missing.map(|part| Problem::new(Kind::Base, &part.name, format!("{} is missing", part.name))).collect()
}

/// Returns the missing WAL segments between a base backup and the next base backup of its backup series. For the last base backup of a
/// series, returns the missing segments up to the last recovery point.
pub(crate) fn missing_log(inventory: &Inventory, base: &Base) -> Vec<Problem> {
    let manifest = &base.manifest;
    let next =
        inventory.bases.iter().filter(|other| other.series == base.series && other.manifest.start > manifest.start);
    let next = next.map(|other| other.manifest.start).min();
    let end = next.or_else(|| inventory.points.get(&base.series).map(|point| point.end)).unwrap_or(manifest.end);
    let none = Vec::new();
    let pieces = inventory.pieces.get(&base.series).unwrap_or(&none);
    // Retention may keep an older base backup with only the WAL that its own restore needs. Then the WAL between this base backup and the
    // next one is missing on purpose, and is no problem.
    let gaps_to = |end| gaps(pieces, manifest.timeline, manifest.segment_bytes, manifest.start, end);
    let own = gaps_to(manifest.end);
    let all = gaps_to(end.max(manifest.end));
    let is_single = next.is_some() && own.is_empty() && all.len() > 1;
    let found = if is_single { own } else { all };
    let problem = |segment: String| {
        let text = format!("the log segment {segment} of series {} is missing", base.series);
        Problem::new(Kind::Log, &segment, text)
    };
    found.into_iter().map(problem).collect()
}

/// Returns the WAL segments between two WAL positions that `pieces` do not contain. `MAX_SEGMENTS` and `MAX_GAPS` bound the work, because an unsigned
/// manifest may contain any positions.
pub(crate) fn gaps(pieces: &[Piece], timeline: u32, segment_bytes: u64, from: Lsn, to: Lsn) -> Vec<String> {
    let ((first, _), (last, last_offset)) = (from.segment(segment_bytes), to.segment(segment_bytes));
    let ends = ends(pieces);
    let wanted = |number| if number == last { last_offset } else { segment_bytes };
    let names =
        (first..=last).take(MAX_SEGMENTS).map(|number| (segment_name(timeline, number, segment_bytes), wanted(number)));
    let missing = names.filter(|(name, wanted)| ends.get(name.as_str()).copied().unwrap_or(0) < *wanted);
    missing.map(|(name, _)| name).take(MAX_GAPS).collect()
}
