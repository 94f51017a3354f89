//! The processor core whose runtime the current thread runs: the HTTP server has one single-threaded runtime for each core.
//!
//! A database connection is best used on the thread of the runtime that opened it, because the response then wakes only the waiting thread.
//! It works on other threads as well, but more slowly.

use std::cell::Cell;
use std::thread::available_parallelism;

thread_local! {
    static CURRENT: Cell<usize> = const { Cell::new(0) };
}

/// The number of cores, and so of runtimes.
#[must_use]
pub fn count() -> usize {
    available_parallelism().map_or(1, usize::from)
}

/// Marks this thread as the runtime of a core, counted from 0.
pub fn set(core: usize) {
    CURRENT.set(core);
}

/// The core whose runtime this thread is; 0 for other threads.
#[must_use]
pub fn current() -> usize {
    CURRENT.get()
}
