//! Removes metadata from TIFF files (6.0, section 2). A TIFF file contains directories of entries, and the value of an entry may be
//! anywhere in the file. No data is moved: unneeded entries are removed from their directory, and their values are overwritten with zeros.
//! Only entries that a decoder needs are kept.

use std::collections::BTreeSet;

use super::blob_reader::BlobReader;
use super::edits::Edits;
use super::exif::Order;
use super::{broken, refused};
use crate::error::{Error, Result};

/// Maximum number of reads of TIFF directories (pages, thumbnails, EXIF) and of lists of directories. A file can contain many directories
/// and lists, anywhere in the file.
const MAX_READS: usize = 256;
/// Maximum number of entries in all directories of a TIFF file together.
const MAX_ENTRIES: usize = 100_000;
const SUB_DIRECTORIES: u16 = 330;
/// TIFF tags of entries that point to a directory: EXIF, GPS, interoperability.
const PRIVATE_DIRECTORIES: [u16; 3] = [34665, 34853, 40965];
/// TIFF tags of raw photographs: the DNG version, and the photometric interpretations of sensor data.
const DNG_VERSION: u16 = 50706;
const PHOTOMETRIC: u16 = 262;
const SENSOR: [u16; 2] = [32803, 34892];
/// Ranges of TIFF tags that a decoder needs: encoding and location of the pixels, colours, resolution, page number. Other tags contain
/// metadata or are unknown.
const KEPT: [std::ops::RangeInclusive<u16>; 22] = [
    254..=259,
    262..=266,
    273..=274,
    277..=284,
    286..=287,
    290..=293,
    296..=297,
    301..=301,
    317..=328,
    SUB_DIRECTORIES..=SUB_DIRECTORIES,
    332..=332,
    334..=334,
    336..=336,
    338..=342,
    347..=347,
    512..=515,
    517..=521,
    529..=532,
    32995..=32998,
    33421..=33422,
    34675..=34675,
    50674..=50674,
];
/// Size of one value in bytes, indexed by the number of the TIFF type.
const VALUE_BYTES: [u64; 14] = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4];
const ENTRY_BYTES: usize = 12;

/// A TIFF directory, as stored in the file.
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
    let order = Order::of(&head).ok_or_else(|| broken("TIFF"))?;
    let first = order.long(&head, 4).filter(|first| *first != 0).ok_or_else(|| broken("TIFF"))?;
    let mut walk =
        Walk { reader, order, edits: Edits::default(), reads: MAX_READS, entries: MAX_ENTRIES, seen: BTreeSet::new() };
    let mut waiting = vec![u64::from(first)];
    while let Some(at) = waiting.pop() {
        if at != 0 && walk.seen.insert(at) {
            waiting.extend(walk.directory(at).await?);
        }
    }
    Ok(walk.edits)
}

/// State while the directories of a TIFF file are read one after the other. `reads` is the number of reads that are still allowed, and
/// `entries` the number of directory entries that are still allowed.
struct Walk<'a> {
    reader: &'a mut BlobReader,
    order: Order,
    edits: Edits,
    reads: usize,
    entries: usize,
    /// Offsets of the directories that were already read.
    seen: BTreeSet<u64>,
}

