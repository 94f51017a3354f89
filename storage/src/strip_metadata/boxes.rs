//! Boxes (ISO/IEC 14496-12, 4.2): a size, a type, content. HEIF, AVIF and JPEG XL files are made of them.

use std::ops::Range;

use super::blob_reader::BlobReader;
use super::edits::Edits;
use crate::error::Result;

/// The most boxes in one place that are looked at.
const MAX_BOXES: usize = 1000;
/// The type of a box that readers skip.
const FREE: &[u8] = b"free";

/// A box: its type, and where it, its content and its end are.
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

    /// Makes it one that is skipped and holds zeros: what follows stays where it is.
    pub(super) fn hide(self, edits: &mut Edits) {
        edits.replace(self.start + 4..self.start + 8, FREE);
        // The size of a large box is behind the type.
        edits.blank(self.content..self.end);
    }
}

/// The boxes that fill a range; `None` where they do not end with it, or are too many.
pub(super) async fn boxes(reader: &mut BlobReader, range: Range<u64>) -> Result<Option<Vec<FileBox>>> {
    let (mut found, mut at) = (Vec::new(), range.start);
    while at < range.end {
        let Some([a, b, c, d, kind @ ..]) = reader.array::<8>(at).await? else { return Ok(None) };
        let (size, header) = match u32::from_be_bytes([a, b, c, d]) {
            // To the end.
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
