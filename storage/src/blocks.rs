//! Blocks of memory that are used again: fresh memory of this size has to be given and cleared by the system each time, which takes
//! longer than filling it with bytes. What nobody has needed for a while goes back to the system.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::{Buf, Bytes};
use memmap2::MmapMut;
use tokio_util::sync::CancellationToken;

/// The size of a block. What is in it fits into the processor's cache until it is sent or written.
pub(crate) const SIZE: usize = 128 * 1024;
/// A block begins at a multiple of this in memory, with a page: a disk can take it from there.
pub(crate) const ALIGNMENT: usize = 4096;
/// Blocks of which none was needed for so long are given back.
const PATIENCE: Duration = Duration::from_secs(5);

static POOL: Pool = Pool::new();

/// Gives back what was not needed, until the server shuts down.
pub(crate) async fn tend(shutdown: CancellationToken) {
    let mut ticks = tokio::time::interval(PATIENCE);
    while shutdown.run_until_cancelled(ticks.tick()).await.is_some() {
        POOL.give_back();
    }
}

/// Blocks that nobody uses now.
#[derive(Debug)]
struct Pool(Mutex<Kept>);

#[derive(Debug)]
struct Kept {
    blocks: Vec<MmapMut>,
    /// How many there have been at least since some were given back.
    idle: usize,
}

impl Pool {
    const fn new() -> Self {
        Self(Mutex::new(Kept { blocks: Vec::new(), idle: 0 }))
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lend(&'static self) -> io::Result<Block> {
        let memory = match self.kept().take() {
            Some(memory) => memory,
            None => MmapMut::map_anon(SIZE)?,
        };
        Ok(Block { memory: Some(memory), filled: 0, home: self })
    }

    fn give_back(&self) {
        let unused = self.kept().unused();
        drop(unused);
    }
}

impl Kept {
    fn take(&mut self) -> Option<MmapMut> {
        let memory = self.blocks.pop();
        self.idle = self.idle.min(self.blocks.len());
        memory
    }

    /// Those that nobody has taken since the last call: the ones below are taken last.
    fn unused(&mut self) -> Vec<MmapMut> {
        let unused = self.blocks.drain(..self.idle.min(self.blocks.len())).collect();
        self.blocks.shrink_to_fit();
        self.idle = self.blocks.len();
        unused
    }
}

/// A block in use. It goes back by itself.
#[derive(Debug)]
pub(crate) struct Block {
    memory: Option<MmapMut>,
    filled: usize,
    home: &'static Pool,
}

impl Block {
    /// An empty one.
    ///
    /// # Errors
    /// When the system has no memory.
    pub(crate) fn new() -> io::Result<Self> {
        POOL.lend()
    }

    /// The room for the next bytes, as far as so many are wanted in all.
    pub(crate) fn room(&mut self, wanted: usize) -> &mut [u8] {
        let filled = self.filled;
        self.memory.as_mut().and_then(|memory| memory.get_mut(filled..wanted.min(SIZE))).unwrap_or_default()
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
        self.memory.as_ref().and_then(|memory| memory.get(..self.filled)).unwrap_or_default()
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        self.home.kept().blocks.extend(self.memory.take());
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn a_block_is_used_again_and_shows_nothing_of_before() {
        static POOL: Pool = Pool::new();
        let mut block = POOL.lend().unwrap();
        block.room(SIZE).fill(7);
        block.advance(3);
        let bytes = block.into_bytes();
        assert_eq!(&bytes[..], [7, 7, 7]);
        let other = bytes.clone();
        drop(bytes);
        assert_eq!(&other[..], [7, 7, 7]);
        assert_eq!(POOL.kept().blocks.len(), 0);
        drop(other);
        assert_eq!(POOL.kept().blocks.len(), 1);
        assert!(POOL.lend().unwrap().into_bytes().is_empty());
    }

    #[test]
    fn blocks_go_back_to_the_system_once_they_were_not_needed_for_a_while() {
        static POOL: Pool = Pool::new();
        let lend = |count: usize| drop((0..count).map(|_| POOL.lend().unwrap()).collect::<Vec<_>>());
        lend(5);
        POOL.give_back();
        assert_eq!(POOL.kept().blocks.len(), 5, "all were needed");
        lend(3);
        POOL.give_back();
        assert_eq!(POOL.kept().blocks.len(), 3);
        POOL.give_back();
        assert!(POOL.kept().blocks.is_empty());
    }

    #[test]
    fn a_block_lies_where_a_disk_can_take_it_and_takes_what_fits() {
        let mut block = Block::new().unwrap();
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
