//! The limit of open file descriptors (RLIMIT_NOFILE): each connection uses one.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Wanted soft limit. Most systems set it to 1,024, for programs that use select(2).
const WANTED_DESCRIPTORS: u64 = 65_536;

/// Raises the soft limit of this process up to the hard limit; returns the new limit.
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

/// The maximum number of connections; a quarter of the descriptors is left to files and database connections.
pub(super) fn max_connections(descriptors: u64) -> usize {
    usize::try_from(descriptors / 4 * 3).unwrap_or(usize::MAX)
}
