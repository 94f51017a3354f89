//! What a target holds: base backups, points, pieces of the log.

use std::collections::BTreeMap;

use crate::check::gaps;
use crate::error::{BackupError, Result};
use crate::layout::{self, Manifest, Point};
use crate::repository::{Repository, get_json};
use crate::wal::Piece;

/// A base backup.
#[derive(Clone, Debug, PartialEq)]
pub struct Base {
    /// Its series.
    pub series: String,
    /// Its name in the series.
    pub id: String,
    /// What it says of itself.
    pub manifest: Manifest,
}

/// What a target holds.
#[derive(Clone, Debug, Default)]
pub struct Inventory {
    /// The complete base backups, in the order of time.
    pub bases: Vec<Base>,
    /// The last point of each series.
    pub points: BTreeMap<String, Point>,
    /// The pieces of the log, by series.
    pub pieces: BTreeMap<String, Vec<Piece>>,
    /// All names of series, and their sizes in bytes.
    pub files: Vec<(String, u64)>,
}

impl Inventory {
    /// Reads the list of files, manifests and points.
    ///
    /// # Errors
    /// When the target does not answer, or a manifest is damaged or another project's.
    pub async fn read(repository: &Repository) -> Result<Self> {
        let mut inventory = Self::default();
        for entry in repository.target.list(layout::SERIES).await? {
            if let Some((series, id)) = layout::parse_manifest(&entry.name) {
                let Some(manifest) = get_json::<Manifest>(&repository.target, &entry.name).await? else { continue };
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
            } else if let Some(series) = series_of(&entry.name) {
                if entry.name.ends_with("/point.json") {
                    if let Some(point) = get_json(&repository.target, &entry.name).await? {
                        inventory.points.insert(series.to_owned(), point);
                    }
                } else if entry.name.contains("/wal/")
                    && let Some(piece) = Piece::parse(&entry.name)
                {
                    inventory.pieces.entry(series.to_owned()).or_default().push(piece);
                }
            }
            inventory.files.push((entry.name, entry.size));
        }
        inventory.bases.sort_by_key(|base| base.manifest.completed);
        Ok(inventory)
    }

    /// The last moment that can be restored, and its series.
    #[must_use]
    pub fn latest(&self) -> Option<(&str, &Point)> {
        let with_base = self.points.iter().filter(|(series, _)| self.bases.iter().any(|base| base.series == **series));
        with_base.max_by_key(|(_, point)| point.until).map(|(series, point)| (series.as_str(), point))
    }

    /// The base backup from which on every moment of a series can be restored; none where the series has no base backup. Older ones may
    /// be kept by themselves.
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
            // The last one counts also where log is missing, which is damage: older ones have what is before it only.
            if !is_whole && first.is_some() {
                break;
            }
            (first, end) = (Some(base), manifest.start);
        }
        first
    }
}

fn series_of(name: &str) -> Option<&str> {
    name.strip_prefix(layout::SERIES)?.split_once('/').map(|(series, _)| series)
}
