//! Names of the files in the backup target, and the contents of the files that are not encrypted. All files except the root file `cloch-backup.json`
//! and its copy are in the folder `v2/`.
//!
//! A backup series is an unbroken stretch of write-ahead log with the base backups in it. A server begins a new series at its first start (also after
//! a restore) and after an interruption of the WAL. Blobs belong to no series, because a blob version has the same bytes everywhere.

use std::ops::RangeInclusive;

use chrono::{DateTime, Utc};
use cloch_storage::backend::BlobKey;
use serde::{Deserialize, Serialize};

use crate::lsn::Lsn;

/// Size of a part of a large file (base backup, archive or blob), in bytes before compression.
pub const PART_BYTES: usize = 8 << 20;
/// Sizes of a write-ahead log segment that PostgreSQL allows, in bytes.
const SEGMENT_BYTES: RangeInclusive<u64> = (1 << 20)..=(1 << 30);
/// Folder of all backup series in the backup target.
pub const SERIES: &str = "series/";
/// Folder of all blobs in the backup target.
pub const BLOBS: &str = "blobs/";

/// The manifest of a base backup. The manifest is written after all parts of the base backup are in the backup target.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct Manifest {
    /// Id of the project.
    pub project_id: String,
    /// Major version of PostgreSQL.
    pub postgres: String,
    /// PostgreSQL's system identifier of the cluster.
    pub system_identifier: String,
    /// Timeline of the write-ahead log.
    pub timeline: u32,
    /// Size of a write-ahead log segment in bytes.
    pub segment_bytes: u64,
    /// WAL position where replay begins.
    pub start: Lsn,
    /// WAL position from which the copied files are consistent.
    pub stop: Lsn,
    /// WAL position of the WAL mark (a record where replay can stop) that was written after the copy. If replay ends at this mark, the
    /// database has the state of the time `completed`.
    pub mark: Lsn,
    /// End of the WAL that a restore of the base backup needs.
    pub end: Lsn,
    /// Time when the base backup was begun.
    pub begun: DateTime<Utc>,
    /// First moment to which the database can be restored from this base backup: the time of the WAL mark.
    pub completed: DateTime<Utc>,
    /// Parts of the base backup's tar archive, in order.
    pub parts: Vec<Part>,
    /// Total size of the parts of the base backup in bytes, before compression.
    pub bytes: u64,
    /// Number of blobs that rows of the database referenced just before the WAL mark was written.
    pub objects: u64,
    /// Number of rows in the project's tables, as estimated by PostgreSQL.
    pub rows: u64,
    /// Whether an external provider hosts the database. The manifest then records only a moment and the list of files that rows referenced
    /// at that moment, without parts and WAL.
    #[serde(default)]
    pub is_files_only: bool,
    /// Name of the archive of the secrets and the project's folder that was the latest one when the base backup was begun. `None` in base
    /// backups of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<String>,
}

impl Manifest {
    /// Whether the manifest's WAL positions and segment size are plausible. Later calculations divide by these numbers and loop over them, and an
    /// unsigned manifest may contain any numbers.
    #[must_use]
    pub(crate) fn is_possible(&self) -> bool {
        let is_segment = self.segment_bytes.is_power_of_two() && SEGMENT_BYTES.contains(&self.segment_bytes);
        is_segment && self.start <= self.stop && self.stop <= self.end && self.mark <= self.end
    }
}

/// A part of a base backup's tar archive.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Part {
    /// Name of the part in the backup target.
    pub name: String,
    /// Size of the part in bytes, before compression.
    pub bytes: u64,
    /// SHA-256 of the part before compression, in hexadecimal digits.
    pub sha256: String,
}

/// The recovery point of a backup series (`point.json`). It describes the last moment to which the database and all files can be restored.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct Point {
    /// WAL position of the WAL mark (a record where replay can stop) at which replay ends.
    pub mark: Lsn,
    /// Time when the WAL mark was written.
    pub marked: DateTime<Utc>,
    /// WAL position up to which the backup target contains the write-ahead log.
    pub end: Lsn,
    /// Last restorable moment. No transaction was committed between `marked` and this time.
    pub until: DateTime<Utc>,
    /// Sequence number of the recovery point in its backup series. The server stores the last number that it wrote and refuses a backup target with a
    /// lower number.
    #[serde(default)]
    pub number: u64,
    /// Name of the latest archive of the secrets and the project's folder at this recovery point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<String>,
    /// Whether another server has rewritten the recovery point because the original was damaged. In this case, `number` has no meaning.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_mended: bool,
}

