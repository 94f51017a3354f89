//! Reads the resource usage of a worker process from /proc. The memory includes buffers outside the JavaScript heap.

use std::time::Duration;

/// Clock ticks per second in `/proc/PID/stat`, a constant of Linux's user-space interface.
#[cfg(any(target_os = "linux", test))]
const TICKS_PER_SECOND: u64 = 100;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Usage {
    /// Processor time of the process in user mode and system mode.
    pub(super) cpu: Duration,
    pub(super) memory_bytes: u64,
}

impl Usage {
    /// Reads the resource usage of a running process. Returns `None` if the process has ended.
    #[cfg(target_os = "linux")]
    pub(super) fn of(pid: u32) -> Option<Self> {
        let read = |name: &str| std::fs::read_to_string(format!("/proc/{pid}/{name}")).ok();
        parse(&read("stat")?, &read("statm")?, rustix::param::page_size() as u64)
    }

    /// Other systems have no /proc. Without a measured usage, only the limits of duration apply.
    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unnecessary_wraps, reason = "the signature is the one of Linux")]
    pub(super) fn of(_pid: u32) -> Option<Self> {
        Some(Self::default())
    }
}

#[cfg(any(target_os = "linux", test))]
fn parse(stat: &str, statm: &str, page_bytes: u64) -> Option<Usage> {
    // The process name in parentheses may contain any characters. The process state follows the name; the processor times are the 12th and
    // 13th field, counted from the state.
    let (_, fields) = stat.rsplit_once(") ")?;
    let mut times = fields.split(' ').skip(11).map(str::parse::<u64>);
    let ticks = times.next()?.ok()? + times.next()?.ok()?;
    let pages: u64 = statm.split(' ').nth(1)?.parse().ok()?;
    Some(Usage { cpu: Duration::from_millis(ticks * 1000 / TICKS_PER_SECOND), memory_bytes: pages * page_bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parentheses_is_no_field() {
        let stat = "7 (de) no) R 1 7 7 0 -1 4194304 1 0 0 0 150 25 0 0 20 0 8 0 100 200 300";
        let usage = parse(stat, "1000 50 40 1 0 9 0\n", 4096).unwrap();
        assert_eq!(usage, Usage { cpu: Duration::from_millis(1750), memory_bytes: 50 * 4096 });
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_uses_memory() {
        assert!(Usage::of(std::process::id()).unwrap().memory_bytes > 1 << 20);
        assert_eq!(Usage::of(u32::MAX), None);
    }
}
