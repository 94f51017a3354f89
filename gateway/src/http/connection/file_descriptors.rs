//! The limit of file descriptors (RLIMIT_NOFILE): each connection takes one.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The soft limit is raised to this where the hard limit allows it. The soft limit of most systems is 1,024, for the sake of
/// programs that use select(2).
const WANTED_DESCRIPTORS: u64 = 65_536;

/// Raises the soft limit of this process as far as it may; returns how many descriptors it may have open.
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

/// How many connections there may be, which leaves a quarter to files and database connections.
pub(super) fn max_connections(descriptors: u64) -> usize {
    usize::try_from(descriptors / 4 * 3).unwrap_or(usize::MAX)
}
