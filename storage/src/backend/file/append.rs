//! Appending to a file: past the page cache where much comes. That saves a copy of every byte, and the disk is at work while the rest
//! arrives; what went through the cache would have to be waited for at the end.

use std::fs::File;
use std::io::{self, IoSlice, Seek, Write};

use bytes::Bytes;

use crate::blocks::{ALIGNMENT, SIZE};

/// A file of fewer bytes is faster through the cache.
const MANY: usize = 2 * SIZE;

/// A file that is written from its position on.
pub(super) struct Appending {
    file: File,
    position: u64,
    way: Way,
}

/// How bytes reach the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Cached,
    Direct,
    /// Through the cache, for the file system takes them no other way.
    AlwaysCached,
}

impl Appending {
    pub(super) fn new(mut file: File) -> io::Result<Self> {
        Ok(Self { position: file.stream_position()?, file, way: Way::Cached })
    }

    /// The file, where bytes written to it may still have to be sent to the disk.
    pub(super) fn cached(&self) -> Option<&File> {
        (self.way != Way::Direct).then_some(&self.file)
    }

    /// Appends the chunks.
    pub(super) fn write(&mut self, chunks: &[Bytes]) -> io::Result<()> {
        let (blocks, rest) = chunks.split_at(self.blocks(chunks));
        let mut slices: Vec<_> = blocks.iter().map(|block| IoSlice::new(block)).collect();
        let mut left = slices.as_mut_slice();
        if !left.is_empty() && self.turn(Way::Direct)? {
            match self.write_slices(&mut left) {
                Err(error) if is_unsuitable(&error) => {
                    self.turn(Way::AlwaysCached)?;
                }
                outcome => outcome?,
            }
        }
        let mut slices: Vec<_> = rest.iter().map(|chunk| IoSlice::new(chunk)).collect();
        for mut slices in [left, slices.as_mut_slice()] {
            if !slices.is_empty() && self.turn(Way::Cached)? {
                self.write_slices(&mut slices)?;
            }
        }
        Ok(())
    }

