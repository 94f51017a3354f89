//! Removes metadata from PNG files (third edition, chapter 5). A PNG file consists of chunks with a length, a type, data and a checksum.

use super::blob_reader::BlobReader;
use super::edits::Edits;
use super::{broken, exif};
use crate::error::Result;

/// Maximum size of an EXIF chunk from which the orientation is read, in bytes. Larger chunks are removed.
const MAX_EXIF_BYTES: u32 = 64 * 1024;
/// PNG chunks that are needed for the image. Text, time, EXIF and private chunks are removed.
const KEPT: [&[u8; 4]; 22] = [
    b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"cHRM", b"gAMA", b"iCCP", b"sBIT", b"sRGB", b"cICP", b"mDCV",
    b"cLLI", b"mDCv", b"cLLi", b"bKGD", b"hIST", b"pHYs", b"sPLT", b"acTL", b"fcTL", b"fdAT",
];

/// Finds the chunks to remove from a PNG. Bytes after the last chunk are removed as well.
pub(super) async fn find(reader: &mut BlobReader) -> Result<Edits> {
    let (mut edits, mut at) = (Edits::default(), 8);
    loop {
        let head = reader.array::<8>(at).await?;
        let [a, b, c, d, kind @ ..] = head.ok_or_else(|| broken("PNG"))?;
        let length = u32::from_be_bytes([a, b, c, d]);
        let end = at + 12 + u64::from(length);
        if end > reader.size() || !kind.iter().all(u8::is_ascii_alphabetic) {
            return Err(broken("PNG"));
        }
        if &kind == b"eXIf" && length <= MAX_EXIF_BYTES {
            let data = reader.bytes(at + 8, length as usize).await?;
            let kept = exif::orientation(&data).map(|orientation| chunk(b"eXIf", &exif::minimal(orientation)));
            edits.replace(at..end, kept.unwrap_or_default());
        } else if !KEPT.contains(&&kind) {
            edits.remove(at..end);
        }
        at = end;
        if &kind == b"IEND" {
            edits.remove(at..reader.size());
            return Ok(edits);
        }
    }
}

fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let checked = [kind.as_slice(), data].concat();
    let length = u32::try_from(data.len()).unwrap_or(0);
    [&length.to_be_bytes(), checked.as_slice(), &crc32fast::hash(&checked).to_be_bytes()].concat()
}
