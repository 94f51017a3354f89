//! Where backups are kept: a folder or an S3 bucket. A file appears there whole or not at all, and is at most a few MiB, so that it moves
//! through memory and is repeated as one request.

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

/// The file that makes a folder or prefix a target. It is the first that is written.
pub(crate) const ROOT_FILE: &str = "cloch-backup.json";
/// Its copy.
pub(crate) const COPY_FILE: &str = "cloch-backup.copy.json";
/// The folder of all signed files. Beside it lie those of before, which nobody signed.
const SIGNED: &str = "v2/";
/// The most bytes of a file: no file of a backup has more, and one that somebody else has put there may.
pub(crate) const MAX_FILE_BYTES: u64 = 320 << 20;

/// How to reach an S3 server.
#[derive(Clone, Debug, Default)]
pub struct S3Access {
    /// Its URL; `None` for AWS itself.
    pub endpoint: Option<String>,
    /// Its region.
    pub region: String,
    /// The access key's id.
    pub access_key_id: String,
    /// Its secret.
    pub secret_access_key: Secret,
    /// `host/bucket/key` instead of `bucket.host/key`.
    pub path_style: bool,
}

/// A file in the target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name, with slashes.
    pub name: String,
    /// Its size in bytes.
    pub size: u64,
    /// When it was written.
    pub modified: SystemTime,
}

/// A place for backups.
#[derive(Clone, Debug)]
pub struct Target {
    url: String,
    store: Store,
    view: View,
}

/// Which files of a target are seen, by the names that they have in their own folder. The root file and its copy always are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum View {
    /// Those that are signed.
    Signed,
    /// Those of before.
    Unsigned,
    /// Both; where one name is in both, the signed file.
    Both,
}

#[derive(Clone, Debug)]
enum Store {
    Folder(Folder),
    S3(S3),
}

impl Target {
    /// Opens the target of a URL (`file:///path`, `s3://bucket/prefix`) or of a path. Nothing is read or made yet.
    ///
    /// # Errors
    /// When it is neither, or the S3 server's address or keys cannot be used.
    pub fn open(url: &str, s3: &S3Access) -> Result<Self> {
        let store = match url.split_once("://") {
            Some(("s3", rest)) => {
                let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
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

    /// The same target with other files in view.
    pub(crate) fn with_view(&self, view: View) -> Self {
        Self { view, ..self.clone() }
    }

    /// Where a file of the view is written.
    fn path(&self, name: &str) -> String {
        match self.view {
            _ if name == ROOT_FILE || name == COPY_FILE => name.to_owned(),
            View::Signed | View::Both => format!("{SIGNED}{name}"),
            View::Unsigned => name.to_owned(),
        }
    }

    /// The URL, for messages.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The target's folder; `None` for S3.
    #[must_use]
    pub fn folder(&self) -> Option<&std::path::Path> {
        match &self.store {
            Store::Folder(folder) => Some(folder.path()),
            Store::S3(_) => None,
        }
    }

    /// Writes a file, or replaces it: when this returns, it is durable.
    ///
    /// # Errors
    /// When the target does not take it.
    pub async fn put(&self, name: &str, bytes: Bytes) -> Result<()> {
        let name = &self.path(name);
        match &self.store {
            Store::Folder(folder) => folder.put(name, bytes).await,
            Store::S3(s3) => s3.put(name, &bytes).await,
        }
        .map_err(|reason| self.failed(reason))
    }

    /// Reads a file; `None` where there is none.
    ///
    /// # Errors
    /// When the target does not answer.
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

    /// The files whose names begin with a folder's name (with its slash), in the order of names.
    ///
    /// # Errors
    /// When the target does not answer.
    pub async fn list(&self, folder_name: &str) -> Result<Vec<Entry>> {
        let (mut entries, path) = (Vec::new(), self.path(folder_name));
        for entry in self.list_at(&path).await? {
            let name = if path == folder_name { Some(entry.name.as_str()) } else { entry.name.strip_prefix(SIGNED) };
            entries.extend(name.map(|name| Entry { name: name.to_owned(), ..entry.clone() }));
        }
        if self.view == View::Both {
            entries.extend(self.list_at(folder_name).await?);
        }
        // Stable, so of two with one name the signed one stays.
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

    /// Deletes a file; deleting an absent one is no error.
    ///
    /// # Errors
    /// When the target does not answer.
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
