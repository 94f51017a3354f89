//! Reads the contents of a backup target: base backups, recovery points (`point.json`) and pieces of the write-ahead log.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::de::DeserializeOwned;

use crate::check::gaps;
use crate::damage::{Kind, Problem};
use crate::error::{BackupError, Result};
use crate::layout::{self, Manifest, Point};
use crate::lsn::Lsn;
use crate::repository::Repository;
use crate::signed_json;
use crate::status::State;
use crate::wal::Piece;

/// A complete base backup.
#[derive(Clone, Debug, PartialEq)]
pub struct Base {
    /// Name of the backup series (an unbroken stretch of WAL with its base backups) that contains this base backup.
    pub series: String,
    /// Name of the base backup in its backup series: the time when the base backup was begun.
    pub id: String,
    /// Manifest of the base backup.
    pub manifest: Manifest,
}

/// The contents of a backup target.
#[derive(Clone, Debug, Default)]
pub struct Inventory {
    /// Complete base backups in order of completion.
    pub bases: Vec<Base>,
    /// Last recovery point of each backup series, by the name of the series.
    pub points: BTreeMap<String, Point>,
    /// Pieces of the WAL (files that each contain a range of bytes of a WAL segment), by the name of the backup series.
    pub pieces: BTreeMap<String, Vec<Piece>>,
    /// Names of all files of all backup series, with their sizes in bytes.
    pub files: Vec<(String, u64)>,
    /// Damaged manifests and recovery points. Base backups with a damaged manifest are not in `bases`.
    pub unreadable: Vec<Unreadable>,
    /// Manifests and recovery points that are not authentic.
    pub forged: Vec<Unreadable>,
}

/// A manifest or a recovery point that is damaged or not authentic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// Name of the file in the backup target.
    pub name: String,
    /// Description of the file's damage or of its failed verification.
    pub reason: String,
}

impl Unreadable {
    /// Returns the problem of a damaged file for the operator.
    #[must_use]
    pub fn problem(&self) -> Problem {
        Problem::new(Kind::Base, &self.name, format!("{} is damaged: {}", self.name, self.reason))
    }

    pub(crate) fn forged(&self) -> Problem {
        Problem::new(Kind::Forged, &self.name, format!("{} is not authentic: {}", self.name, self.reason))
    }

    pub(crate) fn error(&self) -> BackupError {
        BackupError::Damaged { name: self.name.clone(), reason: self.reason.clone() }
    }
}

impl Inventory {
    /// Reads the list of files, the manifests and the recovery points of a backup target.
    ///
    /// # Errors
    /// If the target cannot be read, a manifest belongs to another project, or a file is not authentic.
    pub async fn read(repository: &Repository) -> Result<Self> {
        let inventory = Self::look(repository).await?;
        match inventory.forged.first() {
            Some(Unreadable { name, reason }) => Err(BackupError::not_authentic(name, reason)),
            None => Ok(inventory),
        }
    }

    /// Reads the list of files, the manifests and the recovery points of a backup target. Files that are not authentic cause no error; they are
    /// collected in `forged`.
    pub(crate) async fn look(repository: &Repository) -> Result<Self> {
        // Read the recovery points before the list of WAL pieces. A running server writes a recovery point only after the WAL that the
        // recovery point covers. If the list were read first, it could lack the end of this WAL.
        let mut inventory = Self::default();
        inventory.read_points(repository).await?;
        for entry in repository.target.list(layout::SERIES).await? {
            if let Some((series, id)) = layout::parse_manifest(&entry.name) {
                let manifest: Option<Manifest> = inventory.read_json(repository, &entry.name).await?;
                let Some(manifest) = manifest else { continue };
                if !manifest.is_possible() {
                    let reason = "its positions are those of no base backup".to_owned();
                    inventory.unreadable.push(Unreadable { name: entry.name, reason });
                    continue;
                }
                if manifest.project_id != repository.project_id {
                    return Err(BackupError::Refused(format!(
                        "{} belongs to the project {:?}, while {} holds those of {:?}: two backups were mixed; restore from a copy that was not",
                        entry.name,
                        manifest.project_id,
                        repository.target.url(),
                        repository.project_id
                    )));
                }
                inventory.bases.push(Base { series: series.to_owned(), id: id.to_owned(), manifest });
            } else if let (Some(series), Some(piece)) = (series_of(&entry.name), Piece::parse(&entry.name)) {
                inventory.pieces.entry(series.to_owned()).or_default().push(piece);
            }
            inventory.files.push((entry.name, entry.size));
        }
        inventory.bases.sort_by_key(|base| base.manifest.completed);
        if repository.verifier().is_some() {
            inventory.find_replaced_points(repository).await?;
        }
        Ok(inventory)
    }

