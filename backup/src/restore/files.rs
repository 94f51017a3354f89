//! Restores exactly the files to which the restored rows refer, and verifies their checksums and sizes.

use std::collections::{BTreeSet, HashMap};

use bytes::Bytes;
use cloch_storage::backend::file::FileBackend;
use cloch_storage::backend::{Backend, BlobKey};
use futures_util::StreamExt;

use super::Step;
use super::missing_files;
use super::recover::Recovered;
use super::staging::Draft;
use crate::blobs;
use crate::encryption::Opener;
use crate::error::{BackupError, Result};
use crate::layout;
use crate::repository::Repository;

/// Number of project files fetched concurrently.
const CONCURRENT_FETCHES: usize = 4;

#[derive(Debug, Default)]
pub(crate) struct Files {
    pub(crate) count: u64,
    pub(crate) bytes: u64,
    /// Objects whose file is missing (`bucket/name`) or damaged (with the reason) in the backup.
    pub(crate) missing: Vec<String>,
}

pub(crate) async fn restore(
    repository: &Repository,
    opener: &Opener,
    recovered: &Recovered,
    draft: &Draft,
    is_check: bool,
    report: &(dyn Fn(Step, u64, u64) + Sync),
) -> Result<Files> {
    let store = if is_check { None } else { Some(FileBackend::open(&draft.data.join("objects"))?) };
    let present = blobs::in_target(repository).await?;
    let mut wanted: HashMap<BlobKey, (Option<u64>, Vec<&str>)> = HashMap::new();
    let mut files = Files::default();
    for object in recovered.objects.iter().chain(&recovered.versions) {
        match BlobKey::parse(&object.version).filter(|key| present.contains_key(key)) {
            Some(key) => {
                let entry = wanted.entry(key).or_default();
                entry.0 = entry.0.or(object.size);
                entry.1.push(&object.path);
            }
            None => files.missing.push(object.path.clone()),
        }
    }
    let parts: BTreeSet<BlobKey> =
        recovered.upload_parts.iter().copied().filter(|key| present.contains_key(key)).collect();
    for key in parts {
        wanted.entry(key).or_default();
    }
    let total = wanted.len() as u64;
    let mut fetches = futures_util::stream::iter(wanted)
        .map(|(key, (size, paths))| {
            let (store, count) = (store.as_ref(), present.get(&key).copied().unwrap_or(1));
            async move { (fetch(repository, opener, store, key, count, size).await, paths) }
        })
        .buffer_unordered(CONCURRENT_FETCHES);
    let mut done = 0;
    while let Some((fetched, paths)) = fetches.next().await {
        match fetched {
            Ok(bytes) => {
                files.bytes += bytes;
                files.count += 1;
            }
            // A file that is missing, damaged or not authentic in the backup does not end the restore. Any other error ends it. Parts of
            // unfinished uploads have no path and are not reported, because no object is lost with them.
            Err(error) => {
                let reason = missing_files::reason(error)?;
                files.missing.extend(paths.iter().map(|path| format!("{path} ({reason})")));
            }
        }
        done += 1;
        report(Step::Files, done, total);
    }
    files.missing.sort();
    Ok(files)
}

/// Reads all parts of a blob and compares the total size with `size`. If `store` is set, also writes the blob into this file storage. The
/// file storage then contains the whole blob, or nothing of it after an error. Returns the blob's size in bytes.
async fn fetch(
    repository: &Repository,
    opener: &Opener,
    store: Option<&FileBackend>,
    key: BlobKey,
    count: usize,
    size: Option<u64>,
) -> Result<u64> {
    let (repository, opener) = (repository.clone(), opener.clone());
    let parts = futures_util::stream::iter(1..=count).then(move |number| {
        let (repository, opener) = (repository.clone(), opener.clone());
        async move { repository.get(&opener, &layout::blob_part(key, number, count)).await.map(Bytes::from) }
    });
    let mut parts = Box::pin(parts);
    let mut bytes = 0;
    if let Some(store) = store {
        // The stream for the file storage has its own error type. Therefore the error of the backup is kept in `failure`.
        let failure = std::sync::Arc::new(std::sync::Mutex::new(None));
        let noted = std::sync::Arc::clone(&failure);
        let body = parts.map(move |part| {
            part.map_err(|error| {
                *noted.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(error);
                cloch_storage::Error::BlobMissing(key.to_string())
            })
        });
        match store.put(key, body.boxed()).await {
            Ok(written) => bytes = written,
            Err(error) => {
                let own = failure.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
                return Err(own.unwrap_or(BackupError::Storage(error)));
            }
        }
    } else {
        while let Some(part) = parts.next().await {
            bytes += part?.len() as u64;
        }
    }
    match size {
        Some(size) if size != bytes => {
            if let Some(store) = store {
                store.delete(key).await?;
            }
            let reason = format!("its row says {size} bytes, and the backup has {bytes}");
            Err(BackupError::damaged(&layout::blob_part(key, 1, count), reason))
        }
        _ => Ok(bytes),
    }
}
