//! Parses the tables of items in a HEIF file: the item types (`iinf`) and locations (`iloc`).

use std::collections::BTreeMap;
use std::ops::Range;

use super::super::{broken, refused};
use crate::error::Result;

/// Maximum number of extents of all items in a file.
const MAX_EXTENTS: usize = 10_000;
/// HEIF item types of coded or derived images.
const PICTURES: [&[u8; 4]; 15] = [
    b"hvc1", b"hev1", b"hvt1", b"lhv1", b"av01", b"avc1", b"vvc1", b"evc1", b"j2k1", b"unci", b"grid", b"iden",
    b"iovl", b"tmap", b"mski",
];
/// HEIF item type of an image that contains its own metadata.
const JPEG: &[u8; 4] = b"jpeg";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Picture,
    Exif,
    /// An XMP item, or an item of an unknown type.
    Other,
}

/// The location of an extent of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) id: u64,
    pub(super) range: Range<u64>,
    /// False if the extent is stored in another item or another file.
    pub(super) is_in_file: bool,
}

/// Returns the kinds of all items in an `iinf` table, by item id.
pub(super) fn kinds(table: &[u8]) -> Result<BTreeMap<u64, Kind>> {
    let mut kinds = BTreeMap::new();
    for (id, kind) in entries(table).ok_or_else(|| broken("HEIF"))? {
        let kind = match &kind {
            Some(kind) if kind == JPEG => return Err(refused("a JPEG inside of a HEIF file is not supported")),
            Some(kind) if PICTURES.contains(&kind) => Kind::Picture,
            Some([b'E', b'x', b'i', b'f']) => Kind::Exif,
            _ => Kind::Other,
        };
        kinds.insert(id, kind);
    }
    Ok(kinds)
}

/// Parses the item ids and types in an `iinf` table; `None` if the table is invalid. Entries of version 0 and 1 have a media type and no
/// item type.
fn entries(mut table: &[u8]) -> Option<Vec<(u64, Option<[u8; 4]>)>> {
    let version = number(&mut table, 1)?;
    number(&mut table, 3)?;
    let count = number(&mut table, if version == 0 { 2 } else { 4 })?;
    let mut found = Vec::new();
    while !table.is_empty() {
        let size = usize::try_from(number(&mut table, 4)?).ok()?;
        let (mut entry, rest) = table.split_at_checked(size.checked_sub(4)?)?;
        table = rest;
        if number(&mut entry, 4)? != u64::from(u32::from_be_bytes(*b"infe")) {
            return None;
        }
        let version = number(&mut entry, 1)?;
        number(&mut entry, 3)?;
        let id = number(&mut entry, if version >= 3 { 4 } else { 2 })?;
        number(&mut entry, 2)?;
        let kind = if version >= 2 { Some(*entry.first_chunk::<4>()?) } else { None };
        found.push((id, kind));
    }
    (u64::try_from(found.len()).ok()? == count).then_some(found)
}

/// Returns the locations of the extents of all items. `data` is the offset of the content of the `idat` box.
pub(super) fn places(table: &[u8], data: u64) -> Result<Vec<Place>> {
    extents(table, data).ok_or_else(|| broken("HEIF"))
}

fn extents(mut table: &[u8], data: u64) -> Option<Vec<Place>> {
    let version = number(&mut table, 1)?;
    number(&mut table, 3)?;
    let (sizes, more) = (number(&mut table, 1)?, number(&mut table, 1)?);
    let (offset_size, length_size, base_size) = (sizes >> 4, sizes & 15, more >> 4);
    let index_size = if version == 0 { 0 } else { more & 15 };
    let count = number(&mut table, if version < 2 { 2 } else { 4 })?;
    let mut found = Vec::new();
    for _ in 0..count {
        let id = number(&mut table, if version < 2 { 2 } else { 4 })?;
        let method = if version > 0 { number(&mut table, 2)? & 15 } else { 0 };
        let is_in_file = number(&mut table, 2)? == 0 && method < 2;
        let base = number(&mut table, base_size)?;
        for _ in 0..number(&mut table, 2)? {
            // An extent may take no bytes in the table, so the size of the table does not limit the number of extents.
            if found.len() >= MAX_EXTENTS {
                return None;
            }
            number(&mut table, index_size)?;
            let (offset, length) = (number(&mut table, offset_size)?, number(&mut table, length_size)?);
            let start = base.checked_add(offset)?.checked_add(if method == 1 { data } else { 0 })?;
            found.push(Place { id, range: start..start.checked_add(length)?, is_in_file });
        }
    }
    Some(found)
}

/// Parses a big-endian number of `size` bytes and advances `bytes`. `None` if fewer bytes are left.
fn number(bytes: &mut &[u8], size: u64) -> Option<u64> {
    let (head, rest) = bytes.split_at_checked(usize::try_from(size).ok().filter(|size| *size <= 8)?)?;
    *bytes = rest;
    Some(head.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}
