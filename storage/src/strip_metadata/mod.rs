//! Removal of metadata from images: GPS positions, names, serial numbers, comments, previews of what was cropped. The pixels are not
//! touched, nor are orientation and colour profile.
//!
//! A file is stored as it came, its structure is read in windows of bounded size, and where there is something to leave out it is stored
//! once more without, before any row shows it. So it is the same for every way in, and a file of any size takes little memory.

mod blob_reader;
mod edits;
mod exif;
mod gif;
mod heif;
mod jpeg;
mod png;
mod tiff;
mod webp;

use futures_util::StreamExt;

use self::blob_reader::BlobReader;
use self::edits::Edits;
use crate::error::Result;
use crate::object::blob::StoredBlob;
use crate::state::StorageState;
use crate::upload::buffer::buffered;
use crate::upload::digest::Digest;

/// Stores a copy of an image without its metadata, if the bucket asks for it, under the key that is derived from its own; none where
/// there is nothing to remove. Both blobs are the caller's to discard.
///
/// # Errors
/// When the bytes cannot be read or stored. What is no image, or a broken one, has nothing to remove.
pub(crate) async fn strip(state: &StorageState, bucket: &str, blob: &StoredBlob) -> Result<Option<StoredBlob>> {
    if !state.settings().bucket(bucket).strip_metadata {
        return Ok(None);
    }
    let mut reader = BlobReader::new(state.backend().clone(), blob.key, blob.size);
    let edits = find(&mut reader).await?;
    if edits.is_empty() {
        return Ok(None);
    }
    let (key, digest) = (blob.key.derived(), Digest::default());
    let bytes = digest.over(buffered(reader.edited(edits).boxed()));
    let size = state.backend().put(key, bytes).await?;
    Ok(Some(StoredBlob { key, size, etag: digest.hex().await }))
}

/// The edits that remove it, by the format of the bytes, whatever their declared type.
async fn find(reader: &mut BlobReader) -> Result<Edits> {
    let head = reader.bytes(0, 16).await?;
    match &*head {
        [0xff, 0xd8, 0xff, ..] => jpeg::find(reader).await,
        [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, ..] => png::find(reader).await,
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => webp::find(reader).await,
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => gif::find(reader).await,
        [b'I', b'I', b'*', 0, ..] | [b'M', b'M', 0, b'*', ..] => tiff::find(reader).await,
        [_, _, _, _, b'f', b't', b'y', b'p', ..] => heif::find(reader).await,
        _ => Ok(Edits::default()),
    }
}
