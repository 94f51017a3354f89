//! Buffers for bytes on their way through the program: a pool of reusable ones, and the memory budget of uploads.
//!
//! Fresh memory of this size is mapped and zeroed by the kernel each time, which takes longer than filling it with bytes. Buffers that
//! were not needed for a while are unmapped.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::{Buf, Bytes};
use memmap2::MmapMut;
use tokio_util::sync::CancellationToken;

/// The size of an upload's buffer. Its content fits into the processor's cache until it is hashed and written.
pub(crate) const UPLOAD_BUFFER_BYTES: usize = 128 * 1024;
/// The size of a download's buffer: with fewer bytes, more of the time goes to system calls and wake-ups.
const DOWNLOAD_BUFFER_BYTES: usize = 256 * 1024;
/// Buffers of which none was needed for so long are unmapped.
const IDLE_PERIOD: Duration = Duration::from_secs(5);
/// The bytes that all uploads together may hold in memory, as long as none has less than a buffer: a hundred phones at once would
/// otherwise fill it.
const TOTAL_BUDGET_BYTES: usize = 32 * 1024 * 1024;
/// More makes an upload no faster.
const MAX_UPLOAD_BUDGET_BYTES: usize = 4 * 1024 * 1024;

static UPLOADS: Pool = Pool::new(UPLOAD_BUFFER_BYTES);
static DOWNLOADS: Pool = Pool::new(DOWNLOAD_BUFFER_BYTES);
static ACTIVE_UPLOADS: AtomicUsize = AtomicUsize::new(0);

/// The bytes that an upload may hold until they are hashed and written: an equal share of the budget.
pub(crate) fn upload_budget() -> usize {
    budget_of(ACTIVE_UPLOADS.load(Ordering::Relaxed))
}

fn budget_of(uploads: usize) -> usize {
    TOTAL_BUDGET_BYTES
        .checked_div(uploads)
        .unwrap_or(MAX_UPLOAD_BUDGET_BYTES)
        .clamp(UPLOAD_BUFFER_BYTES, MAX_UPLOAD_BUDGET_BYTES)
}

/// An upload's place in the budget, until it is dropped.
#[derive(Debug)]
pub(crate) struct Reservation(());

impl Reservation {
    pub(crate) fn new() -> Self {
        ACTIVE_UPLOADS.fetch_add(1, Ordering::Relaxed);
        Self(())
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        ACTIVE_UPLOADS.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Unmaps idle buffers until the server shuts down.
pub(crate) async fn release_idle(shutdown: CancellationToken) {
    let mut ticks = tokio::time::interval(IDLE_PERIOD);
    while shutdown.run_until_cancelled(ticks.tick()).await.is_some() {
        UPLOADS.release_idle();
        DOWNLOADS.release_idle();
    }
}

/// Buffers of one size that nobody uses now.
#[derive(Debug)]
struct Pool {
    buffer_bytes: usize,
    free: Mutex<Free>,
}

#[derive(Debug)]
struct Free {
    buffers: Vec<MmapMut>,
    /// The fewest that there were since the last release: so many were not needed.
    min_free: usize,
}

impl Pool {
    const fn new(buffer_bytes: usize) -> Self {
        Self { buffer_bytes, free: Mutex::new(Free { buffers: Vec::new(), min_free: 0 }) }
    }

    fn free(&self) -> MutexGuard<'_, Free> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&'static self) -> io::Result<Buffer> {
        let memory = match self.free().take() {
            Some(memory) => memory,
            None => MmapMut::map_anon(self.buffer_bytes)?,
        };
        Ok(Buffer { memory: Some(memory), filled: 0, pool: self })
    }

    fn release_idle(&self) {
        // Unmapped once the lock is free.
        let idle = self.free().take_idle();
        drop(idle);
    }
}

impl Free {
    fn take(&mut self) -> Option<MmapMut> {
        let memory = self.buffers.pop();
        self.min_free = self.min_free.min(self.buffers.len());
        memory
    }

    /// Those that were not needed since the last call: the lowest of the stack.
    fn take_idle(&mut self) -> Vec<MmapMut> {
        let idle = self.buffers.drain(..self.min_free.min(self.buffers.len())).collect();
        self.buffers.shrink_to_fit();
        self.min_free = self.buffers.len();
        idle
    }
}

/// A buffer in use; returns to the pool when dropped.
#[derive(Debug)]
pub(crate) struct Buffer {
    memory: Option<MmapMut>,
    filled: usize,
    pool: &'static Pool,
}

impl Buffer {
    /// An empty buffer for bytes of an upload.
    ///
    /// # Errors
    /// When the system has no memory.
    pub(crate) fn for_upload() -> io::Result<Self> {
        UPLOADS.take()
    }

