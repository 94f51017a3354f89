//! How much memory the bytes of a stream may take until they are written and summed up. Much is faster, but a hundred phones at once
//! would fill the memory.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::blocks::SIZE;

/// The bytes that all streams together may hold, as long as none has less than a block.
const ALL: usize = 32 * 1024 * 1024;
/// More makes a stream no faster.
const MOST: usize = 4 * 1024 * 1024;

static STREAMS: AtomicUsize = AtomicUsize::new(0);

/// What a stream may hold, in bytes: a fair share of the memory for all of them.
pub(crate) fn share() -> usize {
    share_of(STREAMS.load(Ordering::Relaxed))
}

fn share_of(streams: usize) -> usize {
    ALL.checked_div(streams).unwrap_or(MOST).clamp(SIZE, MOST)
}

/// A part of a share that is passed on at once, as large as is of use: whole blocks, and where there are two, so that another part
/// can be gathered meanwhile.
pub(crate) fn part(share: usize, most: usize) -> usize {
    (share / 2 / SIZE * SIZE).clamp(SIZE, most)
}

/// A stream that holds bytes: it has its share as long as this lives.
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
        assert_eq!([0, 1, 8].map(share_of), [MOST; 3]);
        assert_eq!([16, 10_000].map(share_of), [MOST / 2, SIZE]);
    }

    #[test]
    fn a_part_is_whole_blocks_and_leaves_room_for_another() {
        assert_eq!(
            [MOST, 5 * SIZE, 3 * SIZE, SIZE].map(|share| part(share, 3 * SIZE)),
            [3, 2, 1, 1].map(|count| count * SIZE)
        );
    }
}
