//! Removes metadata from images: GPS positions, names, serial numbers, comments, thumbnails of cropped images. Pixels, orientation and
//! colour profile are unchanged.
//!
//! The file is first stored as uploaded. Then the file's structure is read in windows of limited size. If the file has metadata to remove,
//! a second blob without metadata is stored before any row refers to the file. All upload protocols use this procedure, and files of any
//! size need little memory. An image whose structure cannot be parsed completely is refused, because the parts that were not parsed could
//! contain metadata.

mod blob_reader;
mod boxes;
mod edits;
mod exif;
mod format;
mod gif;
mod heif;
mod icc;
mod jpeg;
mod jpeg_xl;
mod movie;
mod png;
mod tiff;
mod webp;

use futures_util::StreamExt;

use self::blob_reader::BlobReader;
use self::edits::Edits;
use self::format::Format;
use crate::byte_stream::buffer::buffered;
use crate::byte_stream::digest::Digest;
use crate::error::{Error, Result};
use crate::model::blob::StoredBlob;
use crate::model::representation::Representation;
use crate::state::StorageState;
use crate::validation::media_type::MediaType;

/// Stores a copy of an image without its metadata, if the bucket is configured to remove image metadata. The key of the copy is derived
/// from the key of the original. Returns `None` if no copy is stored. The caller must discard the original or the copy, whichever it does
/// not use.
///
/// # Errors
/// If the content cannot be read or stored; [`Error::Metadata`] for an image whose metadata cannot be found reliably.
pub(crate) async fn strip(
    state: &StorageState,
    bucket: &str,
    blob: &StoredBlob,
    (media_type, representation): (&MediaType, &Representation),
) -> Result<Option<StoredBlob>> {
    if !state.settings().bucket(bucket).strip_metadata || blob.size == 0 {
        return Ok(None);
    }
    if !representation.is_plain() && is_picture(media_type) {
        return Err(refused("it is compressed (Content-Encoding)"));
    }
    let mut reader = BlobReader::new(state.backend().clone(), blob.key, blob.size);
    let edits = find(&mut reader, media_type).await?;
    if edits.is_empty() {
        return Ok(None);
    }
    let pieces = edits.pieces(blob.size).ok_or_else(|| refused("its parts overlap, or are too many"))?;
    let (key, digest) = (blob.key.derived(), Digest::default());
    let bytes = digest.over(buffered(reader.edited(pieces).boxed()));
    let size = state.backend().put(key, bytes).await?;
    Ok(Some(StoredBlob { key, size, etag: digest.hex().await }))
}

/// Returns the edits that remove the metadata of a file. The image format is detected from the content, regardless of the declared media
/// type. A file that is declared as an image must be an image.
async fn find(reader: &mut BlobReader, media_type: &MediaType) -> Result<Edits> {
    let head = reader.bytes(0, format::HEAD_BYTES).await?;
    match Format::of(&head) {
        Format::Jpeg => jpeg::find(reader).await,
        Format::Png => png::find(reader).await,
        Format::Webp => webp::find(reader).await,
        Format::Gif => gif::find(reader).await,
        Format::Tiff => tiff::find(reader).await,
        Format::Heif { has_tracks } => heif::find(reader, has_tracks).await,
        Format::JpegXl => jpeg_xl::find(reader).await,
        Format::WithoutMetadata => Ok(Edits::default()),
        Format::Unsupported(name) => Err(refused(&format!("{name} is not supported"))),
        Format::Unknown if is_picture(media_type) => Err(refused(&format!("it is no {media_type} of a known form"))),
        Format::Unknown => Ok(Edits::default()),
    }
}

fn is_picture(media_type: &MediaType) -> bool {
    media_type.kind() == "image"
}

/// Returns the error for an image that is refused. The message for the client ends with the reason `why`.
fn refused(why: &str) -> Error {
    Error::Metadata(why.to_owned())
}

/// Returns the error for an image file that violates its format.
fn broken(format: &str) -> Error {
    Error::Metadata(format!("this {format} file is cut off or damaged"))
}
