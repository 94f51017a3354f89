//! The project's files on their way to the target.

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

/// Blobs that are copied at once: with small ones, each waits for the target's answer most of the time.
const CONCURRENT_COPIES: usize = 16;
/// Parts of one blob that are copied at once.
const CONCURRENT_PARTS: usize = 4;
/// KiB of parts that are held at once.
const MEMORY_KIB: u32 = 32 << 10;
/// Blobs listed at once.
const PAGE_BLOBS: usize = 1000;

/// The blobs in the target that are complete, with their number of parts.
///
/// # Errors
/// When the target does not answer.
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

/// Adds the blobs of a store that the target lacks; returns how many.
///
/// # Errors
/// When one of the two does not answer.
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

/// Copies blobs as they come, several at once, in tasks of their own: a large one does not hold up the others.
#[derive(Debug)]
pub(crate) struct BlobShipper {
    source: Arc<Source>,
    copies: JoinSet<Result<()>>,
}

/// From where to where, and with how much memory.
#[derive(Debug)]
struct Source {
    repository: Repository,
    store: Arc<dyn Backend>,
    new_blobs: Arc<NewBlobs>,
    /// One permit for each KiB that is held by copies.
    memory: Semaphore,
}

impl BlobShipper {
    /// Begins with all that wait, also those that an earlier one has taken and not copied.
    pub(crate) fn new(repository: Repository, store: Arc<dyn Backend>, new_blobs: Arc<NewBlobs>) -> Self {
        new_blobs.put_back();
        let source = Source { repository, store, new_blobs, memory: Semaphore::new(MEMORY_KIB as usize) };
        Self { source: Arc::new(source), copies: JoinSet::new() }
    }

    /// Adds the blobs of the store that the target lacks.
    ///
    /// # Errors
    /// When one of the two does not answer.
    pub(crate) async fn compare(&self) -> Result<()> {
        let Source { repository, store, new_blobs, .. } = &*self.source;
        compare(repository, store.as_ref(), new_blobs).await.map(drop)
    }

    /// Returns when all blobs below a number are in the target.
    ///
    /// # Errors
    /// When one cannot be copied. Those that were not copied wait for the next shipper.
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

    /// Copies what comes, until it is dropped.
    pub(crate) async fn copy_on(&mut self) -> Result<()> {
        loop {
            self.step().await?;
        }
    }

    /// Starts copies, and waits for the end of one or a new blob. Nothing is lost when it is dropped.
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
    /// Copies a blob, and deletes it if its deletion waited for that.
    async fn ship(&self, key: BlobKey) -> Result<()> {
        self.copy(key).await?;
        if self.new_blobs.copied(key) {
            self.store.delete(key).await?;
        }
        Ok(())
    }

    /// Copies a blob; one that was deleted meanwhile counts as copied.
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
