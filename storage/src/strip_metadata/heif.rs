//! HEIF and AVIF (ISO/IEC 23008-12, 14496-12): EXIF and XMP are items, whose offsets in the file a table has. The table and the pixels
//! stay where they are, and the items become empty ones of the same length. Orientation is a property of the image here.

use std::collections::BTreeMap;
use std::ops::Range;

use super::blob_reader::{BlobReader, WINDOW_BYTES};
use super::edits::Edits;
use super::exif;
use crate::error::Result;

/// The most boxes at the top of a file, and parts of items in it, that are looked at.
const MAX_BOXES: usize = 100;
const MAX_EXTENTS: usize = 10_000;
/// Before EXIF data stands where in them the TIFF structure begins.
const TIFF_OFFSET: [u8; 4] = [0; 4];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Exif,
    /// XMP, and whatever else is described by a media type.
    Mime,
}

pub(super) async fn find(reader: &mut BlobReader) -> Result<Edits> {
    let (mut edits, mut at) = (Edits::default(), 0);
    for _ in 0..MAX_BOXES {
        let Some([a, b, c, d, kind @ ..]) = reader.array::<8>(at).await? else { break };
        let size = match u32::from_be_bytes([a, b, c, d]) {
            0 => reader.size() - at,
            1 => reader.array::<8>(at + 8).await?.map_or(0, u64::from_be_bytes),
            size => u64::from(size),
        };
        if size < 8 {
            break;
        }
        if &kind == b"meta" && size <= WINDOW_BYTES as u64 {
            let length = usize::try_from(size).unwrap_or(WINDOW_BYTES);
            let content = reader.bytes(at, length).await?;
            items(&content, at, reader.size(), &mut edits);
            break;
        }
        at = at.saturating_add(size);
    }
    Ok(edits)
}

/// Empties the items of a `meta` box that stands at a place in the file.
fn items(meta: &[u8], start: u64, size: u64, edits: &mut Edits) {
    // Size, type, version and flags.
    let boxes = boxes(meta, 12);
    let content = |kind: &[u8; 4]| boxes.iter().find(|(found, _)| found == kind).map(|(_, range)| range.clone());
    let Some(kinds) = content(b"iinf").and_then(|range| meta.get(range)).and_then(kinds) else { return };
    let data = content(b"idat").map_or(0, |range| start + range.start as u64);
    let Some(extents) = content(b"iloc").and_then(|range| meta.get(range)).and_then(|table| extents(table, data))
    else {
        return;
    };
    for (id, range) in extents {
        let Some(kind) = kinds.get(&id) else { continue };
        if range.end > size {
            continue;
        }
        let empty = [TIFF_OFFSET.as_slice(), &exif::minimal(1)].concat();
        let start = range.start + if *kind == Kind::Exif { empty.len() as u64 } else { 0 };
        if *kind == Kind::Exif && start <= range.end {
            edits.replace(range.start..start, empty);
            edits.blank(start..range.end);
        } else {
            edits.blank(range);
        }
    }
}

/// The boxes in a box, from a place on: their types and where their contents are.
fn boxes(bytes: &[u8], mut at: usize) -> Vec<([u8; 4], Range<usize>)> {
    let mut found = Vec::new();
    while let Some([a, b, c, d, kind @ ..]) = bytes.get(at..at + 8).and_then(|head| <[u8; 8]>::try_from(head).ok()) {
        let size = u32::from_be_bytes([a, b, c, d]) as usize;
        let Some(end) = at.checked_add(size).filter(|end| size >= 8 && *end <= bytes.len()) else { break };
        found.push((kind, at + 8..end));
        at = end;
    }
    found
}

/// The items that are metadata (`iinf`).
fn kinds(mut table: &[u8]) -> Option<BTreeMap<u64, Kind>> {
    let version = number(&mut table, 1)?;
    number(&mut table, 3)?;
    number(&mut table, if version == 0 { 2 } else { 4 })?;
    let entry = |range: Range<usize>| -> Option<(u64, Kind)> {
        let mut entry = table.get(range)?;
        let version = number(&mut entry, 1)?;
        number(&mut entry, 3)?;
        let id = number(&mut entry, if version >= 3 { 4 } else { 2 })?;
        number(&mut entry, 2)?;
        match entry.get(..4)? {
            b"Exif" => Some((id, Kind::Exif)),
            b"mime" => Some((id, Kind::Mime)),
            _ => None,
        }
    };
    Some(boxes(table, 0).into_iter().filter_map(|(_, range)| entry(range)).collect())
}

/// Where items are (`iloc`): their ids and ranges of the file. `data` is where the box with small items begins.
fn extents(mut table: &[u8], data: u64) -> Option<Vec<(u64, Range<u64>)>> {
    let version = number(&mut table, 1)?;
    number(&mut table, 3)?;
    let (sizes, more) = (number(&mut table, 1)?, number(&mut table, 1)?);
    let (offset_size, length_size, base_size) = (sizes >> 4, sizes & 15, more >> 4);
    let index_size = if version == 0 { 0 } else { more & 15 };
    let count = number(&mut table, if version < 2 { 2 } else { 4 })?;
    let mut found = Vec::new();
    for _ in 0..count {
        let id = number(&mut table, if version < 2 { 2 } else { 4 })?;
        let in_data = version > 0 && number(&mut table, 2)? & 15 == 1;
        number(&mut table, 2)?;
        let base = number(&mut table, base_size)?;
        for _ in 0..number(&mut table, 2)? {
            // Their sizes may be zero: only this bounds their number.
            if found.len() >= MAX_EXTENTS {
                return Some(found);
            }
            number(&mut table, index_size)?;
            let (offset, length) = (number(&mut table, offset_size)?, number(&mut table, length_size)?);
            let start = base.checked_add(offset)?.checked_add(if in_data { data } else { 0 })?;
            found.push((id, start..start.checked_add(length)?));
        }
    }
    Some(found)
}

/// Takes a number of so many bytes off the front.
fn number(bytes: &mut &[u8], size: u64) -> Option<u64> {
    let (head, rest) = bytes.split_at_checked(usize::try_from(size).ok().filter(|size| *size <= 8)?)?;
    *bytes = rest;
    Some(head.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}
