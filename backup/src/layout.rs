//! The names of files in the target, and what the files that are not encrypted say. All lie in its folder `v2/`.
//!
//! A series is an unbroken run of write-ahead log with the base backups in it; a server begins a new one when it starts for the first time
//! (also after a restore) and when the log was interrupted. Blobs belong to no series: a version is the same bytes everywhere.

use std::ops::RangeInclusive;

use chrono::{DateTime, Utc};
use cloch_storage::backend::BlobKey;
use serde::{Deserialize, Serialize};

use crate::lsn::Lsn;

/// Bytes of a part of a large file.
pub const PART_BYTES: usize = 8 << 20;
/// Bytes of a segment of the write-ahead log, as PostgreSQL allows them.
const SEGMENT_BYTES: RangeInclusive<u64> = (1 << 20)..=(1 << 30);
/// The folder of all series.
pub const SERIES: &str = "series/";
/// The folder of all blobs.
pub const BLOBS: &str = "blobs/";

/// The manifest of a base backup, written when all its parts are there.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct Manifest {
    /// The project it belongs to.
    pub project_id: String,
    /// PostgreSQL's major version.
    pub postgres: String,
    /// PostgreSQL's identifier of the cluster.
    pub system_identifier: String,
    /// The timeline of the write-ahead log.
    pub timeline: u32,
    /// Bytes of a segment of the write-ahead log.
    pub segment_bytes: u64,
    /// Where replay begins.
    pub start: Lsn,
    /// Where the copy is consistent.
    pub stop: Lsn,
    /// A mark behind the copy: replayed up to it, the database is what it was when this was completed.
    pub mark: Lsn,
    /// The end of the log that this needs.
    pub end: Lsn,
    /// When it was begun.
    pub begun: DateTime<Utc>,
    /// The first moment that it can be restored to: that of the mark.
    pub completed: DateTime<Utc>,
    /// Its parts, in order.
    pub parts: Vec<Part>,
    /// Bytes before compression.
    pub bytes: u64,
    /// Objects that the database named just before the mark.
    pub objects: u64,
    /// Rows of the project's tables, as PostgreSQL estimates them.
    pub rows: u64,
    /// Whether the database is its provider's: then this is a moment and the files that rows named at it, without parts and log.
    #[serde(default)]
    pub is_files_only: bool,
    /// The archive of secrets and project that was the last one when this was begun; `None` in base backups of before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<String>,
}

impl Manifest {
    /// Whether its numbers are those of a base backup: what is calculated with them divides and counts. One that nobody signed may say anything.
    #[must_use]
    pub(crate) fn is_possible(&self) -> bool {
        let is_segment = self.segment_bytes.is_power_of_two() && SEGMENT_BYTES.contains(&self.segment_bytes);
        is_segment && self.start <= self.stop && self.stop <= self.end && self.mark <= self.end
    }
}

/// A part of a base backup.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Part {
    /// Its name in the target.
    pub name: String,
    /// Its bytes before compression.
    pub bytes: u64,
    /// The SHA-256 of those bytes.
    pub sha256: String,
}

/// The last moment that a series can be restored to, with all files.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct Point {
    /// Replay stops after the record at this position.
    pub mark: Lsn,
    /// When the mark was written.
    pub marked: DateTime<Utc>,
    /// The end of the write-ahead log in the target.
    pub end: Lsn,
    /// Nothing was committed between the mark and this moment.
    pub until: DateTime<Utc>,
    /// Counts the points of the series: the server knows its last one, and takes no earlier one for it.
    #[serde(default)]
    pub number: u64,
    /// The archive of secrets and project that was the last one at this point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<String>,
    /// Whether another server wrote this because the series' own point was damaged: then it counts nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_mended: bool,
}

/// The versions of the blobs that the database named just before a base backup's mark.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum BlobList {
    /// As it is written.
    Signed {
        /// The versions.
        versions: Vec<String>,
    },
    /// As it was written before files were signed.
    Unsigned(Vec<String>),
}

impl BlobList {
    /// The versions.
    #[must_use]
    pub fn into_versions(self) -> Vec<String> {
        match self {
            Self::Signed { versions } | Self::Unsigned(versions) => versions,
        }
    }
}

/// The name of a new series or base backup: its moment, in the order of time.
#[must_use]
pub fn moment_name(moment: DateTime<Utc>) -> String {
    moment.format("%Y%m%dT%H%M%S%3fZ").to_string()
}

/// The folder of a series.
#[must_use]
pub fn series(series: &str) -> String {
    format!("{SERIES}{series}/")
}

/// The file of a series' last point.
#[must_use]
pub fn point(series: &str) -> String {
    format!("{SERIES}{series}/point.json")
}

/// The file that says who writes a series.
#[must_use]
pub fn run(series: &str) -> String {
    format!("{SERIES}{series}/run.json")
}

/// A folder of a series: `base`, `wal` or `settings`.
#[must_use]
pub fn folder(series: &str, kind: &str) -> String {
    format!("{SERIES}{series}/{kind}/")
}

/// The manifest of a base backup.
#[must_use]
pub fn manifest(series: &str, base: &str) -> String {
    format!("{SERIES}{series}/base/{base}/manifest.json")
}

/// The manifest of a base backup that is damaged: it is in no list any more.
#[must_use]
pub fn set_aside(series: &str, base: &str) -> String {
    format!("{SERIES}{series}/base/{base}/set-aside.json")
}

/// The series and the base backup that a manifest's name belongs to.
#[must_use]
pub fn parse_manifest(name: &str) -> Option<(&str, &str)> {
    let (series, rest) = name.strip_prefix(SERIES)?.split_once("/base/")?;
    Some((series, rest.strip_suffix("/manifest.json")?))
}

/// The series and the base backup that a file of a base backup belongs to.
#[must_use]
pub fn parse_base_file(name: &str) -> Option<(&str, &str)> {
    let (series, rest) = name.strip_prefix(SERIES)?.split_once("/base/")?;
    Some((series, rest.split_once('/')?.0))
}

/// The list of blobs that the database named just before a base backup's mark. It is not encrypted: the server, which cannot decrypt, deletes
/// by it what is no longer needed, and versions are random.
#[must_use]
pub fn blob_list(series: &str, base: &str) -> String {
    format!("{SERIES}{series}/base/{base}/blobs.json")
}

/// A part of a base backup.
#[must_use]
pub fn base_part(series: &str, base: &str, number: usize) -> String {
    format!("{SERIES}{series}/base/{base}/tar.{number:06}")
}

/// A piece of a segment of the write-ahead log: its bytes between two offsets.
#[must_use]
pub fn wal_piece(series: &str, segment: &str, from: u64, to: u64) -> String {
    format!("{SERIES}{series}/wal/{segment}.{from:08x}-{to:08x}")
}

/// A part of a blob. The number of parts is in the name, so that a list tells whether all are there.
#[must_use]
pub fn blob_part(key: BlobKey, number: usize, count: usize) -> String {
    let name = key.to_string();
    format!("{BLOBS}{}/{name}.{number}of{count}", name.get(..2).unwrap_or("00"))
}

/// The blob, number and count of parts of a name.
#[must_use]
pub fn parse_blob_part(name: &str) -> Option<(BlobKey, usize, usize)> {
    let (key, part) = name.rsplit_once('/')?.1.split_once('.')?;
    let (number, count) = part.split_once("of")?;
    Some((BlobKey::parse(key)?, number.parse().ok()?, count.parse().ok()?))
}
