//! Removal of metadata from images: GPS positions, names, serial numbers, comments, previews of what was cropped. The pixels are not
//! touched, nor are orientation and colour profile.
//!
//! A file is stored as it came, its structure is read in windows of bounded size, and where there is something to leave out it is stored
//! once more without, before any row shows it. So it is the same for every way in, and a file of any size takes little memory. A picture
//! whose structure cannot be followed to its end is refused: what was not seen could hold anything.

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

/// Stores a copy of an image without its metadata, if the bucket asks for it, under the key that is derived from its own; `None` where
/// there is nothing to remove. Both blobs are the caller's to discard.
///
/// # Errors
/// When the bytes cannot be read or stored; [`Error::Metadata`] for a picture whose metadata cannot be found with certainty.
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

/// The edits that remove it, by the format of the bytes, whatever their declared type. What is declared as a picture must be one.
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

/// The refusal of a file; the text goes on after a colon.
fn refused(why: &str) -> Error {
    Error::Metadata(why.to_owned())
}

/// The refusal of a file that breaks the rules of its format.
fn broken(format: &str) -> Error {
    Error::Metadata(format!("this {format} file is cut off or damaged"))
}