    /// Finds recovery points that end before a base backup of their backup series, and adds them to `forged`. A base backup is completed
    /// only after a recovery point covers it. Therefore such a recovery point must have been replaced with an older version.
    async fn find_replaced_points(&mut self, repository: &Repository) -> Result<()> {
        let mut ends: BTreeMap<String, Lsn> = BTreeMap::new();
        for base in &self.bases {
            let end = ends.entry(base.series.clone()).or_default();
            *end = base.manifest.end.max(*end);
        }
        for (series, end) in ends {
            let name = layout::point(&series);
            let covers = |point: Option<&Point>| point.is_some_and(|point| point.end >= end);
            if covers(self.points.get(&series)) || self.hides(&name) {
                continue;
            }
            // A running server may have completed a base backup since the recovery points were read. Read the recovery point again.
            let point: Option<Point> = self.read_json(repository, &name).await?;
            if self.hides(&name) {
                continue;
            }
            if !covers(point.as_ref()) {
                let reason = match &point {
                    Some(point) => {
                        format!("it ends at {}, before {end}, which a base backup of its run needs", point.end)
                    }
                    None => "it is missing, and its run has a complete base backup".to_owned(),
                };
                self.forged.push(Unreadable { name, reason });
            }
            self.points.extend(point.map(|point| (series, point)));
        }
        Ok(())
    }

    /// Whether `unreadable` or `forged` contains a file of this name.
    fn hides(&self, name: &str) -> bool {
        self.unreadable.iter().chain(&self.forged).any(|one| one.name == name)
    }

    /// Refuses a backup target that contains less than the server of this data folder has written: somebody has replaced the target with an
    /// earlier copy.
    ///
    /// # Errors
    /// If the last recovery point of the server's backup series is older than recorded in `state`, or missing.
    pub fn refuse_older(&self, repository: &Repository, state: &State) -> Result<()> {
        let State { target: Some(id), series: Some(series), point: Some(number), .. } = state else { return Ok(()) };
        let name = layout::point(series);
        if *id != repository.id || self.hides(&name) {
            return Ok(());
        }
        refuse_older_point(&name, self.points.get(series), *number)
    }

    async fn read_points(&mut self, repository: &Repository) -> Result<()> {
        for entry in repository.target.list(layout::SERIES).await? {
            if let Some(series) = series_of(&entry.name).filter(|series| entry.name == layout::point(series))
                && let Some(point) = self.read_json(repository, &entry.name).await?
            {
                self.points.insert(series.to_owned(), point);
            }
        }
        Ok(())
    }

    /// Reads a JSON file of the backup target. Returns `None` if the file is missing, damaged or not authentic, and records damaged and forged files.
    async fn read_json<T: DeserializeOwned>(&mut self, repository: &Repository, name: &str) -> Result<Option<T>> {
        match signed_json::get(repository, name).await {
            Err(BackupError::Damaged { name, reason }) => {
                self.unreadable.push(Unreadable { name, reason });
                Ok(None)
            }
            Err(BackupError::NotAuthentic { name, reason }) => {
                self.forged.push(Unreadable { name, reason });
                Ok(None)
            }
            outcome => outcome,
        }
    }

    /// Refuses a backup target whose last restorable moment is before `moment`. The operator gives this moment with `--at-least`.
    ///
    /// # Errors
    /// If the last recovery point of all backup series is before `moment`.
    pub fn refuse_before(&self, moment: DateTime<Utc>) -> Result<()> {
        let until = self.points.values().map(|point| point.until).max();
        match until {
            Some(until) if until >= moment => Ok(()),
            _ => Err(BackupError::Refused(format!(
                "the backup ends at {}, and is known to reach {} (--at-least): the target was put back to an earlier state, or something of it is \
                 withheld",
                until.map_or_else(|| "no moment".to_owned(), |until| until.to_rfc3339()),
                moment.to_rfc3339()
            ))),
        }
    }

    /// Returns a damaged manifest or recovery point because of which the requested moment may be missing in the backup: a damaged file in a
    /// backup series that has no intact base backup or no intact recovery point. Returns `None` if there is no such file.
    #[must_use]
    pub fn hiding(&self) -> Option<&Unreadable> {
        let is_restorable =
            |series: &str| self.points.contains_key(series) && self.bases.iter().any(|base| base.series == series);
        self.unreadable.iter().find(|unreadable| !series_of(&unreadable.name).is_some_and(is_restorable))
    }

