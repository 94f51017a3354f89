//! Pictures without what they tell of their place, owner and camera: GPS positions, names, serial numbers, comments, previews of what
//! was cut off. The picture itself is not touched, nor are its orientation and colour profile.
//!
//! A file is stored as it came, its structure is read in windows of bounded size, and where there is something to leave out it is stored
//! once more without, before any row shows it. So it is the same for every way in, and a file of any size takes little memory.

mod edits;
mod exif;
mod gif;
mod heif;
mod jpeg;
mod png;
mod source;
mod tiff;
mod webp;

use futures_util::StreamExt;
use serde_json::Value;

use self::edits::Edits;
use self::source::Source;
use crate::backend::BlobKey;
use crate::error::Result;
use crate::state::StorageState;
use crate::upload::digest::Digest;
use crate::upload::stream;

/// A file that is stored.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Blob {
    pub(crate) key: BlobKey,
    pub(crate) size: u64,
    /// Without quotes.
    pub(crate) etag: String,
}

impl Blob {
    /// Sets what a row's metadata says of the bytes.
    pub(crate) fn describe(&self, metadata: &mut Value) {
        if let Some(map) = metadata.as_object_mut() {
            map.insert("eTag".to_owned(), format!("\"{}\"", self.etag).into());
            map.insert("size".to_owned(), self.size.into());
            map.insert("contentLength".to_owned(), self.size.into());
        }
    }
}

/// Stores a picture once more without its metadata, if the bucket asks for it, under the key that is derived from its own; none where
/// there is nothing to leave out. Both blobs are the caller's to discard.
///
/// # Errors
/// When the bytes cannot be read or stored. What is no picture, or a broken one, has nothing to leave out.
pub(crate) async fn strip(state: &StorageState, bucket: &str, blob: &Blob) -> Result<Option<Blob>> {
    if !state.settings().strip_metadata.contains(bucket) {
        return Ok(None);
    }
    let mut source = Source::new(state.backend().clone(), blob.key, blob.size);
    let edits = find(&mut source).await?;
    if edits.is_empty() {
        return Ok(None);
    }
    let (key, digest) = (blob.key.derived(), Digest::default());
    let bytes = digest.over(stream::buffered(source.edited(edits).boxed()));
    let size = state.backend().put(key, bytes).await?;
    Ok(Some(Blob { key, size, etag: digest.hex().await }))
}

/// What is to be left out, by the format of the bytes, whatever type they are declared as.
async fn find(source: &mut Source) -> Result<Edits> {
    let head = source.bytes(0, 16).await?;
    match &*head {
        [0xff, 0xd8, 0xff, ..] => jpeg::find(source).await,
        [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, ..] => png::find(source).await,
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => webp::find(source).await,
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => gif::find(source).await,
        [b'I', b'I', b'*', 0, ..] | [b'M', b'M', 0, b'*', ..] => tiff::find(source).await,
        [_, _, _, _, b'f', b't', b'y', b'p', ..] => heif::find(source).await,
        _ => Ok(Edits::default()),
    }
}
