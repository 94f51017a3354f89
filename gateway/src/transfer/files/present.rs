//! Which blobs a store has.

use std::collections::HashMap;

use cloch_storage::backend::{Backend, BlobKey};

use super::FileRecord;

/// Blobs listed at once.
const PAGE_BLOBS: usize = 1000;

/// The sizes of a store's blobs.
pub(in super::super) struct Present(HashMap<BlobKey, u64>);

impl Present {
    /// Lists a store.
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

    /// Whether the store has a file's bytes, in the size that its record says.
    pub(super) fn has(&self, record: &FileRecord) -> bool {
        self.size(record).is_some_and(|size| record.size.is_none_or(|expected| expected == size))
    }

    /// The size of a file's blob.
    pub(in super::super) fn size(&self, record: &FileRecord) -> Option<u64> {
        self.0.get(&BlobKey::parse(record.version.as_deref()?)?).copied()
    }
}
