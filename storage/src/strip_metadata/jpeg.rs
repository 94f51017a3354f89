//! Removes metadata from JPEG files (ITU-T T.81, annex B). A JPEG file consists of segments, which begin with markers. Compressed data
//! follows each start-of-scan segment.

use std::ops::Range;

use super::blob_reader::{BlobReader, WINDOW_BYTES};
use super::edits::Edits;
use super::{broken, exif, icc};
use crate::error::Result;

const START_OF_IMAGE: u8 = 0xd8;
const START_OF_SCAN: u8 = 0xda;
const END_OF_IMAGE: u8 = 0xd9;
const NUMBER_OF_LINES: u8 = 0xdc;
/// Size in bytes of the standard content of a JFIF segment. Additional content is a thumbnail or arbitrary data and is removed.
const JFIF_BYTES: usize = 14;
/// Thumbnail width and height in a JFIF segment that contains no thumbnail.
const NO_PREVIEW: [u8; 2] = [0; 2];
const ADOBE_BYTES: usize = 12;
/// Beginning of a JPEG segment with a part of a colour profile. After it come the number of this part and the total number of parts.
const PROFILE_NAME: &[u8] = b"ICC_PROFILE\0";

/// Finds the segments to remove from a JPEG. Application segments are kept only if they contain the colour profile or the colour encoding;
/// EXIF data is reduced to the orientation. Bytes between segments and after the end of the image (a video, a second image) are removed. A
/// file that ends within the compressed data is accepted, because all of its segments have been parsed.
pub(super) async fn find(reader: &mut BlobReader) -> Result<Edits> {
    let mut walk = Walk { edits: Edits::default(), profile: Vec::new(), is_oriented: false };
    let (mut at, mut has_scan) = (2, false);
    loop {
        let next = next_marker(reader, at).await?;
        let Some((place, marker)) = next else {
            walk.edits.remove(at..reader.size());
            break;
        };
        walk.edits.remove(at..place);
        at = match marker {
            END_OF_IMAGE => {
                walk.edits.remove(place + 2..reader.size());
                break;
            }
            // Markers that have no segment.
            0x01 | 0xd0..=0xd7 => place + 2,
            START_OF_IMAGE | 0x02..=0xbf => return Err(broken("JPEG")),
            _ => {
                let end = segment_end(reader, place).await?;
                let content = reader.bytes(place + 4, usize::try_from(end - place - 4).unwrap_or(WINDOW_BYTES)).await?;
                walk.segment(marker, place..end, &content)?;
                has_scan |= marker == START_OF_SCAN;
                if marker == START_OF_SCAN { after_scan(reader, end).await? } else { end }
            }
        };
    }
    if !has_scan {
        return Err(broken("JPEG"));
    }
    walk.check_profile();
    Ok(walk.edits)
}

struct Walk {
    edits: Edits,
    /// Parts of the colour profile found so far.
    profile: Vec<ProfilePiece>,
    is_oriented: bool,
}

struct ProfilePiece {
    segment: Range<u64>,
    number: u8,
    count: u8,
    head: Vec<u8>,
    length: u64,
}

impl Walk {
    fn segment(&mut self, marker: u8, place: Range<u64>, content: &[u8]) -> Result<()> {
        match marker {
            // The JFIF segment keeps version and density and loses its thumbnail.
            0xe0 if content.starts_with(b"JFIF\0") => {
                if content.get(JFIF_BYTES - 2..) != Some(NO_PREVIEW.as_slice()) {
                    let kept = content.get(..JFIF_BYTES - 2).map(|kept| [kept, NO_PREVIEW.as_slice()].concat());
                    self.shorten(marker, place, kept);
                }
            }
            0xee if content.starts_with(b"Adobe") => {
                if content.len() != ADOBE_BYTES {
                    self.shorten(marker, place, content.get(..ADOBE_BYTES).map(<[u8]>::to_vec));
                }
            }
            0xe2 if content.starts_with(PROFILE_NAME) => match content.strip_prefix(PROFILE_NAME) {
                Some([number, count, data @ ..]) => {
                    let head = data.get(..icc::HEAD_BYTES).unwrap_or(data).to_vec();
                    let length = data.len() as u64;
                    self.profile.push(ProfilePiece { segment: place, number: *number, count: *count, head, length });
                }
                _ => self.edits.remove(place),
            },
            0xe1 if content.starts_with(exif::PREFIX) => match exif::orientation(content) {
                Some(orientation) if !self.is_oriented => {
                    self.is_oriented = true;
                    let data = [exif::PREFIX, &exif::minimal(orientation)].concat();
                    self.edits.replace(place, segment(marker, &data));
                }
                _ => self.edits.remove(place),
            },
            // Segments of tables, frames and scans are kept.
            0xc0..=0xc7 | 0xc9..=0xcf | START_OF_SCAN | 0xdb | 0xdd..=0xdf => {}
            NUMBER_OF_LINES if content.len() == 2 => {}
            NUMBER_OF_LINES => return Err(broken("JPEG")),
            // Other application segments, comments (0xfe), and unknown segments are removed.
            _ => self.edits.remove(place),
        }
        Ok(())
    }

    /// Replaces a segment with a shorter segment, or removes the segment if `content` is `None`.
    fn shorten(&mut self, marker: u8, place: Range<u64>, content: Option<Vec<u8>>) {
        self.edits.replace(place, content.map(|content| segment(marker, &content)).unwrap_or_default());
    }

    /// Removes the parts of the colour profile if they do not form a valid profile together.
    fn check_profile(&mut self) {
        let pieces = &self.profile;
        let are_all = pieces
            .iter()
            .zip(1..=u8::MAX)
            .all(|(piece, number)| piece.number == number && usize::from(piece.count) == pieces.len());
        let length: u64 = pieces.iter().map(|piece| piece.length).sum();
        let is_profile = are_all
            && pieces.len() <= usize::from(u8::MAX)
            && pieces.first().is_some_and(|first| icc::is_profile(&first.head, length));
        if !is_profile {
            for piece in std::mem::take(&mut self.profile) {
                self.edits.remove(piece.segment);
            }
        }
    }
}

fn segment(marker: u8, content: &[u8]) -> Vec<u8> {
    let length = u16::try_from(2 + content.len()).unwrap_or(u16::MAX);
    [&[0xff, marker], length.to_be_bytes().as_slice(), content].concat()
}

/// Returns the offset of the end of a segment.
async fn segment_end(reader: &mut BlobReader, place: u64) -> Result<u64> {
    let length = reader.array::<2>(place + 2).await?.map(u16::from_be_bytes).filter(|length| *length >= 2);
    let end = length.map(|length| place + 2 + u64::from(length)).filter(|end| *end <= reader.size());
    end.ok_or_else(|| broken("JPEG"))
}

/// Returns the offset and type of the next marker. Skips bytes before the marker, including fill bytes and stuffed zeros, as decoders do.
/// `None` if the file contains no further marker.
async fn next_marker(reader: &mut BlobReader, mut at: u64) -> Result<Option<(u64, u8)>> {
    loop {
        let window = reader.bytes(at, WINDOW_BYTES).await?;
        let marker = |pair: &[u8]| matches!(pair, [0xff, 0x01..=0xfe]);
        if let Some(found) = window.windows(2).position(marker) {
            let kind = window.get(found + 1).copied();
            return Ok(kind.map(|kind| (at + found as u64, kind)));
        }
        if window.len() < 2 {
            return Ok(None);
        }
        at += window.len() as u64 - 1;
    }
}

/// Returns the offset of the first marker after compressed data. Restart markers and stuffed zeros are part of the compressed data.
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
