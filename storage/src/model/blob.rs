//! The stored content (blob) of an object.

use serde_json::Value;

use super::meta::PART_SIZE;
use crate::backend::BlobKey;

/// A blob with its size and entity tag.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StoredBlob {
    pub(crate) key: BlobKey,
    pub(crate) size: u64,
    /// Entity tag of the blob, without quotes.
    pub(crate) etag: String,
}

impl StoredBlob {
    /// Replaces the size and entity tag in the metadata of an object's row with the size and entity tag of this blob.
    pub(crate) fn describe(&self, metadata: &mut Value) {
        if let Some(map) = metadata.as_object_mut() {
            map.insert("eTag".to_owned(), format!("\"{}\"", self.etag).into());
            map.insert("size".to_owned(), self.size.into());
            map.insert("contentLength".to_owned(), self.size.into());
            map.remove("checksum");
            map.remove(PART_SIZE);
        }
    }
}
