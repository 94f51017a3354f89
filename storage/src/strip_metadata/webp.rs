//! WebP (RFC 9649): chunks in a RIFF container, whose header tells their size and which kinds there are.

use super::blob_reader::BlobReader;
use super::edits::Edits;
use super::exif;
use crate::error::Result;

/// The longest EXIF chunk that is looked at for the orientation, in bytes.
const MAX_EXIF_BYTES: u32 = 64 * 1024;
const KEPT: [&[u8; 4]; 7] = [b"VP8 ", b"VP8L", b"VP8X", b"ALPH", b"ANIM", b"ANMF", b"ICCP"];
/// Flags of the header (2.7).
const HAS_EXIF: u8 = 0x08;
const HAS_XMP: u8 = 0x04;

/// What follows the container is left out as well.
pub(super) async fn find(reader: &mut BlobReader) -> Result<Edits> {
    let Some([_, _, _, _, a, b, c, d]) = reader.array::<8>(0).await? else { return Ok(Edits::default()) };
    let riff_end = (8 + u64::from(u32::from_le_bytes([a, b, c, d]))).min(reader.size());
    let (mut edits, mut at, mut flags, mut upright) = (Edits::default(), 12, None, true);
    while let Some([k0, k1, k2, k3, a, b, c, d]) = reader.array::<8>(at).await? {
        let (kind, length) = ([k0, k1, k2, k3], u32::from_le_bytes([a, b, c, d]));
        let end = at + 8 + u64::from(length) + u64::from(length % 2);
        if end > riff_end {
            break;
        }
        if &kind == b"VP8X" {
            flags = reader.array::<1>(at + 8).await?.map(|[flags]| (at + 8, flags));
        }
        if &kind == b"EXIF" && length <= MAX_EXIF_BYTES && upright {
            let data = reader.bytes(at + 8, length as usize).await?;
            let kept = exif::orientation(&data).map(exif::minimal);
            upright = kept.is_none();
            edits.replace(at..end, kept.map(|tiff| chunk(&tiff)).unwrap_or_default());
        } else if !KEPT.contains(&&kind) {
            edits.remove(at..end);
        }
        at = end;
    }
    if at == riff_end {
        edits.remove(at..reader.size());
    }
    if !edits.is_empty() {
        let size = u32::try_from(reader.size().saturating_sub(edits.saved() + 8)).unwrap_or(u32::MAX);
        edits.replace(4..8, size.to_le_bytes().to_vec());
        if let Some((at, flags)) = flags {
            let gone = if upright { HAS_EXIF | HAS_XMP } else { HAS_XMP };
            edits.replace(at..at + 1, vec![flags & !gone]);
        }
    }
    Ok(edits)
}

/// An EXIF chunk; the data have an even length.
fn chunk(data: &[u8]) -> Vec<u8> {
    let length = u32::try_from(data.len()).unwrap_or(0);
    [b"EXIF", length.to_le_bytes().as_slice(), data].concat()
}
