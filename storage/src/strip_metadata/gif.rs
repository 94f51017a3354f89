//! Removes comments and application extensions (including XMP) from GIF89a files.

use std::ops::Range;

use super::blob_reader::BlobReader;
use super::edits::Edits;
use super::{broken, icc};
use crate::error::Result;

const COMMENT: u8 = 0xfe;
const APPLICATION: u8 = 0xff;
/// Application names of GIF extensions that contain the repeat count of an animation, in a single sub-block of three bytes.
const REPETITION: [&[u8]; 2] = [b"NETSCAPE2.0", b"ANIMEXTS1.0"];
/// Application name of the GIF extension that contains the colour profile.
const PROFILE: &[u8] = b"ICCRGBG1012";
/// Offset of the sub-blocks in an application extension.
const APPLICATION_BYTES: u64 = 14;
const REPETITION_BYTES: u64 = APPLICATION_BYTES + 5;

/// Finds the blocks to remove from a GIF. Bytes after the trailer are removed as well. The trailer may be missing.
pub(super) async fn find(reader: &mut BlobReader) -> Result<Edits> {
    let mut edits = Edits::default();
    let head = reader.array::<13>(0).await?;
    let [.., flags, _, _] = head.ok_or_else(|| broken("GIF"))?;
    let (mut at, mut has_picture) = (13 + table(flags), false);
    loop {
        let head = reader.bytes(at, 14).await?;
        let end = match *head {
            [0x3b, ..] => {
                edits.remove(at + 1..reader.size());
                return Ok(edits);
            }
            [] if has_picture && at == reader.size() => return Ok(edits),
            [0x21, ..] => after_blocks(reader, at + 2).await?,
            // An image block: position, optional colour table, code size, compressed codes.
            [0x2c, _, _, _, _, _, _, _, _, flags, ..] => {
                has_picture = true;
                after_blocks(reader, at + 11 + table(flags)).await?
            }
            _ => return Err(broken("GIF")),
        };
        let is_removed = match *head {
            [0x21, COMMENT, ..] => true,
            [0x21, APPLICATION, _, ref name @ ..] => !is_kept(reader, name, at..end).await?,
            _ => false,
        };
        if is_removed {
            edits.remove(at..end);
        }
        at = end;
    }
}

async fn is_kept(reader: &mut BlobReader, name: &[u8], block: Range<u64>) -> Result<bool> {
    if name == PROFILE {
        let data = reader.bytes(block.start + APPLICATION_BYTES + 1, icc::HEAD_BYTES).await?;
        return Ok(icc::has_signature(&data));
    }
    Ok(REPETITION.contains(&name) && block.end - block.start == REPETITION_BYTES)
}

/// Returns the size of a colour table in bytes.
fn table(flags: u8) -> u64 {
    if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 7) + 1) }
}

/// Returns the offset of the end of a sequence of sub-blocks.
async fn after_blocks(reader: &mut BlobReader, mut at: u64) -> Result<u64> {
    while let Some([length]) = reader.array::<1>(at).await? {
        at += 1 + u64::from(length);
        if length == 0 {
            return Ok(at);
        }
    }
    Err(broken("GIF"))
}
