//! Launches a Deno worker: a second process of Cloch applies the restrictions that a process must set for itself, and is then replaced by Deno.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::process::{Pid, Resource, Rlimit, getppid, setrlimit};

use crate::deno::busy_program::{BUSY_ATTEMPTS, BUSY_PAUSE};
use crate::deno::sandbox::Fence;

/// Maximum size in bytes of a file that a function writes to disk.
const MAX_FILE_BYTES: u64 = 256 << 20;
const MAX_OPEN_FILES: u64 = 4_096;

/// Hidden subcommand of Cloch that launches a worker. The next arguments are the process id of Cloch (the supervisor), the [`Fence`] with
/// the kernel restrictions, and the worker's command line.
pub const SUBCOMMAND: &str = "function-worker";

/// Replaces this process by `command`. The worker is killed when its supervisor (the parent process) dies, even if the supervisor is
/// killed. The worker cannot gain privileges, is restricted by its [`Fence`], writes no core file, and has limits on the number and size of
/// files.
///
/// Call this function before any thread is started. The kernel sends the death signal when the parent thread ends, not when the parent
/// process ends.
///
/// # Errors
/// Returns only if the program cannot be run.
#[must_use]
pub fn become_worker(supervisor: i32, command: &[OsString]) -> io::Error {
    let [fence, program, arguments @ ..] = command else { return io::Error::other("there is no command to run") };
    match prepare(supervisor, fence) {
        Ok(()) => replace_by(program, arguments),
        Err(error) => error,
    }
}

/// Replaces this process by a program. A busy program is tried again ([`crate::deno::busy_program`]).
fn replace_by(program: &OsStr, arguments: &[OsString]) -> io::Error {
    let mut left = BUSY_ATTEMPTS;
    loop {
        let error = Command::new(program).args(arguments).exec();
        left -= 1;
        if left == 0 || error.kind() != io::ErrorKind::ExecutableFileBusy {
            return error;
        }
        std::thread::sleep(BUSY_PAUSE);
    }
}

fn prepare(supervisor: i32, fence: &OsStr) -> io::Result<()> {
    let fence: Fence = serde_json::from_slice(fence.as_encoded_bytes())?;
    fence.enter()?;
    // Fail if the supervisor ended before this process asked the kernel for its death signal.
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
