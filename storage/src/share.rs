//! How much of what arrives may be gathered before it goes on. Much is faster, but a hundred phones at once would fill the memory.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::blocks::SIZE;

/// The bytes that all streams together may gather, as long as none has less than [`LEAST`]. As much again may be on its way to the
/// disk.
const ALL: usize = 16 * 1024 * 1024;
/// More makes a stream no faster.
const MOST: usize = 1024 * 1024;
/// Less would not be worth going past the page cache.
pub(crate) const LEAST: usize = 2 * SIZE;

static STREAMS: AtomicUsize = AtomicUsize::new(0);

/// What a stream may gather before it is written, in bytes: a fair share of the memory for all of them.
pub(crate) fn share() -> usize {
    share_of(STREAMS.load(Ordering::Relaxed))
}

fn share_of(streams: usize) -> usize {
    ALL.checked_div(streams).unwrap_or(MOST).clamp(LEAST, MOST)
}

/// A stream that gathers bytes: it has its share as long as this lives.
#[derive(Debug)]
pub(crate) struct Sharing(());

impl Sharing {
    pub(crate) fn begin() -> Self {
        STREAMS.fetch_add(1, Ordering::Relaxed);
        Self(())
    }
}

impl Drop for Sharing {
    fn drop(&mut self) {
        STREAMS.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_streams_have_less_each() {
        assert_eq!([0, 1, 16].map(share_of), [MOST; 3]);
        assert_eq!([32, 10_000].map(share_of), [MOST / 2, LEAST]);
    }
}
