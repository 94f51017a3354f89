//! Blocks of memory that are used again: fresh memory of this size has to be given and cleared by the system each time, which takes
//! longer than filling it with bytes.

use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::{Buf, Bytes};

/// The size of a block. What is in it fits into the processor's cache until it is sent or written.
pub(crate) const SIZE: usize = 128 * 1024;
/// A block begins at a multiple of this in memory: a disk can take it from there.
pub(crate) const ALIGNMENT: usize = 4096;
/// Blocks that are kept for later.
const KEPT: usize = 32;

static POOL: Pool = Pool::new();

/// Blocks that nobody uses now.
#[derive(Debug)]
struct Pool(Mutex<Vec<Box<[u8]>>>);

impl Pool {
    const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    fn kept(&self) -> MutexGuard<'_, Vec<Box<[u8]>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lend(&'static self) -> Block {
        let kept = self.kept().pop();
        let memory = kept.unwrap_or_else(|| vec![0; SIZE + ALIGNMENT].into());
        let start = memory.as_ptr().align_offset(ALIGNMENT).min(ALIGNMENT);
        Block { memory, start, filled: 0, home: self }
    }
}

/// A block in use. It goes back by itself.
#[derive(Debug)]
pub(crate) struct Block {
    memory: Box<[u8]>,
    start: usize,
    filled: usize,
    home: &'static Pool,
}

impl Block {
    /// An empty one.
    pub(crate) fn new() -> Self {
        POOL.lend()
    }

    /// The room for the next bytes, as far as so many are wanted in all.
    pub(crate) fn room(&mut self, wanted: usize) -> &mut [u8] {
        let (from, to) = (self.start + self.filled, self.start + wanted.min(SIZE));
        self.memory.get_mut(from..to).unwrap_or_default()
    }

    /// Notes that so many bytes have come.
    pub(crate) fn advance(&mut self, bytes: usize) {
        self.filled = (self.filled + bytes).min(SIZE);
    }

    /// Takes as many bytes as there is room for.
    pub(crate) fn fill(&mut self, from: &mut Bytes) {
        let room = self.room(SIZE);
        let count = room.len().min(from.len());
        from.copy_to_slice(room.split_at_mut(count).0);
        self.advance(count);
    }

    /// How many bytes there are.
    pub(crate) fn filled(&self) -> usize {
        self.filled
    }

    /// The bytes. The block goes back when they are sent.
    pub(crate) fn into_bytes(self) -> Bytes {
        Bytes::from_owner(self)
    }
}

impl AsRef<[u8]> for Block {
    fn as_ref(&self) -> &[u8] {
        self.memory.get(self.start..self.start + self.filled).unwrap_or_default()
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        let mut kept = self.home.kept();
        if kept.len() < KEPT {
            kept.push(std::mem::take(&mut self.memory));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_used_again_and_shows_nothing_of_before() {
        static POOL: Pool = Pool::new();
        let mut block = POOL.lend();
        block.room(SIZE).fill(7);
        block.advance(3);
        let bytes = block.into_bytes();
        assert_eq!(&bytes[..], [7, 7, 7]);
        let other = bytes.clone();
        drop(bytes);
        assert_eq!(&other[..], [7, 7, 7]);
        assert_eq!(POOL.kept().len(), 0);
        drop(other);
        assert_eq!(POOL.kept().len(), 1);
        assert!(POOL.lend().into_bytes().is_empty());
    }

    #[test]
    fn a_block_lies_where_a_disk_can_take_it_and_takes_what_fits() {
        let mut block = Block::new();
        let mut bytes = Bytes::from(vec![5; SIZE - 1]);
        block.fill(&mut bytes);
        assert!(bytes.is_empty());
        let mut more = Bytes::from_static(&[6, 7]);
        block.fill(&mut more);
        assert_eq!(&more[..], [7]);
        assert_eq!(block.filled(), SIZE);
        let bytes = block.into_bytes();
        assert_eq!(bytes.as_ptr().align_offset(ALIGNMENT), 0);
        assert_eq!((bytes.len(), bytes.last()), (SIZE, Some(&6)));
    }
}
