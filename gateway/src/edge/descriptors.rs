//! File descriptors: each connection takes one, so that their number bounds how many connections there may be.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// What the soft limit is raised to where the hard limit allows it. The soft limit of most systems is 1,024, for the sake of
/// programs that use select(2).
const WANTED: u64 = 65_536;

/// Raises the soft limit of this process as far as it may; returns how many descriptors it may have open.
pub(super) fn raise_limit() -> u64 {
    let limit = getrlimit(Resource::Nofile);
    let soft = limit.current.unwrap_or(WANTED);
    let raised = limit.maximum.map_or(WANTED, |hard| hard.min(WANTED));
    if raised <= soft {
        return soft;
    }
    match setrlimit(Resource::Nofile, Rlimit { current: Some(raised), maximum: limit.maximum }) {
        Ok(()) => raised,
        Err(_) => soft,
    }
}

/// How many connections there may be beside the files and database connections that serve them.
pub(super) fn connections_of(descriptors: u64) -> usize {
    usize::try_from(descriptors / 4 * 3).unwrap_or(usize::MAX)
}
