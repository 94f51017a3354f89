//! Limit of open file descriptors (RLIMIT_NOFILE). Each connection uses one descriptor.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Soft limit of file descriptors that the process requests. Most systems have a soft limit of 1,024, for programs that use select(2).
const WANTED_DESCRIPTORS: u64 = 65_536;

/// Raises the soft limit of file descriptors of this process to [`WANTED_DESCRIPTORS`], at most to the hard limit. Returns the resulting soft
/// limit.
pub(super) fn raise_limit() -> u64 {
    let limit = getrlimit(Resource::Nofile);
    let soft = limit.current.unwrap_or(WANTED_DESCRIPTORS);
    let raised = limit.maximum.map_or(WANTED_DESCRIPTORS, |hard| hard.min(WANTED_DESCRIPTORS));
    if raised <= soft {
        return soft;
    }
    match setrlimit(Resource::Nofile, Rlimit { current: Some(raised), maximum: limit.maximum }) {
        Ok(()) => raised,
        Err(_) => soft,
    }
}

/// Returns the maximum number of client connections for a limit of `descriptors` file descriptors. A quarter of the descriptors is reserved
/// for files and database connections.
pub(super) fn max_connections(descriptors: u64) -> usize {
    usize::try_from(descriptors / 4 * 3).unwrap_or(usize::MAX)
}