    /// An empty buffer for bytes of a download.
    ///
    /// # Errors
    /// When the system has no memory.
    pub(crate) fn for_download() -> io::Result<Self> {
        DOWNLOADS.take()
    }

    /// The unfilled part, as far as the buffer shall hold no more than `limit` bytes in all.
    pub(crate) fn unfilled(&mut self, limit: usize) -> &mut [u8] {
        let filled = self.filled;
        self.memory
            .as_mut()
            .and_then(|memory| memory.get_mut(filled..limit.min(self.pool.buffer_bytes)))
            .unwrap_or_default()
    }

    /// Marks so many bytes more as filled.
    pub(crate) fn advance(&mut self, bytes: usize) {
        self.filled = (self.filled + bytes).min(self.pool.buffer_bytes);
    }

    /// Copies as many bytes as fit, and takes them off `from`.
    pub(crate) fn fill(&mut self, from: &mut Bytes) {
        let unfilled = self.unfilled(usize::MAX);
        let count = unfilled.len().min(from.len());
        from.copy_to_slice(unfilled.split_at_mut(count).0);
        self.advance(count);
    }

    /// The number of bytes in it.
    pub(crate) fn filled(&self) -> usize {
        self.filled
    }

    /// The bytes. The buffer returns to the pool when the last clone of them is dropped.
    pub(crate) fn into_bytes(self) -> Bytes {
        Bytes::from_owner(self)
    }
}

impl AsRef<[u8]> for Buffer {
    fn as_ref(&self) -> &[u8] {
        self.memory.as_ref().and_then(|memory| memory.get(..self.filled)).unwrap_or_default()
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        self.pool.free().buffers.extend(self.memory.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_is_used_again_and_shows_nothing_of_before() {
        static POOL: Pool = Pool::new(UPLOAD_BUFFER_BYTES);
        let mut buffer = POOL.take().unwrap();
        buffer.unfilled(UPLOAD_BUFFER_BYTES).fill(7);
        buffer.advance(3);
        let bytes = buffer.into_bytes();
        assert_eq!(&bytes[..], [7, 7, 7]);
        let other = bytes.clone();
        drop(bytes);
        assert_eq!(&other[..], [7, 7, 7]);
        assert_eq!(POOL.free().buffers.len(), 0);
        drop(other);
        assert_eq!(POOL.free().buffers.len(), 1);
        assert!(POOL.take().unwrap().into_bytes().is_empty());
    }

    #[test]
    fn buffers_are_unmapped_once_they_were_not_needed_for_a_while() {
        static POOL: Pool = Pool::new(UPLOAD_BUFFER_BYTES);
        let take = |count: usize| drop((0..count).map(|_| POOL.take().unwrap()).collect::<Vec<_>>());
        take(5);
        POOL.release_idle();
        assert_eq!(POOL.free().buffers.len(), 5, "all were needed");
        take(3);
        POOL.release_idle();
        assert_eq!(POOL.free().buffers.len(), 3);
        POOL.release_idle();
        assert!(POOL.free().buffers.is_empty());
    }

    #[test]
    fn a_buffer_takes_what_fits() {
        let mut buffer = Buffer::for_upload().unwrap();
        let mut bytes = Bytes::from(vec![5; UPLOAD_BUFFER_BYTES - 1]);
        buffer.fill(&mut bytes);
        assert!(bytes.is_empty());
        let mut more = Bytes::from_static(&[6, 7]);
        buffer.fill(&mut more);
        assert_eq!(&more[..], [7]);
        assert_eq!(buffer.filled(), UPLOAD_BUFFER_BYTES);
        let bytes = buffer.into_bytes();
        assert_eq!((bytes.len(), bytes.last()), (UPLOAD_BUFFER_BYTES, Some(&6)));
    }

    #[test]
    fn many_uploads_have_less_each() {
        assert_eq!([0, 1, 8].map(budget_of), [MAX_UPLOAD_BUDGET_BYTES; 3]);
        assert_eq!([16, 10_000].map(budget_of), [MAX_UPLOAD_BUDGET_BYTES / 2, UPLOAD_BUFFER_BYTES]);
    }
}
