//! Hides the metadata of an image sequence in a HEIF or AVIF file. The tracks of the sequence are in a `moov` box (ISO/IEC 14496-12, 8).

use super::blob_reader::BlobReader;
use super::boxes::{FileBox, boxes};
use super::edits::Edits;
use super::{broken, refused};
use crate::error::Result;

/// Handler types of tracks that contain images, or the transparency or depth of images.
const PICTURE_HANDLERS: [&[u8; 4]; 3] = [b"pict", b"vide", b"auxv"];

/// Changes user data, metadata and unknown boxes of a `moov` box and its tracks to type `free`, which readers skip.
///
/// # Errors
/// If a track contains no images or the structure is invalid.
pub(super) async fn find(reader: &mut BlobReader, movie: FileBox, edits: &mut Edits) -> Result<()> {
    for one in children(reader, movie).await? {
        match &one.kind {
            b"mvhd" | b"mvex" => {}
            b"trak" => track(reader, one, edits).await?,
            _ => one.hide(edits),
        }
    }
    Ok(())
}

async fn track(reader: &mut BlobReader, track: FileBox, edits: &mut Edits) -> Result<()> {
    for one in children(reader, track).await? {
        match &one.kind {
            b"tkhd" | b"edts" | b"tref" => {}
            b"mdia" => media(reader, one, edits).await?,
            _ => one.hide(edits),
        }
    }
    Ok(())
}

async fn media(reader: &mut BlobReader, media: FileBox, edits: &mut Edits) -> Result<()> {
    for one in children(reader, media).await? {
        match &one.kind {
            b"mdhd" | b"elng" | b"minf" => {}
            b"hdlr" => {
                // The handler type comes after version and flags (four bytes) and four reserved bytes.
                let handler = reader.array::<4>(one.content + 8).await?.ok_or_else(|| broken("HEIF"))?;
                if !PICTURE_HANDLERS.contains(&&handler) {
                    return Err(refused("a HEIF file with other tracks than pictures is not supported"));
                }
            }
            _ => one.hide(edits),
        }
    }
    Ok(())
}

async fn children(reader: &mut BlobReader, parent: FileBox) -> Result<Vec<FileBox>> {
    boxes(reader, parent.content()).await?.ok_or_else(|| broken("HEIF"))
}
