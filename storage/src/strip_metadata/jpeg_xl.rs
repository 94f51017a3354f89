//! Removes metadata from JPEG XL files that consist of boxes (ISO/IEC 18181-2): all boxes that are not needed for the image are removed.
//! Orientation and colour profile are part of the codestream and are therefore kept.

use super::blob_reader::BlobReader;
use super::boxes::boxes;
use super::broken;
use super::edits::Edits;
use crate::error::Result;

/// Boxes that are kept: signature, file type, level, codestream, and frame index.
const KEPT: [&[u8; 4]; 6] = [b"JXL ", b"ftyp", b"jxll", b"jxlc", b"jxlp", b"jxli"];

pub(super) async fn find(reader: &mut BlobReader) -> Result<Edits> {
    let boxes = boxes(reader, 0..reader.size()).await?.ok_or_else(|| broken("JPEG XL"))?;
    if !boxes.iter().any(|one| matches!(&one.kind, b"jxlc" | b"jxlp")) {
        return Err(broken("JPEG XL"));
    }
    let mut edits = Edits::default();
    for one in boxes.into_iter().filter(|one| !KEPT.contains(&&one.kind)) {
        edits.remove(one.start..one.end);
    }
    Ok(edits)
}
