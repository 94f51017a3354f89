//! Removes metadata from WebP files (RFC 9649). A WebP file is a RIFF container with chunks. The header of the container contains its size,
//! and the `VP8X` chunk has flags for the kinds of chunks in the file.

use std::ops::Range;

use super::blob_reader::BlobReader;
use super::edits::Edits;
use super::{broken, exif, icc};
use crate::error::Result;

/// Maximum size of an EXIF chunk from which the orientation is read, in bytes. Larger chunks are removed.
const MAX_EXIF_BYTES: u64 = 64 * 1024;
const KEPT: [&[u8; 4]; 6] = [b"VP8 ", b"VP8L", b"VP8X", b"ALPH", b"ANIM", b"ANMF"];
/// Types of image chunks. A WebP file must contain at least one of them.
const PICTURES: [&[u8; 4]; 3] = [b"VP8 ", b"VP8L", b"ANMF"];
/// Types of chunks that an animation frame may contain after its header.
const KEPT_IN_FRAME: [&[u8; 4]; 3] = [b"ALPH", b"VP8 ", b"VP8L"];
const FRAME_HEADER_BYTES: u64 = 16;
/// Flag of the `VP8X` chunk for a colour profile (RFC 9649, 2.7).
const HAS_PROFILE: u8 = 0x20;
const HAS_EXIF: u8 = 0x08;
const HAS_XMP: u8 = 0x04;

/// A RIFF chunk: its type, the range of its data, and its end including padding.
struct Chunk {
    kind: [u8; 4],
    data: Range<u64>,
    end: u64,
}

/// Finds the chunks to remove from a WebP file. Bytes after the RIFF container are removed as well.
pub(super) async fn find(reader: &mut BlobReader) -> Result<Edits> {
    let head = reader.array::<8>(0).await?;
    let [_, _, _, _, a, b, c, d] = head.ok_or_else(|| broken("WebP"))?;
    let riff_end = 8 + u64::from(u32::from_le_bytes([a, b, c, d]));
    let (mut edits, mut at, mut flags, mut gone) = (Edits::default(), 12, None, HAS_EXIF | HAS_XMP);
    let mut has_picture = false;
    while at < riff_end {
        let chunk = chunk(reader, at, riff_end).await?;
        let length = chunk.data.end - chunk.data.start;
        has_picture |= PICTURES.contains(&&chunk.kind);
        match &chunk.kind {
            b"VP8X" => flags = reader.array::<1>(chunk.data.start).await?.map(|[flags]| (chunk.data.start, flags)),
            b"ANMF" => check_frame(reader, chunk.data).await?,
            b"ICCP" => {
                let head = reader.bytes(chunk.data.start, icc::HEAD_BYTES).await?;
                if !icc::is_profile(&head, length) {
                    gone |= HAS_PROFILE;
                    edits.remove(at..chunk.end);
                }
            }
            b"EXIF" if length <= MAX_EXIF_BYTES && gone & HAS_EXIF != 0 => {
                let data = reader.bytes(chunk.data.start, usize::try_from(length).unwrap_or(0)).await?;
                let kept = exif::orientation(&data).map(exif::minimal);
                if kept.is_some() {
                    gone &= !HAS_EXIF;
                }
                edits.replace(at..chunk.end, kept.map(|tiff| exif_chunk(&tiff)).unwrap_or_default());
            }
            kind if !KEPT.contains(&kind) => edits.remove(at..chunk.end),
            _ => {}
        }
        at = chunk.end;
    }
    if !has_picture {
        return Err(broken("WebP"));
    }
    edits.remove(at..reader.size());
    if !edits.is_empty() {
        let size = u32::try_from(reader.size().saturating_sub(edits.saved() + 8)).unwrap_or(u32::MAX);
        edits.replace(4..8, size.to_le_bytes().to_vec());
        if let Some((at, flags)) = flags {
            edits.replace(at..at + 1, vec![flags & !gone]);
        }
    }
    Ok(edits)
}

/// Parses the RIFF chunk at an offset, which must end at or before `before`. The padding of the last chunk may be missing.
async fn chunk(reader: &mut BlobReader, at: u64, before: u64) -> Result<Chunk> {
    let head = reader.array::<8>(at).await?;
    let [kind @ .., a, b, c, d] = head.ok_or_else(|| broken("WebP"))?;
    let data = at + 8..at + 8 + u64::from(u32::from_le_bytes([a, b, c, d]));
    if data.end > before || data.end > reader.size() {
        return Err(broken("WebP"));
    }
    let end = (data.end + data.end % 2).min(before).min(reader.size());
    Ok(Chunk { kind, data, end })
}

/// Refuses an animation frame with chunks that are not in [`KEPT_IN_FRAME`]. They are not removed, because this would change the size of
/// the frame.
async fn check_frame(reader: &mut BlobReader, frame: Range<u64>) -> Result<()> {
    let mut at = frame.start + FRAME_HEADER_BYTES;
    while at < frame.end {
        let chunk = chunk(reader, at, frame.end).await?;
        if !KEPT_IN_FRAME.contains(&&chunk.kind) {
            return Err(broken("WebP"));
        }
        at = chunk.end;
    }
    Ok(())
}

/// Creates an EXIF chunk. The length of `data` must be even.
fn exif_chunk(data: &[u8]) -> Vec<u8> {
    let length = u32::try_from(data.len()).unwrap_or(0);
    [b"EXIF", length.to_le_bytes().as_slice(), data].concat()
}
