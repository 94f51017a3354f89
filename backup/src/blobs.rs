//! Copies the project's files (blobs) to the backup target.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use cloch_storage::backend::{Backend, BlobKey, NewBlobs};
use futures_util::StreamExt;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::error::{BackupError, Result};
use crate::layout::{self, PART_BYTES};
use crate::repository::Repository;

/// Number of blobs copied concurrently. A copy of a small blob spends most of its time waiting for the backup target.
const CONCURRENT_COPIES: usize = 16;
/// Number of parts of one blob copied concurrently.
const CONCURRENT_PARTS: usize = 4;
/// Maximum memory for blob parts in transfer, in KiB.
const MEMORY_KIB: u32 = 32 << 10;
/// Number of blobs per page when the project's file storage is listed.
const PAGE_BLOBS: usize = 1000;

/// Returns the blobs whose parts are all in the backup target, with the number of parts of each blob.
///
/// # Errors
/// If the target cannot be listed.
pub async fn in_target(repository: &Repository) -> Result<HashMap<BlobKey, usize>> {
    let mut parts: HashMap<BlobKey, (usize, usize)> = HashMap::new();
    for entry in repository.target.list(layout::BLOBS).await? {
        if let Some((key, _, count)) = layout::parse_blob_part(&entry.name) {
            let seen = parts.entry(key).or_insert((0, count));
            seen.0 += 1;
        }
    }
    Ok(parts.into_iter().filter(|(_, (seen, count))| seen == count).map(|(key, (_, count))| (key, count)).collect())
}

/// Queues all blobs of the project's file storage that the backup target lacks, and returns their number.
pub(crate) async fn compare(repository: &Repository, store: &dyn Backend, new_blobs: &NewBlobs) -> Result<usize> {
    let present = in_target(repository).await?;
    let (mut after, mut added) = (None, 0);
    loop {
        let page = store.list(after, PAGE_BLOBS).await?;
        let Some(last) = page.last() else { break };
        after = Some(last.key);
        for blob in page.iter().filter(|blob| !present.contains_key(&blob.key)) {
            new_blobs.add(blob.key);
            added += 1;
        }
    }
    new_blobs.compared();
    Ok(added)
}

/// Concurrent copier of new blobs. Each blob is copied in a separate task, so that a large blob does not delay other blobs.
#[derive(Debug)]
pub(crate) struct BlobShipper {
    source: Arc<Source>,
    copies: JoinSet<Result<()>>,
}

/// The file storage to copy from, the backup repository to copy to, and the memory limit of the copies.
#[derive(Debug)]
struct Source {
    repository: Repository,
    store: Arc<dyn Backend>,
    new_blobs: Arc<NewBlobs>,
    /// Semaphore with one permit per KiB of memory that blob copies may hold.
    memory: Semaphore,
}

impl BlobShipper {
    /// Creates a shipper that copies the blobs of `store` to the backup target. Blobs that an earlier shipper removed from the queue but did
    /// not copy are queued again.
    pub(crate) fn new(repository: Repository, store: Arc<dyn Backend>, new_blobs: Arc<NewBlobs>) -> Self {
        new_blobs.put_back();
        let source = Source { repository, store, new_blobs, memory: Semaphore::new(MEMORY_KIB as usize) };
        Self { source: Arc::new(source), copies: JoinSet::new() }
    }

    /// Queues all blobs of the project's file storage that the backup target lacks.
    pub(crate) async fn compare(&self) -> Result<()> {
        let Source { repository, store, new_blobs, .. } = &*self.source;
        compare(repository, store.as_ref(), new_blobs).await.map(drop)
    }

