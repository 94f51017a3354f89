//! Cache of rendered images in a folder of limited size. A file's name is the key of the source's blob, a dot, and a hash of the transformation.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use moka::notification::RemovalCause;
use moka::sync::Cache;
use uuid::Uuid;

use super::pixels::Format;
use crate::backend::{BlobKey, private_files};
use crate::settings::Images;

/// Minimum number of bytes that a cached image counts in the size of the cache. Even a small image needs a disk block for its file, a
/// directory entry and a cache entry.
const MIN_ENTRY_BYTES: u32 = 4096;

/// End of the name of a file that is being written.
const UNFINISHED: &str = "part";

#[derive(Debug)]
pub(crate) struct RenderCache {
    folder: Option<Arc<Path>>,
    /// Sizes of the cached image files, by file name.
    files: Cache<String, u32>,
}

impl RenderCache {
    /// Opens the folder of the image cache and reads the sizes of the cached files. If the folder cannot be created, the cache is disabled.
    pub(crate) fn open(settings: &Images) -> Self {
        let folder = settings.cache_folder.as_ref().filter(|folder| match private_files::create_folder(folder) {
            Ok(()) => true,
            Err(error) => {
                tracing::warn!(%error, folder = %folder.display(), "storage: image cache disabled, its folder cannot be created: each request renders its image again");
                false
            }
        });
        let folder: Option<Arc<Path>> = folder.map(|folder| folder.as_path().into());
        let own = folder.clone();
        let files = Cache::builder()
            .max_capacity(settings.cache_bytes)
            .weigher(|_: &String, size: &u32| (*size).max(MIN_ENTRY_BYTES))
            .eviction_listener(move |name: Arc<String>, _, cause| {
                if let (Some(folder), true) = (&own, cause != RemovalCause::Replaced) {
                    let _ = std::fs::remove_file(folder.join(&*name));
                }
            })
            .build();
        let rendered = Self { folder, files };
        rendered.count();
        rendered
    }

    fn count(&self) {
        let entries = self.folder.as_ref().and_then(|folder| std::fs::read_dir(folder).ok());
        for entry in entries.into_iter().flatten().flatten() {
            let size = entry.metadata().map_or(0, |metadata| metadata.len());
            match entry.file_name().into_string() {
                Ok(name) if source(&name).is_some() => self.files.insert(name, u32::try_from(size).unwrap_or(u32::MAX)),
                // Delete a file whose writing was interrupted, or which an earlier version of Cloch has written with another name.
                _ => drop(std::fs::remove_file(entry.path())),
            }
        }
    }

    /// Returns the keys of the blobs of which the cache contains rendered images.
    pub(crate) fn sources(&self) -> BTreeSet<BlobKey> {
        self.files.iter().filter_map(|(name, _)| source(&name)).collect()
    }

    /// Deletes the images that were rendered from a blob.
    pub(crate) fn remove(&self, blob: BlobKey) {
        let names = self.files.iter().map(|(name, _)| name).filter(|name| source(name) == Some(blob));
        for name in names.collect::<Vec<_>>() {
            self.files.invalidate(&*name);
        }
    }

    pub(crate) async fn get(&self, name: &str) -> Option<(Format, Bytes)> {
        let folder = self.folder.as_ref()?;
        self.files.get(name)?;
        let Ok(mut bytes) = tokio::fs::read(folder.join(name)).await else {
            self.files.invalidate(name);
            return None;
        };
        let format = Format::of_tag(bytes.pop()?)?;
        Some((format, bytes.into()))
    }

    /// Caches a rendered image. The file is not synced, because the image can be rendered again.
    pub(crate) async fn insert(&self, name: &str, (format, bytes): &(Format, Bytes)) {
        let Some(folder) = &self.folder else { return };
        let part: PathBuf = folder.join(format!("{}.{UNFINISHED}", Uuid::new_v4()));
        let mut file = bytes.to_vec();
        file.push(format.tag());
        let written = private_files::write(&part, &file).await;
        if written.is_ok() && tokio::fs::rename(&part, folder.join(name)).await.is_ok() {
            self.files.insert(name.to_owned(), u32::try_from(file.len()).unwrap_or(u32::MAX));
        } else {
            let _ = tokio::fs::remove_file(&part).await;
        }
    }
}

/// Returns the key of the blob from which a cached image was rendered.
fn source(name: &str) -> Option<BlobKey> {
    let (key, hash) = name.split_once('.')?;
    if hash == UNFINISHED { None } else { BlobKey::parse(key) }
}