    /// Makes all of it safe.
    pub(super) fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }

    /// How many of the chunks shall go past the cache: those that the disk can take from where they lie, if they are many with what
    /// was written before. Few are faster through it, together with those after them.
    fn blocks(&self, chunks: &[Bytes]) -> usize {
        let begins_well = self.way != Way::AlwaysCached && self.position.is_multiple_of(ALIGNMENT as u64);
        let lies_well =
            |chunk: &&Bytes| chunk.as_ptr().align_offset(ALIGNMENT) == 0 && chunk.len().is_multiple_of(ALIGNMENT);
        let blocks = || chunks.iter().take_while(lies_well);
        let size = || self.position + blocks().map(|block| block.len() as u64).sum::<u64>();
        let many = begins_well && size() >= MANY as u64;
        if many { blocks().count() } else { 0 }
    }

    fn write_slices(&mut self, slices: &mut &mut [IoSlice<'_>]) -> io::Result<()> {
        // Empty ones in front would make it look as if nothing could be written.
        IoSlice::advance_slices(slices, 0);
        while !slices.is_empty() {
            match self.file.write_vectored(slices) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => {
                    self.position += written as u64;
                    IoSlice::advance_slices(slices, written);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Says how the next bytes shall reach the disk; false where the file system does not take them so.
    fn turn(&mut self, way: Way) -> io::Result<bool> {
        if self.way == way || way == Way::Cached && self.way == Way::AlwaysCached {
            return Ok(true);
        }
        match set_direct(&self.file, way == Way::Direct) {
            Err(error) if is_unsuitable(&error) && way == Way::Direct => {
                self.way = Way::AlwaysCached;
                Ok(false)
            }
            outcome => {
                self.way = way;
                outcome.map(|()| true)
            }
        }
    }
}

/// Whether a file system says that it writes no such bytes directly. (The failure of a disk has other words.)
fn is_unsuitable(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported)
}

#[cfg(target_os = "linux")]
fn set_direct(file: &File, direct: bool) -> io::Result<()> {
    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

    let mut flags = fcntl_getfl(file)?;
    flags.set(OFlags::DIRECT, direct);
    Ok(fcntl_setfl(file, flags)?)
}

#[cfg(not(target_os = "linux"))]
fn set_direct(_: &File, direct: bool) -> io::Result<()> {
    if direct { Err(io::ErrorKind::Unsupported.into()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::path::Path;

    use proptest::prelude::*;
    use tempfile::{NamedTempFile, tempfile};

    use super::*;
    use crate::blocks::Block;

    /// Chunks: blocks that are full, and others of any size.
    fn chunks(sizes: &[Option<usize>]) -> Vec<Bytes> {
        let chunk = |(at, size): (usize, &Option<usize>)| {
            let mut bytes: Bytes = (0..size.unwrap_or(SIZE)).map(|byte| ((byte + at) % 251) as u8).collect();
            if size.is_some() {
                return bytes;
            }
            let mut block = Block::new().unwrap();
            block.fill(&mut bytes);
            block.into_bytes()
        };
        sizes.iter().enumerate().map(chunk).collect()
    }

    /// Writes batches after what is there, and reads all of it.
    fn written(folder: &Path, before: usize, batches: &[Vec<Bytes>]) -> Vec<u8> {
        let named = NamedTempFile::new_in(folder).unwrap();
        std::fs::write(&named, vec![1; before]).unwrap();
        let mut file = named.reopen().unwrap();
        file.seek(io::SeekFrom::End(0)).unwrap();
        let mut appending = Appending::new(file).unwrap();
        batches.iter().for_each(|batch| appending.write(batch).unwrap());
        appending.sync().unwrap();
        std::fs::read(&named).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn all_bytes_are_there_in_order_however_they_are_cut(
            before in prop_oneof![Just(0), Just(ALIGNMENT), 1..9999_usize],
            batches in proptest::collection::vec(
                proptest::collection::vec(prop_oneof![4 => Just(None), 1 => (0..9999_usize).prop_map(Some)], 0..5), 0..4),
        ) {
            let batches: Vec<_> = batches.iter().map(|sizes| chunks(sizes)).collect();
            let expected = [vec![1; before], batches.concat().concat()].concat();
            // The second is often one that takes nothing past the cache.
            for folder in [std::env::temp_dir(), "/dev/shm".into()].iter().filter(|folder| folder.is_dir()) {
                prop_assert!(written(folder, before, &batches) == expected);
            }
        }
    }

    #[test]
    fn many_go_past_the_cache_and_the_rest_through_it() {
        let mut appending = Appending::new(tempfile().unwrap()).unwrap();
        appending.write(&chunks(&[None; 4])).unwrap();
        assert_ne!(appending.way, Way::Cached, "it was tried at least");
        appending.write(&chunks(&[Some(1)])).unwrap();
        assert_ne!(appending.way, Way::Direct);
        assert_eq!(appending.position, 4 * SIZE as u64 + 1);
    }

    #[test]
    fn what_a_file_system_refuses_goes_through_the_cache() {
        let named = NamedTempFile::new().unwrap();
        let mut appending = Appending::new(named.reopen().unwrap()).unwrap();
        appending.write(&chunks(&[Some(100)])).unwrap();
        // A lie: no disk takes blocks from the hundredth byte on.
        appending.position = 0;
        appending.write(&chunks(&[None; 4])).unwrap();
        assert_ne!(appending.way, Way::Cached, "it was tried at least");
        let expected = [chunks(&[Some(100)]), chunks(&[None; 4])].concat().concat();
        assert!(std::fs::read(&named).unwrap() == expected);
    }

    #[test]
    fn empty_chunks_are_nothing() {
        let mut appending = Appending::new(tempfile().unwrap()).unwrap();
        appending.write(&chunks(&[Some(0), Some(0)])).unwrap();
        appending.write(&chunks(&[Some(0), Some(3), Some(0)])).unwrap();
        assert_eq!(appending.position, 3);
    }

    #[test]
    fn a_file_system_that_takes_nothing_directly_is_not_asked_twice() {
        let mut appending = Appending::new(tempfile().unwrap()).unwrap();
        assert!(appending.turn(Way::Cached).unwrap());
        appending.way = Way::AlwaysCached;
        assert_eq!(appending.blocks(&chunks(&[None; 4])), 0);
        assert!(appending.cached().is_some());
        appending.write(&chunks(&[None; 4])).unwrap();
        assert_eq!((appending.way, appending.position), (Way::AlwaysCached, 4 * SIZE as u64));
    }

    #[test]
    fn few_bytes_and_bytes_that_lie_anywhere_go_through_the_cache() {
        let mut appending = Appending::new(tempfile().unwrap()).unwrap();
        assert_eq!(appending.blocks(&chunks(&[None])), 0);
        assert_eq!(appending.blocks(&chunks(&[Some(1), None, None])), 0);
        assert_eq!(appending.blocks(&chunks(&[None, None, Some(1)])), 2);
        appending.position = 1;
        assert_eq!(appending.blocks(&chunks(&[None, None])), 0);
    }
}
