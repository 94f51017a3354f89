//! Buffers for uploads and downloads: a pool of reusable buffers, and the memory budget of uploads.
//!
//! The buffers are reused because new memory is slow: the kernel maps and zeroes a new buffer, which takes longer than filling the buffer
//! with content. Buffers that were idle for [`IDLE_PERIOD`] are unmapped.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::{Buf, Bytes};
use memmap2::MmapMut;
use tokio_util::sync::CancellationToken;

/// Size of an upload buffer in bytes. A buffer of this size stays in the processor's cache until its content is hashed and written.
pub(crate) const UPLOAD_BUFFER_BYTES: usize = 128 * 1024;
/// Size of a download buffer in bytes. With smaller buffers, system calls and task wake-ups take a larger share of the time.
const DOWNLOAD_BUFFER_BYTES: usize = 256 * 1024;
/// Idle time after which unused buffers are unmapped.
const IDLE_PERIOD: Duration = Duration::from_secs(5);
/// Memory in bytes that all uploads together may use for buffers. Each upload may always use one buffer, even if the total is then larger.
/// Without this limit, a hundred concurrent uploads would fill the memory.
const TOTAL_BUDGET_BYTES: usize = 32 * 1024 * 1024;
/// Maximum number of bytes that one upload may buffer. A higher value would not make uploads faster.
const MAX_UPLOAD_BUDGET_BYTES: usize = 4 * 1024 * 1024;

static UPLOADS: Pool = Pool::new(UPLOAD_BUFFER_BYTES);
static DOWNLOADS: Pool = Pool::new(DOWNLOAD_BUFFER_BYTES);
static ACTIVE_UPLOADS: AtomicUsize = AtomicUsize::new(0);

/// Returns the number of bytes that one upload may buffer before they are hashed and written. Concurrent uploads share
/// [`TOTAL_BUDGET_BYTES`] equally.
pub(crate) fn upload_budget() -> usize {
    budget_of(ACTIVE_UPLOADS.load(Ordering::Relaxed))
}

fn budget_of(uploads: usize) -> usize {
    TOTAL_BUDGET_BYTES
        .checked_div(uploads)
        .unwrap_or(MAX_UPLOAD_BUDGET_BYTES)
        .clamp(UPLOAD_BUFFER_BYTES, MAX_UPLOAD_BUDGET_BYTES)
}

/// An upload that counts in the memory budget until this value is dropped.
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

/// Pool of unused buffers of one size.
#[derive(Debug)]
struct Pool {
    buffer_bytes: usize,
    free: Mutex<Free>,
}

#[derive(Debug)]
struct Free {
    buffers: Vec<MmapMut>,
    /// Minimum number of buffers in `buffers` since the last release of idle buffers. This number of buffers was not needed in that time.
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
        // `munmap` runs after the lock of the pool is released.
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

    /// Removes and returns the idle buffers, which are at the bottom of the stack: they were not used since the last call of this function.
    fn take_idle(&mut self) -> Vec<MmapMut> {
        let idle = self.buffers.drain(..self.min_free.min(self.buffers.len())).collect();
        self.buffers.shrink_to_fit();
        self.min_free = self.buffers.len();
        idle
    }
}

/// A buffer in use. Dropping the buffer returns its memory to the pool.
#[derive(Debug)]
pub(crate) struct Buffer {
    memory: Option<MmapMut>,
    filled: usize,
    pool: &'static Pool,
}

impl Buffer {
    /// Returns an empty buffer for the content of an upload.
    ///
    /// # Errors
    /// If the operating system cannot allocate memory.
    pub(crate) fn for_upload() -> io::Result<Self> {
        UPLOADS.take()
    }

    /// Returns an empty buffer for the content of a download.
    ///
    /// # Errors
    /// If the operating system cannot allocate memory.
    pub(crate) fn for_download() -> io::Result<Self> {
        DOWNLOADS.take()
    }

    /// Returns the unfilled part of the buffer, shortened so that the buffer holds at most `limit` bytes in total.
    pub(crate) fn unfilled(&mut self, limit: usize) -> &mut [u8] {
        let filled = self.filled;
        self.memory
            .as_mut()
            .and_then(|memory| memory.get_mut(filled..limit.min(self.pool.buffer_bytes)))
            .unwrap_or_default()
    }

    /// Marks the next `bytes` bytes of the buffer as filled.
    pub(crate) fn advance(&mut self, bytes: usize) {
        self.filled = (self.filled + bytes).min(self.pool.buffer_bytes);
    }

    /// Copies as many bytes as fit into the buffer and removes them from `from`.
    pub(crate) fn fill(&mut self, from: &mut Bytes) {
        let unfilled = self.unfilled(usize::MAX);
        let count = unfilled.len().min(from.len());
        from.copy_to_slice(unfilled.split_at_mut(count).0);
        self.advance(count);
    }

    pub(crate) fn filled(&self) -> usize {
        self.filled
    }

    /// Converts the buffer into `Bytes`. The buffer returns to the pool when the last clone is dropped.
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
