//! Storage backends, which store the content of objects as blobs. A blob is written once under a new version and never changed, so a reader
//! never receives a mixture of two versions. Clients can read a blob only if a row of `storage.objects` refers to its version.

pub(crate) mod blocking_io;
pub mod file;
mod new_blobs;
pub mod open;
pub(crate) mod private_files;
pub mod s3;
pub(crate) mod settings;
pub(crate) mod traced;
pub(crate) mod tracked;

use std::fmt;
use std::ops::Range;
use std::pin::Pin;
use std::time::SystemTime;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::{Stream, StreamExt, stream};
use uuid::Uuid;
use uuid::fmt::Hyphenated;

use self::file::FileBytes;
pub use self::new_blobs::NewBlobs;
pub use self::open::open;
use crate::error::{Error, Result};

/// A stream of bytes that ends at the first error.
pub type ByteStream = Pin<Box<dyn Stream<Item = Result<Bytes>> + Send>>;

/// Key of a blob: the version (a UUID) of an object. Names of buckets and objects are never passed to a backend, so a name cannot cause
/// path traversal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlobKey(Uuid);

impl BlobKey {
    /// Returns a new random blob key.
    #[must_use]
    pub fn fresh() -> Self {
        Self(Uuid::new_v4())
    }

    /// Returns the key of the blob that is derived from this blob: the copy of an image without its metadata. The same key always gives the
    /// same derived key.
    #[must_use]
    pub fn derived(self) -> Self {
        Self(Uuid::from_u128(self.0.as_u128() ^ 1))
    }

    /// Parses the `version` column of a database row, which must be a lower-case hyphenated UUID.
    ///
    /// # Errors
    /// [`Error::BlobMissing`] for any other text, because no blob can have such a version.
    pub fn of_version(version: Option<&str>) -> Result<Self> {
        let version = version.unwrap_or_default();
        Self::parse(version).ok_or_else(|| Error::BlobMissing(version.to_owned()))
    }

    /// Parses a blob key from a lower-case hyphenated UUID. `None` for any other text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let uuid = Uuid::try_parse(text).ok()?;
        let mut usual = [0; Hyphenated::LENGTH];
        (uuid.hyphenated().encode_lower(&mut usual) == text).then_some(Self(uuid))
    }

    /// Returns the blob key as a UUID.
    #[must_use]
    pub fn uuid(self) -> Uuid {
        self.0
    }
}

impl fmt::Display for BlobKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

/// Content of a blob or of a range of a blob.
pub enum Content {
    /// Content of a small blob or range, in memory.
    Whole(Bytes),
    /// Content of a large blob or range, as a stream.
    Stream(ByteStream),
    /// Content of a range of a large file, read on demand.
    File(FileBytes),
}

impl Content {
    /// Converts the content into a stream.
    #[must_use]
    pub fn into_stream(self) -> ByteStream {
        match self {
            Self::Whole(bytes) => stream::iter([Ok(bytes)]).boxed(),
            Self::Stream(bytes) => bytes,
            Self::File(bytes) => bytes.into_stream(),
        }
    }
}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(bytes) => write!(f, "Whole({} bytes)", bytes.len()),
            Self::Stream(_) => f.write_str("Stream"),
            Self::File(bytes) => bytes.fmt(f),
        }
    }
}

/// An entry in a listing of blobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Key of the blob.
    pub key: BlobKey,
    /// Time at which the blob was completed.
    pub modified: SystemTime,
    /// Size of the blob in bytes.
    pub size: u64,
}

/// A whole blob that becomes a part of a concatenated blob.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Key of the blob.
    pub key: BlobKey,
    /// Size of the blob in bytes, as recorded in the database.
    pub size: u64,
}

/// Progress of a blob that is written in parts. The caller stores this value between two parts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Assembly {
    /// Number of bytes of the blob stored so far.
    pub size: u64,
    /// Location of the stored parts, in the backend's own format.
    pub state: serde_json::Value,
}

/// A store of blobs. Every operation is atomic, and acknowledged results survive a crash.
pub trait Backend: Send + Sync + fmt::Debug {
    /// Writes a new blob and returns its size in bytes. On success, the content is durable. If the write fails or its future is dropped, no
    /// blob exists under the key.
    fn put(&self, key: BlobKey, body: ByteStream) -> BoxFuture<'_, Result<u64>>;

    /// Reads a range of a blob. `range` must be inside the blob, whose size the database records.
    fn get(&self, key: BlobKey, range: Range<u64>) -> BoxFuture<'_, Result<Content>>;

    /// Creates a second blob with the same content.
    fn copy(&self, from: BlobKey, to: BlobKey) -> BoxFuture<'_, Result<()>>;

    /// Creates a new blob by concatenating existing blobs and returns its size in bytes. If possible, the content is copied within the
    /// backend. The result is as durable as with [`put`](Self::put). The existing blobs are unchanged.
    fn concatenate(&self, key: BlobKey, pieces: Vec<Piece>) -> BoxFuture<'_, Result<u64>>;

    /// Deletes a blob. Succeeds if the blob does not exist.
    fn delete(&self, key: BlobKey) -> BoxFuture<'_, Result<()>>;

    /// Lists at most `limit` blobs with keys greater than `after`, in the order of keys.
    fn list(&self, after: Option<BlobKey>, limit: usize) -> BoxFuture<'_, Result<Vec<Listed>>>;

    /// Appends content to a blob that is written in parts and returns the new progress. On success, the content is durable. After a
    /// failure, the caller can retry with the same `assembly`.
    fn append(&self, key: BlobKey, assembly: Assembly, body: ByteStream) -> BoxFuture<'_, Result<Assembly>>;

    /// Completes a blob from its parts. If the blob is already complete, the call has no effect.
    fn assemble(&self, key: BlobKey, assembly: Assembly) -> BoxFuture<'_, Result<()>>;

    /// Deletes the parts of a blob that will not be completed.
    fn abandon(&self, key: BlobKey, assembly: Assembly) -> BoxFuture<'_, Result<()>>;

    /// Deletes leftovers of interrupted writes that are older than `before`, and returns their number.
    fn clear_unfinished(&self, before: SystemTime) -> BoxFuture<'_, Result<u64>>;
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn refuses_what_is_no_version() {
        for version in [
            "",
            "1",
            "../../etc/passwd",
            "{6a7f9a7e-51a5-4b9b-9d7b-0d1f3f3f7a10}",
            "6a7f9a7e51a54b9b9d7b0d1f3f3f7a10",
            "6A7F9A7E-51A5-4B9B-9D7B-0D1F3F3F7A10",
            "urn:uuid:6a7f9a7e-51a5-4b9b-9d7b-0d1f3f3f7a10",
        ] {
            assert!(BlobKey::parse(version).is_none(), "{version}");
        }
        assert!(matches!(BlobKey::of_version(None), Err(Error::BlobMissing(_))));
    }

    proptest! {
        #[test]
        fn a_key_is_hex_and_dashes(text in "\\PC{0,40}|[0-9a-f-]{36}") {
            if let Some(key) = BlobKey::parse(&text) {
                prop_assert!(key.to_string().bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-'));
                prop_assert_eq!(key.to_string(), text);
            }
        }
    }
}
