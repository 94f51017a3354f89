//! TIFF (6.0, section 2): directories of entries, whose values may be anywhere in the file. Nothing is moved: a directory loses entries,
//! and what they pointed at becomes zeros.

use std::collections::BTreeSet;

use super::edits::Edits;
use super::exif::Order;
use super::source::Source;
use crate::error::Result;

/// The most directories (pages, smaller versions) that are looked at.
const MAX_DIRECTORIES: usize = 256;
const SUB_DIRECTORIES: u16 = 330;
const EXIF: u16 = 34665;
const GPS: u16 = 34853;
/// Entries that say who, where, when and with what: description, make, model, software, date, artist, computer, XMP, copyright, IPTC,
/// Photoshop's, EXIF, GPS, image id, serial numbers.
const PRIVATE: [u16; 22] = [
    269, 270, 271, 272, 285, 305, 306, 315, 316, 700, 33432, 33723, 34377, EXIF, GPS, 37500, 37510, 37724, 42016,
    42032, 42033, 42037,
];
/// The bytes of a value, by the number of its type.
const VALUE_BYTES: [u64; 14] = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4];
const ENTRY_BYTES: usize = 12;

/// A directory as it stands in the file.
struct Directory {
    entries: Vec<[u8; ENTRY_BYTES]>,
    next: [u8; 4],
}

impl Directory {
    async fn read(source: &mut Source, order: Order, at: u64) -> Result<Option<Self>> {
        let Some(count) = source.array::<2>(at).await?.and_then(|count| order.short(&count, 0)) else {
            return Ok(None);
        };
        let length = usize::from(count) * ENTRY_BYTES;
        // Reads no further than the file goes, which a broken directory would.
        if at + 2 + length as u64 > source.size() {
            return Ok(None);
        }
        let mut entries = Vec::new();
        for index in 0..usize::from(count) {
            let Some(entry) = source.array(at + 2 + (index * ENTRY_BYTES) as u64).await? else { return Ok(None) };
            entries.push(entry);
        }
        let next = source.array(at + 2 + length as u64).await?.unwrap_or_default();
        Ok(Some(Self { entries, next }))
    }

    fn bytes(&self) -> u64 {
        (2 + self.entries.len() * ENTRY_BYTES + 4) as u64
    }
}

pub(super) async fn find(source: &mut Source) -> Result<Edits> {
    let mut edits = Edits::default();
    let head = source.bytes(0, 8).await?;
    let Some(order) = Order::of(&head) else { return Ok(edits) };
    let mut waiting: Vec<u64> = order.long(&head, 4).map(u64::from).into_iter().collect();
    let mut seen = BTreeSet::new();
    while let Some(at) = waiting.pop() {
        if at == 0 || seen.len() >= MAX_DIRECTORIES || !seen.insert(at) {
            continue;
        }
        let Some(directory) = Directory::read(source, order, at).await? else { continue };
        waiting.extend(order.long(&directory.next, 0).map(u64::from));
        let mut kept = Vec::new();
        for entry in &directory.entries {
            let tag = order.short(entry, 0).unwrap_or_default();
            if tag == SUB_DIRECTORIES {
                waiting.extend(places(source, order, entry).await?);
            }
            if !PRIVATE.contains(&tag) {
                kept.extend_from_slice(entry);
                continue;
            }
            if (tag == EXIF || tag == GPS)
                && let Some(below) = order.long(entry, 8)
            {
                blank_directory(source, order, u64::from(below), &mut edits).await?;
            }
            blank_value(source, order, entry, &mut edits);
        }
        let count = kept.len() / ENTRY_BYTES;
        if count < directory.entries.len() {
            let count = order.short_bytes(u16::try_from(count).unwrap_or(0));
            let mut written = [count.as_slice(), &kept, &directory.next].concat();
            written.resize(usize::try_from(directory.bytes()).unwrap_or(0), 0);
            let end = (at + directory.bytes()).min(source.size());
            written.truncate(usize::try_from(end - at).unwrap_or(0));
            edits.replace(at..end, written);
        }
    }
    Ok(edits)
}

/// The directories that an entry lists.
async fn places(source: &mut Source, order: Order, entry: &[u8; ENTRY_BYTES]) -> Result<Vec<u64>> {
    let (count, value) = (order.long(entry, 4).unwrap_or(0), order.long(entry, 8).unwrap_or(0));
    if count <= 1 {
        return Ok(vec![value.into()]);
    }
    let listed = source.bytes(value.into(), 4 * (count as usize).min(MAX_DIRECTORIES)).await?;
    Ok((0..listed.len() / 4).filter_map(|index| order.long(&listed, 4 * index)).map(u64::from).collect())
}

/// Makes a directory of EXIF or GPS, and all that it points at, zeros.
async fn blank_directory(source: &mut Source, order: Order, at: u64, edits: &mut Edits) -> Result<()> {
    if let Some(directory) = Directory::read(source, order, at).await? {
        for entry in &directory.entries {
            blank_value(source, order, entry, edits);
        }
        edits.blank(at..(at + directory.bytes()).min(source.size()));
    }
    Ok(())
}

/// Makes the value of an entry zeros, where it stands outside of the entry.
fn blank_value(source: &Source, order: Order, entry: &[u8; ENTRY_BYTES], edits: &mut Edits) {
    let kind = usize::from(order.short(entry, 2).unwrap_or(0));
    let count = u64::from(order.long(entry, 4).unwrap_or(0));
    let length = VALUE_BYTES.get(kind).copied().unwrap_or(0) * count;
    let start = u64::from(order.long(entry, 8).unwrap_or(0));
    // No farther than the file: the length is what somebody wrote.
    if length > 4 && start.checked_add(length).is_some_and(|end| end <= source.size()) {
        edits.blank(start..start + length);
    }
}