impl Walk<'_> {
    async fn read(&mut self, at: u64) -> Result<Directory> {
        self.reads = self.reads.checked_sub(1).ok_or_else(too_many)?;
        let count = self.reader.array::<2>(at).await?.and_then(|count| self.order.short(&count, 0));
        let count = usize::from(count.ok_or_else(|| broken("TIFF"))?);
        self.entries = self.entries.checked_sub(count).ok_or_else(too_many)?;
        let mut entries = Vec::new();
        for index in 0..count {
            let entry = self.reader.array(at + 2 + (index * ENTRY_BYTES) as u64).await?;
            entries.push(entry.ok_or_else(|| broken("TIFF"))?);
        }
        let next = self.reader.array(at + 2 + (count * ENTRY_BYTES) as u64).await?;
        Ok(Directory { entries, next: next.ok_or_else(|| broken("TIFF"))? })
    }

    /// Removes unneeded entries from a directory. Returns the offsets of further directories.
    async fn directory(&mut self, at: u64) -> Result<Vec<u64>> {
        let directory = self.read(at).await?;
        let mut others: Vec<u64> = self.order.long(&directory.next, 0).map(u64::from).into_iter().collect();
        let mut kept = Vec::new();
        for entry in &directory.entries {
            let tag = self.order.short(entry, 0).unwrap_or_default();
            let of_sensor = tag == PHOTOMETRIC && self.order.short(entry, 8).is_some_and(|kind| SENSOR.contains(&kind));
            if tag == DNG_VERSION || of_sensor {
                return Err(refused("a raw photograph is not supported"));
            }
            if tag == SUB_DIRECTORIES {
                others.extend(self.places(entry).await?);
            }
            if KEPT.iter().any(|kept| kept.contains(&tag)) {
                kept.extend_from_slice(entry);
                continue;
            }
            self.blank_entry(tag, entry).await?;
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

    /// Returns the offsets of the directories to which a `SUB_DIRECTORIES` entry refers.
    async fn places(&mut self, entry: &[u8; ENTRY_BYTES]) -> Result<Vec<u64>> {
        let (count, value) = (self.order.long(entry, 4).unwrap_or(0), self.order.long(entry, 8).unwrap_or(0));
        if count <= 1 {
            return Ok(vec![value.into()]);
        }
        self.reads = self.reads.checked_sub(1).ok_or_else(too_many)?;
        let count = usize::try_from(count).ok().filter(|count| *count <= MAX_READS).ok_or_else(too_many)?;
        let listed = self.reader.bytes(value.into(), 4 * count).await?;
        if listed.len() < 4 * count {
            return Err(broken("TIFF"));
        }
        Ok((0..count).filter_map(|index| self.order.long(&listed, 4 * index)).map(u64::from).collect())
    }

    /// Overwrites the value of an entry with zeros. If the entry points to a directory (EXIF, GPS, interoperability), overwrites the
    /// directory and the values of its entries as well.
    async fn blank_entry(&mut self, tag: u16, entry: &[u8; ENTRY_BYTES]) -> Result<()> {
        let mut waiting = vec![(tag, *entry)];
        while let Some((tag, entry)) = waiting.pop() {
            self.blank_value(&entry)?;
            if !PRIVATE_DIRECTORIES.contains(&tag) {
                continue;
            }
            let at = u64::from(self.order.long(&entry, 8).unwrap_or(0));
            if at == 0 || !self.seen.insert(at) {
                continue;
            }
            let directory = self.read(at).await?;
            self.edits.blank(at..at + directory.bytes());
            let entries = directory.entries.into_iter();
            waiting.extend(entries.map(|entry| (self.order.short(&entry, 0).unwrap_or_default(), entry)));
        }
        Ok(())
    }

    /// Overwrites the value of an entry with zeros if the value is stored outside the entry. Parts of the value after the end of the file are
    /// ignored.
    fn blank_value(&mut self, entry: &[u8; ENTRY_BYTES]) -> Result<()> {
        let kind = usize::from(self.order.short(entry, 2).unwrap_or(0));
        let count = u64::from(self.order.long(entry, 4).unwrap_or(0));
        let bytes = VALUE_BYTES.get(kind).copied().filter(|bytes| *bytes > 0).ok_or_else(|| broken("TIFF"))?;
        let (length, size) = (bytes * count, self.reader.size());
        let start = u64::from(self.order.long(entry, 8).unwrap_or(0)).min(size);
        if length > 4 {
            self.edits.blank(start..(start + length).min(size));
        }
        Ok(())
    }
}

fn too_many() -> Error {
    refused("this TIFF file has too many directories")
}
