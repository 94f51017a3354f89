//! Number of the processor core whose runtime runs on the current thread. The HTTP server has one single-threaded runtime per core.
//!
//! A database connection is fastest on the thread of the runtime that opened it, because a response then wakes only the waiting thread.
//! Other threads can use the connection too, but more slowly.

use std::cell::Cell;
use std::thread::available_parallelism;

thread_local! {
    static CURRENT: Cell<usize> = const { Cell::new(0) };
}

/// Returns the number of cores, which is also the number of runtimes.
#[must_use]
pub fn count() -> usize {
    available_parallelism().map_or(1, usize::from)
}

/// Marks this thread as the runtime of a core, counted from 0.
pub fn set(core: usize) {
    CURRENT.set(core);
}

/// Returns the core whose runtime runs on this thread; 0 for other threads.
#[must_use]
pub fn current() -> usize {
    CURRENT.get()
}
