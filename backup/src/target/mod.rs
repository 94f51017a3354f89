//! Where backups are kept: a folder or an S3 bucket. A file appears there whole or not at all, and is at most a few MiB, so that it moves
//! through memory and is repeated as one request.

mod folder;
mod s3;

use std::path::PathBuf;
use std::time::SystemTime;

use bytes::Bytes;
use cloch_sql::Secret;

use self::folder::Folder;
use self::s3::S3;
use crate::error::{BackupError, Result};

/// The file that makes a folder or prefix a target. It is the first that is written.
pub(crate) const ROOT_FILE: &str = "cloch-backup.json";

/// How to reach an S3 server.
#[derive(Clone, Debug, Default)]
pub struct S3Access {
    /// Its URL; none for AWS itself.
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
        Ok(Self { url: url.to_owned(), store })
    }

    /// The URL, for messages.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The target's folder; none for S3.
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
        match &self.store {
            Store::Folder(folder) => folder.put(name, bytes).await,
            Store::S3(s3) => s3.put(name, &bytes).await,
        }
        .map_err(|reason| self.failed(reason))
    }

    /// Reads a file; none where there is none.
    ///
    /// # Errors
    /// When the target does not answer.
    pub async fn get(&self, name: &str) -> Result<Option<Bytes>> {
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
        let mut entries = match &self.store {
            Store::Folder(folder) => folder.list(folder_name).await,
            Store::S3(s3) => s3.list(folder_name).await,
        }
        .map_err(|reason| self.failed(reason))?;
        entries.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(entries)
    }

    /// Deletes a file; deleting an absent one is no error.
    ///
    /// # Errors
    /// When the target does not answer.
    pub async fn delete(&self, name: &str) -> Result<()> {
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
