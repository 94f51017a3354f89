//! JPEG (ITU-T T.81, annex B): segments with markers, compressed data after each start of scan.

use super::blob_reader::{BlobReader, WINDOW_BYTES};
use super::edits::Edits;
use super::exif;
use crate::error::Result;

const START_OF_SCAN: u8 = 0xda;
const END_OF_IMAGE: u8 = 0xd9;
const COMMENT: u8 = 0xfe;

/// Finds the segments to remove. Application segments stay only where they hold the colour profile or the colour encoding; EXIF is reduced
/// to the orientation. What follows the end of the image (a video, a second image) is removed.
pub(super) async fn find(reader: &mut BlobReader) -> Result<Edits> {
    let (mut edits, mut at) = (Edits::default(), 2);
    loop {
        let head = reader.bytes(at, 4).await?;
        let (marker, length) = match *head {
            [0xff, END_OF_IMAGE, ..] => {
                edits.remove(at + 2..reader.size());
                return Ok(edits);
            }
            // A filling byte, or a marker without a segment.
            [0xff, 0xff, ..] => {
                at += 1;
                continue;
            }
            [0xff, 0x01 | 0xd0..=0xd7, ..] => {
                at += 2;
                continue;
            }
            [0xff, marker @ 0xc0..=0xfe, high, low] => (marker, u16::from_be_bytes([high, low])),
            _ => return Ok(edits),
        };
        let end = at + 2 + u64::from(length);
        if length < 2 || end > reader.size() {
            return Ok(edits);
        }
        let content = reader.bytes(at + 4, usize::from(length) - 2).await?;
        match marker {
            0xe0 if content.starts_with(b"JFIF\0") => {}
            0xe2 if content.starts_with(b"ICC_PROFILE\0") => {}
            0xee if content.starts_with(b"Adobe") => {}
            0xe1 if content.starts_with(exif::PREFIX) => match exif::orientation(&content) {
                Some(orientation) => edits.replace(at..end, segment(&exif::minimal(orientation))),
                None => edits.remove(at..end),
            },
            0xe0..=0xef | COMMENT => edits.remove(at..end),
            _ => {}
        }
        at = if marker == START_OF_SCAN { after_scan(reader, end).await? } else { end };
    }
}

/// An APP1 segment with EXIF data.
fn segment(tiff: &[u8]) -> Vec<u8> {
    let length = u16::try_from(2 + exif::PREFIX.len() + tiff.len()).unwrap_or(u16::MAX);
    [&[0xff, 0xe1], length.to_be_bytes().as_slice(), exif::PREFIX, tiff].concat()
}

/// The first marker behind compressed data: restarts and stuffed zeros belong to them.
async fn after_scan(reader: &mut BlobReader, mut at: u64) -> Result<u64> {
    loop {
        let window = reader.bytes(at, WINDOW_BYTES).await?;
        let is_marker = |pair: &[u8]| matches!(pair, [0xff, 0x01..=0xcf | 0xd8..=0xfe]);
        if let Some(found) = window.windows(2).position(is_marker) {
            return Ok(at + found as u64);
        }
        if window.len() < 2 {
            return Ok(reader.size());
        }
        at += window.len() as u64 - 1;
    }
}
