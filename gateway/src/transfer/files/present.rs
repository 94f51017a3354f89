//! Lists the blobs that an object store contains.

use std::collections::HashMap;

use cloch_storage::backend::{Backend, BlobKey};

use super::FileRecord;

const PAGE_BLOBS: usize = 1000;

/// The blobs that an object store contains, with their sizes in bytes.
pub(in super::super) struct Present(HashMap<BlobKey, u64>);

impl Present {
    pub(in super::super) async fn list(store: &dyn Backend) -> cloch_storage::Result<Self> {
        let mut sizes = HashMap::new();
        let mut after = None;
        loop {
            let page = store.list(after, PAGE_BLOBS).await?;
            sizes.extend(page.iter().map(|blob| (blob.key, blob.size)));
            match page.last() {
                Some(last) => after = Some(last.key),
                None => return Ok(Self(sizes)),
            }
        }
    }

    /// Whether the object store contains a complete blob for the file. If the file's record contains a size, the blob must have this size.
    pub(super) fn has(&self, record: &FileRecord) -> bool {
        self.size(record).is_some_and(|size| record.size.is_none_or(|expected| expected == size))
    }

    /// Returns the size in bytes of a file's blob, or `None` if the object store lacks the blob.
    pub(in super::super) fn size(&self, record: &FileRecord) -> Option<u64> {
        self.0.get(&BlobKey::parse(record.version.as_deref()?)?).copied()
    }
}
