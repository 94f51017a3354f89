//! Copies all blobs from one storage backend to another, to move a project from files to S3 or back.
//!
//! A blob never changes after it has been written, so a blob that the destination backend already contains with the same size is skipped.
//! An interrupted copy resumes at the first missing blob. A second run after the server has stopped copies only the blobs that were added
//! since the first run.

use futures_util::{StreamExt, TryStreamExt, stream};
use sha2::{Digest, Sha256};
use std::sync::{Arc, Mutex, PoisonError};

use crate::backend::open::open;
use crate::backend::{Backend, BlobKey, ByteStream, Content, Listed};
use crate::error::{Error, Result};
use crate::settings::BackendSettings;

/// Number of concurrent copies, because remote backends have a high latency.
const MAX_CONCURRENT_COPIES: usize = 8;
/// Number of blobs per listing request to a backend.
const PAGE_BLOBS: usize = 1000;

/// Result of a copy between two storage backends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Copied {
    /// Number of blobs copied by this run of the copy.
    pub blobs: u64,
    /// Total size of the copied blobs in bytes.
    pub bytes: u64,
    /// Number of blobs that the destination backend already contained.
    pub present: u64,
}

/// Copies all blobs from the backend in the settings `from` to the backend in the settings `to`.
///
/// # Errors
/// The same errors as [`copy`], and an error if a backend cannot be opened.
pub async fn between(from: &BackendSettings, to: &BackendSettings) -> Result<Copied> {
    copy(&*open(from)?, &*open(to)?).await
}

/// Copies all blobs that `to` lacks and verifies the SHA-256 of each copy by reading the copy.
///
/// # Errors
/// At the first blob that cannot be read or written, or whose copy differs from the original. Blobs copied before that error stay in the
/// destination backend.
pub async fn copy(from: &dyn Backend, to: &dyn Backend) -> Result<Copied> {
    let mut copied = Copied::default();
    let mut after = None;
    loop {
        let page = from.list(after, PAGE_BLOBS).await?;
        let Some(last) = page.last() else { return Ok(copied) };
        let has = present(to, after, last.key).await?;
        after = Some(last.key);
        let missing: Vec<Listed> = page.iter().filter(|blob| !has.contains(&(blob.key, blob.size))).copied().collect();
        copied.present += (page.len() - missing.len()) as u64;
        let done: Vec<Option<u64>> = stream::iter(missing)
            .map(|blob| copy_one(from, to, blob))
            .buffer_unordered(MAX_CONCURRENT_COPIES)
            .try_collect()
            .await?;
        for bytes in done.into_iter().flatten() {
            copied.blobs += 1;
            copied.bytes += bytes;
        }
        tracing::info!(
            copied.blobs,
            copied.bytes,
            copied.present,
            "storage migration: copying blobs (contents of objects)"
        );
    }
}

/// Lists the blobs of a backend with keys greater than `after` and at most `last`, with their sizes.
async fn present(store: &dyn Backend, mut after: Option<BlobKey>, last: BlobKey) -> Result<Vec<(BlobKey, u64)>> {
    let mut found = Vec::new();
    loop {
        let page = store.list(after, PAGE_BLOBS).await?;
        found.extend(page.iter().filter(|blob| blob.key <= last).map(|blob| (blob.key, blob.size)));
        match page.last() {
            Some(blob) if blob.key < last => after = Some(blob.key),
            _ => return Ok(found),
        }
    }
}

/// Copies one blob. Returns the blob's size, or `None` if the blob was deleted from the source backend meanwhile.
async fn copy_one(from: &dyn Backend, to: &dyn Backend, blob: Listed) -> Result<Option<u64>> {
    let sent = Hasher::default();
    let bytes = match from.get(blob.key, 0..blob.size).await {
        Ok(content) => sent.over(content),
        Err(Error::BlobMissing(_)) => return Ok(None),
        Err(error) => return Err(error),
    };
    // A blob with the same key and another size is left over from an interrupted copy, because every complete write uses a new key.
    to.delete(blob.key).await?;
    let size = to.put(blob.key, bytes).await?;
    let stored = Hasher::default();
    let mut back = stored.over(to.get(blob.key, 0..size).await?);
    while let Some(bytes) = back.next().await {
        bytes?;
    }
    if size == blob.size && sent.digest() == stored.digest() {
        return Ok(Some(size));
    }
    to.delete(blob.key).await?;
    Err(Error::internal("copying an object to another store")(
        format!("blob {} differs from the original after the copy", blob.key).into(),
    ))
}

/// SHA-256 of the bytes that pass through a stream.
#[derive(Clone, Default)]
struct Hasher(Arc<Mutex<Sha256>>);

impl Hasher {
    fn over(&self, content: Content) -> ByteStream {
        let hasher = self.clone();
        content
            .into_stream()
            .inspect_ok(move |bytes| hasher.0.lock().unwrap_or_else(PoisonError::into_inner).update(bytes))
            .boxed()
    }

    fn digest(&self) -> Vec<u8> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone().finalize().to_vec()
    }
}