    /// Returns the backup series that can be restored to the latest moment, and the last recovery point of this series. `None` if no series can
    /// be restored.
    #[must_use]
    pub fn latest(&self) -> Option<(&str, &Point)> {
        let with_base = self.points.iter().filter(|(series, _)| self.bases.iter().any(|base| base.series == **series));
        with_base.max_by_key(|(_, point)| point.until).map(|(series, point)| (series.as_str(), point))
    }

    /// Returns the base backup that was completed at `moment`; `None` if there is none. Times are compared in milliseconds, as `cloch
    /// backup list` shows them.
    #[must_use]
    pub fn base_of(&self, moment: DateTime<Utc>) -> Option<&Base> {
        let shown = |moment: DateTime<Utc>| moment.timestamp_millis();
        self.bases.iter().rfind(|base| shown(base.manifest.completed) == shown(moment))
    }

    /// Returns the oldest base backup from which every later moment of the backup series can be restored. It may not be the oldest one of
    /// the series, because older base backups may be kept without the WAL after them. Returns `None` if the series has no base backup or no
    /// recovery point.
    #[must_use]
    pub fn first_continuous(&self, series: &str) -> Option<&Base> {
        let point = self.points.get(series)?;
        let pieces = self.pieces.get(series).map_or(&[][..], Vec::as_slice);
        let (mut first, mut end) = (None, point.end);
        for base in self.bases.iter().rev().filter(|base| base.series == series) {
            let manifest = &base.manifest;
            let is_whole =
                gaps(pieces, manifest.timeline, manifest.segment_bytes, manifest.start, end.max(manifest.end))
                    .is_empty();
            // An older base backup is accepted only with the complete WAL up to the next base backup. The latest base backup is accepted
            // even if WAL is missing after it, because missing WAL is damage in this case.
            if !is_whole && first.is_some() {
                break;
            }
            (first, end) = (Some(base), manifest.start);
        }
        first
    }
}

/// Refuses the last recovery point of a backup series if its sequence number is lower than `number`, the last number that this server has
/// written. Also refuses a missing recovery point (`None`). In both cases, somebody has put the backup target back to an earlier state.
///
/// # Errors
/// If the recovery point is missing or has a lower number.
pub(crate) fn refuse_older_point(name: &str, point: Option<&Point>, number: u64) -> Result<()> {
    match point {
        // If another server has rewritten this recovery point because it was damaged (`is_mended`), accept any number.
        Some(point) if point.is_mended || point.number >= number => Ok(()),
        Some(point) => Err(BackupError::not_authentic(
            name,
            format!(
                "it is an earlier one (number {} of {}), and this server has written number {number}: the target was put back to an earlier \
                 state",
                point.number,
                point.until.to_rfc3339()
            ),
        )),
        None => Err(BackupError::not_authentic(
            name,
            "it is missing, and this server has written it: if the target was emptied on purpose, delete backup/state.json in the data folder",
        )),
    }
}

/// Returns the name of the backup series in the name of a file. `None` for files that belong to no series.
pub(crate) fn series_of(name: &str) -> Option<&str> {
    name.strip_prefix(layout::SERIES)?.split_once('/').map(|(series, _)| series)
}

#[cfg(test)]
mod tests {
    use cloch_core::Secret;

    use super::*;
    use crate::target::Target;
    use crate::trust::Encryption;

    const SEGMENT_BYTES: u64 = 16 << 20;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn the_log_of_a_point_is_listed_while_a_server_adds_to_both() {
        let folder = tempfile::tempdir().unwrap();
        let target = Target::open(folder.path().to_str().unwrap(), &Default::default()).unwrap();
        let encryption = Encryption::Passphrase(Secret::from("a passphrase that is long enough".to_owned()));
        let repository = Repository::open(target, "club", &encryption, None, None).await.unwrap();
        let server = tokio::spawn({
            let repository = repository.clone();
            async move {
                for end in 1_u64.. {
                    let name = layout::wal_piece("s", "000000010000000000000000", end - 1, end);
                    repository.target.put(&name, "x".into()).await.unwrap();
                    let (mark, now) = (Lsn(end), Utc::now());
                    let point = Point {
                        mark,
                        marked: now,
                        end: mark,
                        until: now,
                        number: end,
                        settings: None,
                        is_mended: false,
                    };
                    signed_json::put(&repository, &layout::point("s"), &point).await.unwrap();
                }
            }
        });
        let mut seen = 0;
        while seen < 200 {
            let inventory = Inventory::read(&repository).await.unwrap();
            let Some(point) = inventory.points.get("s") else { continue };
            let pieces = inventory.pieces.get("s").map_or(&[][..], Vec::as_slice);
            assert_eq!(gaps(pieces, 1, SEGMENT_BYTES, Lsn(0), point.end), [""; 0], "up to {}", point.end);
            seen = point.end.0;
        }
        server.abort();
    }
}
