//! Reads the content of single files of the project from the backup target, while the server runs. Used to restore files in the dashboard.

use bytes::Bytes;
use cloch_storage::backend::BlobKey;
use futures_util::{Stream, StreamExt};

use crate::encryption::Opener;
use crate::error::{BackupError, Result};
use crate::layout;
use crate::read_copy;
use crate::repository::Repository;
use crate::settings::Settings;
use crate::target::Target;
use crate::trust::Trust;

/// The opened backup target, with the key that decrypts it.
#[derive(Debug)]
pub struct StoredFiles {
    repository: Repository,
    opener: Opener,
}

/// A file whose content is complete in the backup target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredFile {
    key: BlobKey,
    /// Number of parts.
    count: usize,
}

impl StoredFiles {
    /// Opens the backup target of a server.
    ///
    /// # Errors
    /// If the server has no key for its own backup, or the target cannot be read or verified.
    pub async fn open(settings: &Settings) -> Result<Self> {
        let key = read_copy::key(settings)?;
        let repository = Repository::existing(Target::open(&settings.to, &settings.s3)?, &Trust::of_key(key)).await?;
        let opener = repository.opener(key).await?;
        Ok(Self { repository, opener })
    }

    /// Finds the content of an object's version.
    ///
    /// # Errors
    /// If the target cannot be read, or if it does not contain all parts of the content.
    pub async fn find(&self, version: &str) -> Result<StoredFile> {
        let missing = || BackupError::Missing { what: format!("the content of the version {version}") };
        let key = BlobKey::parse(version).ok_or_else(missing)?;
        let first = layout::blob_part(key, 1, 1);
        let folder = first.rsplit_once('/').map_or(layout::BLOBS.to_owned(), |(folder, _)| format!("{folder}/"));
        let entries = self.repository.target.list(&folder).await?;
        let parts = entries.iter().filter_map(|entry| layout::parse_blob_part(&entry.name));
        let counts: Vec<usize> = parts.filter(|(own, ..)| *own == key).map(|(_, _, count)| count).collect();
        let count = counts.first().copied().filter(|count| *count == counts.len()).ok_or_else(missing)?;
        Ok(StoredFile { key, count })
    }

    /// Reads a file part by part. Each part is verified and decrypted before it is returned.
    pub fn read(&self, file: StoredFile) -> impl Stream<Item = Result<Bytes>> + Send + 'static + use<> {
        let (repository, opener) = (self.repository.clone(), self.opener.clone());
        futures_util::stream::iter(1..=file.count).then(move |number| {
            let (repository, opener) = (repository.clone(), opener.clone());
            async move {
                repository.get(&opener, &layout::blob_part(file.key, number, file.count)).await.map(Bytes::from)
            }
        })
    }
}
