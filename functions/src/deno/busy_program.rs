//! A program that has just been downloaded can be busy: a process that was forked at this moment has the file open for writing until it executes
//! its own program, and the kernel executes no file that is open for writing. Therefore the start of a busy program is tried again.

use std::time::Duration;

/// How often the start of a busy program is tried.
pub(super) const BUSY_ATTEMPTS: u32 = 100;
/// Time between two tries.
pub(super) const BUSY_PAUSE: Duration = Duration::from_millis(50);
