//! TIFF (6.0, section 2): directories of entries, whose values may be anywhere in the file. Nothing is moved: a directory loses entries,
//! and what they pointed at becomes zeros.

use std::collections::BTreeSet;

use super::blob_reader::BlobReader;
use super::edits::Edits;
use super::exif::Order;
use crate::error::Result;

/// The most directories (pages, smaller versions, EXIF) and lists of them that are read: each may be anywhere.
const MAX_READS: usize = 256;
/// The most entries of all directories together.
const MAX_ENTRIES: usize = 100_000;
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
    fn bytes(&self) -> u64 {
        (2 + self.entries.len() * ENTRY_BYTES + 4) as u64
    }
}

pub(super) async fn find(reader: &mut BlobReader) -> Result<Edits> {
    let head = reader.bytes(0, 8).await?;
    let Some(order) = Order::of(&head) else { return Ok(Edits::default()) };
    let mut walk = Walk { reader, order, edits: Edits::default(), reads: MAX_READS, entries: MAX_ENTRIES };
    let mut waiting: Vec<u64> = order.long(&head, 4).map(u64::from).into_iter().collect();
    let mut seen = BTreeSet::new();
    while let Some(at) = waiting.pop() {
        if at != 0 && seen.insert(at) {
            waiting.extend(walk.directory(at).await?);
        }
    }
    Ok(walk.edits)
}

/// A walk through the directories of a file, with what is left of its bounds.
struct Walk<'a> {
    reader: &'a mut BlobReader,
    order: Order,
    edits: Edits,
    reads: usize,
    entries: usize,
}

impl Walk<'_> {
    /// Reads a directory; none where the file or a bound ends before it does.
    async fn read(&mut self, at: u64) -> Result<Option<Directory>> {
        if self.reads == 0 {
            return Ok(None);
        }
        self.reads -= 1;
        let count = self.reader.array::<2>(at).await?.and_then(|count| self.order.short(&count, 0));
        let Some(count) = count.map(usize::from).filter(|count| *count <= self.entries) else { return Ok(None) };
        self.entries -= count;
        let mut entries = Vec::new();
        for index in 0..count {
            let Some(entry) = self.reader.array(at + 2 + (index * ENTRY_BYTES) as u64).await? else { return Ok(None) };
            entries.push(entry);
        }
        let next = self.reader.array(at + 2 + (count * ENTRY_BYTES) as u64).await?;
        Ok(next.map(|next| Directory { entries, next }))
    }

    /// Takes the private entries out of a directory; returns where others are.
    async fn directory(&mut self, at: u64) -> Result<Vec<u64>> {
        let Some(directory) = self.read(at).await? else { return Ok(Vec::new()) };
        let mut others: Vec<u64> = self.order.long(&directory.next, 0).map(u64::from).into_iter().collect();
        let mut kept = Vec::new();
        for entry in &directory.entries {
            let tag = self.order.short(entry, 0).unwrap_or_default();
            if tag == SUB_DIRECTORIES {
                others.extend(self.places(entry).await?);
            }
            if !PRIVATE.contains(&tag) {
                kept.extend_from_slice(entry);
                continue;
            }
            if tag == EXIF || tag == GPS {
                self.blank_directory(self.order.long(entry, 8).unwrap_or(0).into()).await?;
            }
            self.blank_value(entry);
        }
        let count = kept.len() / ENTRY_BYTES;
        if count < directory.entries.len() {
            let count = self.order.short_bytes(u16::try_from(count).unwrap_or(0));
            let mut written = [count.as_slice(), &kept, &directory.next].concat();
            written.resize(usize::try_from(directory.bytes()).unwrap_or(0), 0);
            self.edits.replace(at..at + directory.bytes(), written);
        }
        Ok(others)
    }

    /// The directories that an entry lists.
    async fn places(&mut self, entry: &[u8; ENTRY_BYTES]) -> Result<Vec<u64>> {
        let (count, value) = (self.order.long(entry, 4).unwrap_or(0), self.order.long(entry, 8).unwrap_or(0));
        if count <= 1 {
            return Ok(vec![value.into()]);
        }
        if self.reads == 0 {
            return Ok(Vec::new());
        }
        self.reads -= 1;
        let listed = self.reader.bytes(value.into(), 4 * (count as usize).min(MAX_READS)).await?;
        Ok((0..listed.len() / 4).filter_map(|index| self.order.long(&listed, 4 * index)).map(u64::from).collect())
    }

    /// Makes a directory of EXIF or GPS, and all that it points at, zeros.
    async fn blank_directory(&mut self, at: u64) -> Result<()> {
        if let Some(directory) = self.read(at).await? {
            for entry in &directory.entries {
                self.blank_value(entry);
            }
            self.edits.blank(at..at + directory.bytes());
        }
        Ok(())
    }

    /// Makes the value of an entry zeros, where it stands outside of the entry.
    fn blank_value(&mut self, entry: &[u8; ENTRY_BYTES]) {
        let kind = usize::from(self.order.short(entry, 2).unwrap_or(0));
        let count = u64::from(self.order.long(entry, 4).unwrap_or(0));
        let length = VALUE_BYTES.get(kind).copied().unwrap_or(0) * count;
        let start = u64::from(self.order.long(entry, 8).unwrap_or(0));
        if length > 4 && start + length <= self.reader.size() {
            self.edits.blank(start..start + length);
        }
    }
}
