//! Which processor core's runtime the current thread runs: the HTTP server has one single-threaded runtime for each core.
//!
//! What a runtime has opened, such as a database connection, is best used on that runtime's thread: the response then wakes the thread
//! that waits for it and no other. It works on other threads as well, more slowly.

use std::cell::Cell;
use std::thread::available_parallelism;

thread_local! {
    static CURRENT: Cell<usize> = const { Cell::new(0) };
}

/// How many cores there are, and so how many runtimes.
#[must_use]
pub fn count() -> usize {
    available_parallelism().map_or(1, usize::from)
}

/// Declares this thread to be the runtime of a core, counted from 0.
pub fn set(core: usize) {
    CURRENT.set(core);
}

/// The core whose runtime this thread is; 0 for other threads.
#[must_use]
pub fn current() -> usize {
    CURRENT.get()
}
