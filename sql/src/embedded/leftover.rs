//! Detects whether a PostgreSQL server still runs in a cluster's folder. A check of `postmaster.pid` alone is not sufficient: after a
//! restart of the machine or container, the process ID in this file may belong to another program or to a thread of this program, which
//! must not be stopped.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::process::{Pid, Signal, getpid, kill_process};

/// Process ID greater than the maximum on Linux (`PID_MAX_LIMIT` is 2^22).
const UNUSED_PID: &str = "2147483646";

/// Whether the process in `postmaster.pid` is a server of this cluster's folder. If the process is another program, an unused process ID is
/// written into the file, because PostgreSQL refuses to start while a process with the recorded ID runs. The other lines of the file
/// remain: PostgreSQL uses them to detect processes of the old server that still use its shared memory.
pub(super) fn is_running(folder: &Path) -> bool {
    let file = folder.join("postmaster.pid");
    let Ok(text) = fs::read_to_string(&file) else { return false };
    let (pid, rest) = text.split_once('\n').unwrap_or((&text, ""));
    let pid = pid.trim();
    match fs::read(format!("/proc/{pid}/cmdline")) {
        Ok(arguments) if !runs_in(&arguments, folder) => {
            let _ = fs::write(&file, format!("{UNUSED_PID}\n{rest}"));
            false
        }
        Ok(_) => true,
        // On Linux, a missing entry in /proc means that the process does not exist. On systems without /proc, pg_ctl must check the
        // process.
        Err(_) => !Path::new("/proc/self/cmdline").exists(),
    }
}

/// Kills all processes with an argument that begins with the path of the cluster's folder.
pub(super) fn kill_programs_of(folder: &Path) {
    let Ok(entries) = fs::read_dir("/proc") else { return };
    for process in entries.flatten() {
        let pid = process.file_name().to_str().and_then(|name| name.parse().ok()).and_then(Pid::from_raw);
        let Some(pid) = pid.filter(|pid| *pid != getpid()) else { continue };
        let Ok(arguments) = fs::read(process.path().join("cmdline")) else { continue };
        if arguments.split(|byte| *byte == 0).any(|argument| argument.starts_with(folder.as_os_str().as_bytes())) {
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

fn runs_in(arguments: &[u8], folder: &Path) -> bool {
    let Ok(folder) = folder.canonicalize() else { return false };
    let paths = arguments.split(|byte| *byte == 0).filter(|argument| argument.starts_with(b"/"));
    paths.filter_map(|path| Path::new(OsStr::from_bytes(path)).canonicalize().ok()).any(|path| path == folder)
}