/// The versions of the blobs that rows of the database referenced just before the WAL mark of a base backup was written (`blobs.json`).
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum BlobList {
    /// The current format of the blob list: a signed JSON object.
    Signed {
        /// Versions of the blobs that rows of the database referenced.
        versions: Vec<String>,
    },
    /// The blob list in the unsigned format of older Cloch versions.
    Unsigned(Vec<String>),
}

impl BlobList {
    /// Returns the blob versions in the list.
    #[must_use]
    pub fn into_versions(self) -> Vec<String> {
        match self {
            Self::Signed { versions } | Self::Unsigned(versions) => versions,
        }
    }
}

/// Returns the name of a new backup series or base backup: the time `moment`, formatted so that names sort by time.
#[must_use]
pub fn moment_name(moment: DateTime<Utc>) -> String {
    moment.format("%Y%m%dT%H%M%S%3fZ").to_string()
}

/// Returns the folder of a backup series.
#[must_use]
pub fn series(series: &str) -> String {
    format!("{SERIES}{series}/")
}

/// Returns the name of the file with the last recovery point of a backup series.
#[must_use]
pub fn point(series: &str) -> String {
    format!("{SERIES}{series}/point.json")
}

/// Returns the name of the file `run.json`, which identifies the server that writes a backup series.
#[must_use]
pub fn run(series: &str) -> String {
    format!("{SERIES}{series}/run.json")
}

/// Returns the path of a subfolder of a backup series: `base`, `wal` or `settings`.
#[must_use]
pub fn folder(series: &str, kind: &str) -> String {
    format!("{SERIES}{series}/{kind}/")
}

/// Returns the name of the manifest of a base backup.
#[must_use]
pub fn manifest(series: &str, base: &str) -> String {
    format!("{SERIES}{series}/base/{base}/manifest.json")
}

/// Returns the new name for the manifest of a damaged base backup. When the manifest has been moved to this name, the base backup is not
/// listed.
#[must_use]
pub fn set_aside(series: &str, base: &str) -> String {
    format!("{SERIES}{series}/base/{base}/set-aside.json")
}

/// Parses the names of the backup series and the base backup in the path of a manifest. `None` for other files.
#[must_use]
pub fn parse_manifest(name: &str) -> Option<(&str, &str)> {
    let (series, rest) = name.strip_prefix(SERIES)?.split_once("/base/")?;
    Some((series, rest.strip_suffix("/manifest.json")?))
}

/// Parses the names of the backup series and the base backup in the path of any file of a base backup. `None` for other files.
#[must_use]
pub fn parse_base_file(name: &str) -> Option<(&str, &str)> {
    let (series, rest) = name.strip_prefix(SERIES)?.split_once("/base/")?;
    Some((series, rest.split_once('/')?.0))
}

/// Returns the name of the file that lists the blobs of a base backup: the blobs to which rows of the database referred just before the WAL
/// mark was written. The server needs the list to delete expired blobs, and cannot decrypt files of the backup target. Therefore the list
/// is not encrypted. Blob versions are random and reveal nothing.
#[must_use]
pub fn blob_list(series: &str, base: &str) -> String {
    format!("{SERIES}{series}/base/{base}/blobs.json")
}

/// Returns the name of a part of a base backup.
#[must_use]
pub fn base_part(series: &str, base: &str, number: usize) -> String {
    format!("{SERIES}{series}/base/{base}/tar.{number:06}")
}

/// Returns the name of a piece of a WAL segment: the bytes from offset `from` to offset `to`.
#[must_use]
pub fn wal_piece(series: &str, segment: &str, from: u64, to: u64) -> String {
    format!("{SERIES}{series}/wal/{segment}.{from:08x}-{to:08x}")
}

/// Returns the name of a part of a blob. The name contains the number of parts, so that a listing shows whether the blob is complete.
#[must_use]
pub fn blob_part(key: BlobKey, number: usize, count: usize) -> String {
    let name = key.to_string();
    format!("{BLOBS}{}/{name}.{number}of{count}", name.get(..2).unwrap_or("00"))
}

/// Parses the blob's key, the part's number and the number of parts in the name of a blob part. `None` for other files.
#[must_use]
pub fn parse_blob_part(name: &str) -> Option<(BlobKey, usize, usize)> {
    let (key, part) = name.rsplit_once('/')?.1.split_once('.')?;
    let (number, count) = part.split_once("of")?;
    Some((BlobKey::parse(key)?, number.parse().ok()?, count.parse().ok()?))
}
