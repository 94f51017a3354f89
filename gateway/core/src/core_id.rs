//! Number of the processor core to which the current thread belongs. The HTTP server runs one single-threaded Tokio runtime per core, each
//! on its own thread.
//!
//! A database connection is fastest on the thread of the runtime that opened it, because a response then wakes only the waiting thread. Other
//! threads can use the connection, but more slowly.

use std::cell::Cell;
use std::thread::available_parallelism;

thread_local! {
    static CURRENT: Cell<usize> = const { Cell::new(0) };
}

/// Returns the number of processor cores. The HTTP server runs one single-threaded runtime per core.
#[must_use]
pub fn count() -> usize {
    available_parallelism().map_or(1, usize::from)
}

/// Marks the current thread as the thread of a core's runtime. Cores are counted from 0.
pub fn set(core: usize) {
    CURRENT.set(core);
}

/// Returns the number of the core whose runtime runs on the current thread. Returns 0 on a thread without a runtime.
#[must_use]
pub fn current() -> usize {
    CURRENT.get()
}