    /// Copies queued blobs until all blobs with a queue number below `below` are in the backup target. Then deletes from the file storage
    /// the blobs whose deletion was deferred until they were copied.
    ///
    /// # Errors
    /// If a blob cannot be copied. Blobs that were not copied are queued again for the next blob shipper.
    pub(crate) async fn until_copied(&mut self, below: u64) -> Result<()> {
        let new_blobs = Arc::clone(&self.source.new_blobs);
        while !new_blobs.are_copied(below) {
            self.step().await?;
        }
        for key in new_blobs.take_deleted() {
            self.source.store.delete(key).await?;
        }
        Ok(())
    }

    /// Copies new blobs until this future is dropped or a copy fails.
    pub(crate) async fn copy_on(&mut self) -> Result<()> {
        loop {
            self.step().await?;
        }
    }

    /// Starts copies, then waits until a copy finishes or a new blob is queued. The caller may drop this future at any time without losing
    /// a blob.
    async fn step(&mut self) -> Result<()> {
        while self.copies.len() < CONCURRENT_COPIES {
            let Some(key) = self.source.new_blobs.take() else { break };
            let source = Arc::clone(&self.source);
            self.copies.spawn(async move { source.ship(key).await });
        }
        tokio::select! {
            Some(copied) = self.copies.join_next() => {
                copied.map_err(|_| BackupError::Stopped)??;
            }
            () = self.source.new_blobs.added(), if self.copies.len() < CONCURRENT_COPIES => {}
        }
        Ok(())
    }
}

impl Source {
    /// Copies a blob to the backup target. If the deletion of the blob from the file storage was deferred until the copy, deletes the blob
    /// afterwards.
    async fn ship(&self, key: BlobKey) -> Result<()> {
        self.copy(key).await?;
        if self.new_blobs.copied(key) {
            self.store.delete(key).await?;
        }
        Ok(())
    }

    /// Copies a blob to the backup target. A blob that is deleted during the copy counts as copied.
    async fn copy(&self, key: BlobKey) -> Result<()> {
        let before = BlobKey::parse(&Uuid::from_u128(key.uuid().as_u128().saturating_sub(1)).to_string());
        let listed = self.store.list(before, 1).await?;
        let Some(size) = listed.first().filter(|blob| blob.key == key).map(|blob| blob.size) else { return Ok(()) };
        let part_bytes = PART_BYTES as u64;
        let count = usize::try_from(size.div_ceil(part_bytes).max(1)).unwrap_or(usize::MAX);
        let parts = (1..=count).map(|number| async move {
            let start = (number as u64 - 1) * part_bytes;
            self.copy_part(key, start..size.min(start + part_bytes), layout::blob_part(key, number, count)).await
        });
        let mut parts = futures_util::stream::iter(parts).buffer_unordered(CONCURRENT_PARTS);
        while let Some(copied) = parts.next().await {
            match copied {
                Err(BackupError::Storage(cloch_storage::Error::BlobMissing(_))) => return Ok(()),
                outcome => outcome?,
            }
        }
        Ok(())
    }

    async fn copy_part(&self, key: BlobKey, range: std::ops::Range<u64>, name: String) -> Result<()> {
        let kib = u32::try_from((range.end - range.start).div_ceil(1024)).unwrap_or(MEMORY_KIB).clamp(1, MEMORY_KIB);
        let _held = self.memory.acquire_many(kib).await.map_err(|_| BackupError::Stopped)?;
        let bytes = read(self.store.as_ref(), key, range).await?;
        self.repository.put(&name, bytes).await?;
        Ok(())
    }
}

async fn read(store: &dyn Backend, key: BlobKey, range: std::ops::Range<u64>) -> Result<Bytes> {
    let length = range.end - range.start;
    let mut stream = store.get(key, range).await?.into_stream();
    let mut bytes = BytesMut::with_capacity(usize::try_from(length).unwrap_or(0));
    while let Some(chunk) = stream.next().await {
        bytes.extend_from_slice(&chunk?);
    }
    match bytes.len() as u64 == length {
        true => Ok(bytes.freeze()),
        false => Err(BackupError::damaged(&key.to_string(), "the project's store returned another number of bytes")),
    }
}
