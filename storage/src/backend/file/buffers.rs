//! Buffers that are used again: fresh memory of this size has to be given and cleared by the system each time, which takes longer
//! than filling it with a file's bytes.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;

/// The size of a buffer. What is read fits into the processor's cache until it is sent.
pub(super) const SIZE: usize = 128 * 1024;
/// Buffers that are kept for later.
const KEPT: usize = 32;

/// Buffers that nobody uses now.
#[derive(Clone, Debug, Default)]
pub(super) struct Buffers(Arc<Mutex<Vec<Box<[u8]>>>>);

impl Buffers {
    /// A buffer, which comes back by itself.
    pub(super) fn lend(&self) -> Lent {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Lent { buffer: kept.unwrap_or_else(|| vec![0; SIZE].into()), filled: 0, home: self.clone() }
    }
}

/// A buffer in use.
#[derive(Debug)]
pub(super) struct Lent {
    buffer: Box<[u8]>,
    filled: usize,
    home: Buffers,
}

impl Lent {
    /// The room for the next bytes, as far as they are wanted.
    pub(super) fn room(&mut self, wanted: usize) -> &mut [u8] {
        let end = wanted.min(self.buffer.len());
        self.buffer.get_mut(self.filled..end).unwrap_or_default()
    }

    /// Notes that so many bytes have come.
    pub(super) fn advance(&mut self, bytes: usize) {
        self.filled = (self.filled + bytes).min(self.buffer.len());
    }

    /// How many bytes there are.
    pub(super) fn filled(&self) -> usize {
        self.filled
    }

    /// The bytes. The buffer comes back when they are sent.
    pub(super) fn into_bytes(self) -> Bytes {
        Bytes::from_owner(self)
    }
}

impl AsRef<[u8]> for Lent {
    fn as_ref(&self) -> &[u8] {
        self.buffer.get(..self.filled).unwrap_or_default()
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let mut kept = self.home.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < KEPT {
            kept.push(std::mem::take(&mut self.buffer));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_is_used_again_and_shows_nothing_of_before() {
        let buffers = Buffers::default();
        let mut lent = buffers.lend();
        lent.room(SIZE).fill(7);
        lent.advance(3);
        let bytes = lent.into_bytes();
        assert_eq!(&bytes[..], [7, 7, 7]);
        let other = bytes.clone();
        drop(bytes);
        assert_eq!(&other[..], [7, 7, 7]);
        assert_eq!(buffers.lend().home.0.lock().map(|kept| kept.len()).ok(), Some(0));
        drop(other);
        assert!(buffers.lend().into_bytes().is_empty());
    }
}
