//! Parses boxes (ISO/IEC 14496-12, 4.2), which consist of a size, a type and content. HEIF, AVIF and JPEG XL files consist of boxes.

use std::ops::Range;

use super::blob_reader::BlobReader;
use super::edits::Edits;
use crate::error::Result;

/// Maximum number of sibling boxes that are parsed.
const MAX_BOXES: usize = 1000;
/// Type of a box whose content readers ignore.
const FREE: &[u8] = b"free";

/// A box: its type, and the offsets of its start, content and end in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileBox {
    pub(super) kind: [u8; 4],
    pub(super) start: u64,
    pub(super) content: u64,
    pub(super) end: u64,
}

impl FileBox {
    pub(super) fn content(self) -> Range<u64> {
        self.content..self.end
    }

    /// Changes the box to type `free` and its content to zeros, so that readers skip it and the offsets of later boxes do not change.
    pub(super) fn hide(self, edits: &mut Edits) {
        edits.replace(self.start + 4..self.start + 8, FREE);
        // If the box has a 64-bit size, this size follows the type and is not overwritten.
        edits.blank(self.content..self.end);
    }
}

/// Parses the boxes of a range. `None` if the boxes do not exactly fill the range or exceed [`MAX_BOXES`].
pub(super) async fn boxes(reader: &mut BlobReader, range: Range<u64>) -> Result<Option<Vec<FileBox>>> {
    let (mut found, mut at) = (Vec::new(), range.start);
    while at < range.end {
        let Some([a, b, c, d, kind @ ..]) = reader.array::<8>(at).await? else { return Ok(None) };
        let (size, header) = match u32::from_be_bytes([a, b, c, d]) {
            // The size 0 means that the box extends to the end of the file.
            0 => (range.end - at, 8),
            1 => (reader.array::<8>(at + 8).await?.map_or(0, u64::from_be_bytes), 16),
            size => (u64::from(size), 8),
        };
        let end = at.checked_add(size).filter(|end| size >= header && *end <= range.end);
        let Some(end) = end.filter(|_| found.len() < MAX_BOXES) else { return Ok(None) };
        found.push(FileBox { kind, start: at, content: at + header, end });
        at = end;
    }
    Ok(Some(found))
}
