//! Copying all blobs from one backend to another: how a project moves from files to S3, or back.
//!
//! A blob never changes once it has its key, so one that the target has in the same size is done: an interrupted copy goes on where
//! it stopped, and a second one, made when the server has stopped, has only the newest to bring.

use futures_util::{StreamExt, TryStreamExt, stream};
use sha2::{Digest, Sha256};
use std::sync::{Arc, Mutex, PoisonError};

use crate::backend::open::open;
use crate::backend::{Backend, BlobKey, ByteStream, Content, Listed};
use crate::error::{Error, Result};
use crate::settings::BackendSettings;

/// Blobs copied at once: distant backends have a high latency.
const MAX_CONCURRENT_COPIES: usize = 8;
/// Blobs listed at once.
const PAGE_BLOBS: usize = 1000;

/// What a copy did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Copied {
    /// Blobs copied now.
    pub blobs: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Blobs that the target had already.
    pub present: u64,
}

/// Copies all blobs between the stores that the settings name.
///
/// # Errors
/// As [`copy`], and when a store cannot be opened.
pub async fn between(from: &BackendSettings, to: &BackendSettings) -> Result<Copied> {
    copy(&*open(from)?, &*open(to)?).await
}

/// Copies all blobs that `to` lacks, and reads each back: what it has then is what `from` has.
///
/// # Errors
/// At the first blob that cannot be read, written, or that reads back as something else. What was copied stays.
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
        tracing::info!(copied.blobs, copied.bytes, copied.present, "copying");
    }
}

/// The blobs of a store after a key and up to another one, with their sizes.
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

/// Copies a blob; `None` when it was deleted meanwhile.
async fn copy_one(from: &dyn Backend, to: &dyn Backend, blob: Listed) -> Result<Option<u64>> {
    let sent = Hasher::default();
    let bytes = match from.get(blob.key, 0..blob.size).await {
        Ok(content) => sent.over(content),
        Err(Error::BlobMissing(_)) => return Ok(None),
        Err(error) => return Err(error),
    };
    // One of another size is the rest of something else; nothing writes to a key twice.
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
    Err(Error::internal("copying an object to another store")(format!("{} reads back changed", blob.key).into()))
}

/// The SHA-256 of bytes that pass.
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
