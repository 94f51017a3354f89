//! The project's files on their way to the target.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use cloch_storage::backend::{Backend, BlobKey, NewBlobs};
use futures_util::StreamExt;
use uuid::Uuid;

use crate::error::{BackupError, Result};
use crate::layout::{self, PART_BYTES};
use crate::repository::Repository;

/// Blobs that are copied at once.
const CONCURRENT_COPIES: usize = 4;
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

/// Notes the blobs of the store that the target lacks.
pub(crate) async fn compare(repository: &Repository, store: &dyn Backend, new_blobs: &NewBlobs) -> Result<()> {
    let present = in_target(repository).await?;
    let mut after = None;
    loop {
        let page = store.list(after, PAGE_BLOBS).await?;
        let Some(last) = page.last() else { break };
        after = Some(last.key);
        page.iter().filter(|blob| !present.contains_key(&blob.key)).for_each(|blob| new_blobs.add(blob.key));
    }
    new_blobs.compared();
    Ok(())
}

/// Copies all blobs that wait now. What could not be copied waits again. Returns the bytes copied.
pub(crate) async fn ship(repository: &Repository, store: &Arc<dyn Backend>, new_blobs: &NewBlobs) -> Result<u64> {
    let keys = new_blobs.take();
    let mut copies = futures_util::stream::iter(keys)
        .map(|key| async move { (key, copy(repository, store.as_ref(), key).await) })
        .buffer_unordered(CONCURRENT_COPIES);
    let (mut bytes, mut failure) = (0, None);
    while let Some((key, copied)) = copies.next().await {
        match copied {
            Ok(size) => {
                bytes += size;
                if new_blobs.copied(key) {
                    store.delete(key).await?;
                }
            }
            Err(error) => {
                new_blobs.put_back(key);
                failure = Some(error);
            }
        }
    }
    for key in new_blobs.take_deleted() {
        store.delete(key).await?;
    }
    failure.map_or(Ok(bytes), Err)
}

/// Copies a blob; one that was deleted meanwhile counts as copied.
async fn copy(repository: &Repository, store: &dyn Backend, key: BlobKey) -> Result<u64> {
    let before = BlobKey::parse(&Uuid::from_u128(key.uuid().as_u128().saturating_sub(1)).to_string());
    let listed = store.list(before, 1).await?;
    let Some(size) = listed.first().filter(|blob| blob.key == key).map(|blob| blob.size) else { return Ok(0) };
    let part_bytes = PART_BYTES as u64;
    let count = usize::try_from(size.div_ceil(part_bytes).max(1)).unwrap_or(usize::MAX);
    for number in 1..=count {
        let start = (number as u64 - 1) * part_bytes;
        let end = size.min(start + part_bytes);
        let bytes = match read(store, key, start..end).await {
            Err(BackupError::Storage(cloch_storage::Error::BlobMissing(_))) => return Ok(0),
            outcome => outcome?,
        };
        repository.put(&layout::blob_part(key, number, count), bytes).await?;
    }
    Ok(size)
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
