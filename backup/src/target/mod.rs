//! Storage of backups: a folder or an S3 bucket. A file appears in a backup target as a whole or not at all. Files are small enough (a few MiB) to be
//! held in memory, and to be sent again in one request.

mod beneath;
mod folder;
mod s3;

use std::path::PathBuf;
use std::time::SystemTime;

use bytes::Bytes;
use cloch_core::Secret;

use self::folder::Folder;
use self::s3::S3;
use crate::error::{BackupError, Result};

/// Name of the root file. A folder or bucket prefix with this file is a backup target. The root file is written before all other files.
pub(crate) const ROOT_FILE: &str = "cloch-backup.json";
/// Name of the copy of the root file `cloch-backup.json`.
pub(crate) const COPY_FILE: &str = "cloch-backup.copy.json";
/// Folder of all signed files in a backup target. Files of the unsigned format of older Cloch versions are outside this folder.
const SIGNED: &str = "v2/";
/// Maximum size of a file in bytes. It is larger than any file of a backup. The limit is necessary because other people may put larger
/// files into the backup target.
pub(crate) const MAX_FILE_BYTES: u64 = 320 << 20;

/// Access data of an S3 server.
#[derive(Clone, Debug, Default)]
pub struct S3Access {
    /// URL of the S3 server; `None` for AWS.
    pub endpoint: Option<String>,
    /// Region of the bucket.
    pub region: String,
    /// Id of the S3 access key.
    pub access_key_id: String,
    /// Secret of the S3 access key.
    pub secret_access_key: Secret,
    /// Whether to use `host/bucket/key` URLs instead of `bucket.host/key`.
    pub path_style: bool,
}

/// A file in the backup target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Name of the file, with slashes.
    pub name: String,
    /// Size of the file in bytes.
    pub size: u64,
    /// Time of the last write of the file.
    pub modified: SystemTime,
}

/// A folder or S3 bucket for backups.
#[derive(Clone, Debug)]
pub struct Target {
    url: String,
    store: Store,
    view: View,
}

/// Selects the files of a backup target that are visible. File names are relative to the folder of the format (`v2/` for signed files). The
/// root file `cloch-backup.json` and its copy are always visible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum View {
    /// Only signed files.
    Signed,
    /// Only files of the unsigned format of older Cloch versions.
    Unsigned,
    /// Files in the signed format and in the unsigned format of older Cloch versions. If a name exists in both formats, the signed file is
    /// visible.
    Both,
}

#[derive(Clone, Debug)]
enum Store {
    Folder(Folder),
    S3(S3),
}

impl Target {
    /// Opens the backup target of a URL (`file:///path`, `s3://bucket/prefix`) or of a path. No file is read or created yet.
    ///
    /// # Errors
    /// If the URL has another scheme, or the S3 server's address or keys are invalid.
    pub fn open(url: &str, s3: &S3Access) -> Result<Self> {
        let store = match url.split_once("://") {
            Some(("s3", rest)) => {
                let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
                if bucket.is_empty() {
                    return Err(BackupError::Refused("s3:// names no bucket: write s3://bucket/prefix".to_owned()));
                }
                Store::S3(S3::open(bucket, prefix, s3)?)
            }
            Some(("file", path)) => Store::Folder(Folder::new(PathBuf::from(path))),
            Some((scheme, _)) => {
                return Err(BackupError::Refused(format!(
                    "{scheme}:// is no place for backups: name a folder (/mnt/backup, file:///mnt/backup) or a bucket (s3://bucket/prefix)"
                )));
            }
            None => Store::Folder(Folder::new(std::path::absolute(url).map_err(BackupError::io(url))?)),
        };
        Ok(Self { url: url.to_owned(), store, view: View::Signed })
    }

    pub(crate) fn with_view(&self, view: View) -> Self {
        Self { view, ..self.clone() }
    }

    /// Returns the path at which this view writes a file of the backup target.
    fn path(&self, name: &str) -> String {
        match self.view {
            _ if name == ROOT_FILE || name == COPY_FILE => name.to_owned(),
            View::Signed | View::Both => format!("{SIGNED}{name}"),
            View::Unsigned => name.to_owned(),
        }
    }

    /// Returns the URL of the backup target, for messages.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the folder of the backup target, or `None` for an S3 bucket.
    #[must_use]
    pub fn folder(&self) -> Option<&std::path::Path> {
        match &self.store {
            Store::Folder(folder) => Some(folder.path()),
            Store::S3(_) => None,
        }
    }

    /// Writes or replaces a file of the backup target. The file is durable when this function returns.
    ///
    /// # Errors
    /// If the write fails.
    pub async fn put(&self, name: &str, bytes: Bytes) -> Result<()> {
        let name = &self.path(name);
        match &self.store {
            Store::Folder(folder) => folder.put(name, bytes).await,
            Store::S3(s3) => s3.put(name, &bytes).await,
        }
        .map_err(|reason| self.failed(reason))
    }

    /// Reads a file of the backup target. Returns `None` if the file does not exist.
    ///
    /// # Errors
    /// If the target cannot be read.
    pub async fn get(&self, name: &str) -> Result<Option<Bytes>> {
        match self.read(&self.path(name)).await? {
            None if self.view == View::Both => self.read(name).await,
            found => Ok(found),
        }
    }

    async fn read(&self, name: &str) -> Result<Option<Bytes>> {
        match &self.store {
            Store::Folder(folder) => folder.get(name).await,
            Store::S3(s3) => s3.get(name).await,
        }
        .map_err(|reason| self.failed(reason))
    }

    /// Lists the files of the backup target whose names begin with a folder's name (with its slash), sorted by name.
    ///
    /// # Errors
    /// If the target cannot be read.
    pub async fn list(&self, folder_name: &str) -> Result<Vec<Entry>> {
        let (mut entries, path) = (Vec::new(), self.path(folder_name));
        for entry in self.list_at(&path).await? {
            let name = if path == folder_name { Some(entry.name.as_str()) } else { entry.name.strip_prefix(SIGNED) };
            entries.extend(name.map(|name| Entry { name: name.to_owned(), ..entry.clone() }));
        }
        if self.view == View::Both {
            entries.extend(self.list_at(folder_name).await?);
        }
        // Of two files with the same name, `dedup_by` keeps the first. The sort is stable, so this is the signed file.
        entries.sort_by(|one, other| one.name.cmp(&other.name));
        entries.dedup_by(|one, other| one.name == other.name);
        Ok(entries)
    }

    async fn list_at(&self, path: &str) -> Result<Vec<Entry>> {
        match &self.store {
            Store::Folder(folder) => folder.list(path).await,
            Store::S3(s3) => s3.list(path).await,
        }
        .map_err(|reason| self.failed(reason))
    }

    /// Deletes a file of the backup target. Deleting a missing file is no error.
    ///
    /// # Errors
    /// If the deletion fails.
    pub async fn delete(&self, name: &str) -> Result<()> {
        let name = &self.path(name);
        match &self.store {
            Store::Folder(folder) => folder.delete(name).await,
            Store::S3(s3) => s3.delete(name).await,
        }
        .map_err(|reason| self.failed(reason))
    }

    fn failed(&self, reason: String) -> BackupError {
        BackupError::Target { target: self.url.clone(), reason }
    }
}
