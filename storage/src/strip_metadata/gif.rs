//! GIF89a: blocks, of which comments and what programs add (XMP among it) are left out.

use super::blob_reader::BlobReader;
use super::edits::Edits;
use crate::error::Result;

const COMMENT: u8 = 0xfe;
const APPLICATION: u8 = 0xff;
/// Applications whose blocks say how an animation repeats, or hold the colour profile.
const KEPT: [&[u8]; 3] = [b"NETSCAPE2.0", b"ANIMEXTS1.0", b"ICCRGBG1012"];

/// What follows the last block is left out as well.
pub(super) async fn find(reader: &mut BlobReader) -> Result<Edits> {
    let mut edits = Edits::default();
    let Some([.., flags, _, _]) = reader.array::<13>(0).await? else { return Ok(edits) };
    let mut at = 13 + table(flags);
    loop {
        let head = reader.bytes(at, 14).await?;
        let end = match *head {
            [0x3b, ..] => {
                edits.remove(at + 1..reader.size());
                return Ok(edits);
            }
            [0x21, ..] => after_blocks(reader, at + 2).await?,
            // A picture: position, perhaps a table of colours, the size of the codes, the codes.
            [0x2c, _, _, _, _, _, _, _, _, flags, ..] => after_blocks(reader, at + 11 + table(flags)).await?,
            _ => return Ok(edits),
        };
        let Some(end) = end else { return Ok(edits) };
        match *head {
            [0x21, COMMENT, ..] => edits.remove(at..end),
            [0x21, APPLICATION, _, ref name @ ..] if !KEPT.contains(&name) => edits.remove(at..end),
            _ => {}
        }
        at = end;
    }
}

/// The bytes of a table of colours.
fn table(flags: u8) -> u64 {
    if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 7) + 1) }
}

/// Where a row of blocks ends; none where the file ends before.
async fn after_blocks(reader: &mut BlobReader, mut at: u64) -> Result<Option<u64>> {
    while let Some([length]) = reader.array::<1>(at).await? {
        at += 1 + u64::from(length);
        if length == 0 {
            return Ok(Some(at));
        }
    }
    Ok(None)
}
