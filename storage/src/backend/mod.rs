//! Storage backends. A blob is written once under a new version and never changed, so a reader never sees a mixture of two versions. A blob
//! is visible only if a row of `storage.objects` names its version.

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

/// A stream of bytes, which ends with the first error.
pub type ByteStream = Pin<Box<dyn Stream<Item = Result<Bytes>> + Send>>;

/// The key of a blob: the version of an object. Names of buckets and objects never reach a backend, so no name can lead to another path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlobKey(Uuid);

impl BlobKey {
    /// A new random key.
    #[must_use]
    pub fn fresh() -> Self {
        Self(Uuid::new_v4())
    }

    /// The key of the blob that is derived from this one; always the same.
    #[must_use]
    pub fn derived(self) -> Self {
        Self(Uuid::from_u128(self.0.as_u128() ^ 1))
    }

    /// The key for a row's version, which must be a UUID in its usual form.
    ///
    /// # Errors
    /// [`Error::BlobMissing`]: no blob can have any other version.
    pub fn of_version(version: Option<&str>) -> Result<Self> {
        let version = version.unwrap_or_default();
        Self::parse(version).ok_or_else(|| Error::BlobMissing(version.to_owned()))
    }

    /// Reads a key from its text form.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let uuid = Uuid::try_parse(text).ok()?;
        let mut usual = [0; Hyphenated::LENGTH];
        (uuid.hyphenated().encode_lower(&mut usual) == text).then_some(Self(uuid))
    }

    /// The version as a UUID.
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

/// The bytes of a blob, or a part of them.
pub enum Content {
    /// A small blob or range, in memory.
    Whole(Bytes),
    /// A large one, as a stream.
    Stream(ByteStream),
    /// A large one in a file.
    File(FileBytes),
}

impl Content {
    /// The bytes as they are read.
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

/// A blob as a listing shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its key.
    pub key: BlobKey,
    /// The time when it was completed.
    pub modified: SystemTime,
    /// Its size in bytes.
    pub size: u64,
}

/// A whole blob that becomes part of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Its key.
    pub key: BlobKey,
    /// Its size in bytes, as its row says.
    pub size: u64,
}

/// The progress of a blob that is written in parts. The caller stores it between the parts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Assembly {
    /// The bytes that are stored.
    pub size: u64,
    /// The location of the bytes, in the backend's own format.
    pub state: serde_json::Value,
}

/// A blob store. Every operation is atomic, and its acknowledged result survives a crash.
pub trait Backend: Send + Sync + fmt::Debug {
    /// Writes a new blob. When this returns, the bytes are durable; when it fails or is dropped, the key has no blob. Returns the
    /// size in bytes.
    fn put(&self, key: BlobKey, body: ByteStream) -> BoxFuture<'_, Result<u64>>;

    /// Reads a range of a blob. `range` must be inside the blob; its size is in the row.
    fn get(&self, key: BlobKey, range: Range<u64>) -> BoxFuture<'_, Result<Content>>;

    /// Makes a second blob of the same bytes.
    fn copy(&self, from: BlobKey, to: BlobKey) -> BoxFuture<'_, Result<()>>;

    /// Creates a new blob from the concatenated bytes of others, if possible within the store, without passing them through the program. As
    /// durable as [`put`](Self::put). The other blobs are unchanged. Returns the size in bytes.
    fn concatenate(&self, key: BlobKey, pieces: Vec<Piece>) -> BoxFuture<'_, Result<u64>>;

    /// Deletes a blob; deleting an absent one is no error.
    fn delete(&self, key: BlobKey) -> BoxFuture<'_, Result<()>>;

    /// The blobs after a key, in the order of keys, at most `limit`.
    fn list(&self, after: Option<BlobKey>, limit: usize) -> BoxFuture<'_, Result<Vec<Listed>>>;

    /// Appends bytes to a blob that is written in parts. When this returns they are durable, and the result is the new progress. If it
    /// fails they do not count, and it can be retried with the same assembly.
    fn append(&self, key: BlobKey, assembly: Assembly, body: ByteStream) -> BoxFuture<'_, Result<Assembly>>;

    /// Completes a blob from its parts. Idempotent.
    fn assemble(&self, key: BlobKey, assembly: Assembly) -> BoxFuture<'_, Result<()>>;

    /// Deletes the parts of a blob that will not be completed.
    fn abandon(&self, key: BlobKey, assembly: Assembly) -> BoxFuture<'_, Result<()>>;

    /// Deletes the leftovers of interrupted writes that are older than the given time.
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
