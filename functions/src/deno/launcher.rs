//! Becoming a worker: this program, started once more, sets what only a process can set for itself, and then runs Deno in its place.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::process::{Pid, Resource, Rlimit, Signal, getppid, set_parent_process_death_signal, setrlimit};

use super::sandbox::Fence;

/// Bytes of one file that a function writes.
const MAX_FILE_BYTES: u64 = 256 << 20;
/// Files that a worker has open.
const MAX_OPEN_FILES: u64 = 4_096;

/// The hidden subcommand, before the process id of the supervisor, the fence and the worker's own command line.
pub const SUBCOMMAND: &str = "function-worker";

/// Runs `command` in place of this program. The worker dies with its supervisor, even one that is killed; it gets no new rights, stays
/// behind its [`Fence`], leaves no core file, and has few files and short ones.
///
/// Call it before any thread is started: the death of the supervisor's thread, not of its process, is what the kernel tells.
///
/// # Errors
/// Only returns when the program cannot be run.
#[must_use]
pub fn become_worker(supervisor: i32, command: &[OsString]) -> io::Error {
    let [fence, program, arguments @ ..] = command else { return io::Error::other("there is no command to run") };
    match prepare(supervisor, fence) {
        Ok(()) => Command::new(program).args(arguments).exec(),
        Err(error) => error,
    }
}

fn prepare(supervisor: i32, fence: &OsStr) -> io::Result<()> {
    rustix::thread::set_no_new_privs(true)?;
    let fence: Fence = serde_json::from_slice(fence.as_encoded_bytes())?;
    fence.enter()?;
    // After the fence: giving capabilities up may forget it.
    set_parent_process_death_signal(Some(Signal::KILL))?;
    // It may have died before.
    if getppid().map(Pid::as_raw_nonzero).map(std::num::NonZero::get) != Some(supervisor) {
        return Err(io::Error::other("the supervisor is gone"));
    }
    for (resource, bound) in
        [(Resource::Core, 0), (Resource::Fsize, MAX_FILE_BYTES), (Resource::Nofile, MAX_OPEN_FILES)]
    {
        setrlimit(resource, Rlimit { current: Some(bound), maximum: Some(bound) })?;
    }
    Ok(())
}
