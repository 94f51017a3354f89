//! The lanes on which requests run: threads with a runtime of their own each.
//!
//! What belongs to a lane, such as a database connection that its runtime opened, is best used on it: then an answer that arrives
//! wakes the thread that waits for it, and no other. It works elsewhere as well, more slowly.

use std::cell::Cell;
use std::thread::available_parallelism;

thread_local! {
    static CURRENT: Cell<usize> = const { Cell::new(0) };
}

/// How many lanes a program has: one for each processor.
#[must_use]
pub fn count() -> usize {
    available_parallelism().map_or(1, usize::from)
}

/// From now on this thread is a lane, counted from 0.
pub fn enter(lane: usize) {
    CURRENT.set(lane);
}

/// The lane that this thread is; 0 for a thread that is none.
#[must_use]
pub fn current() -> usize {
    CURRENT.get()
}
