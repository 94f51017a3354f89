//! Whether a server still runs in a cluster's folder. `postmaster.pid` alone does not tell: after a restart of the machine or the
//! container its number may be another program's, or a thread's of this one, and that must not be stopped in the server's place.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::process::{Pid, Signal, getpid, kill_process};

/// Above any process id that Linux gives (`PID_MAX_LIMIT` is 2^22).
const UNUSED_PID: &str = "2147483646";

/// Whether the process that `postmaster.pid` names is a server of this folder. Where it is another program's, the file is changed to
/// name none, for PostgreSQL refuses to start while a process of that number runs. Its other lines stay: by them PostgreSQL sees
/// whether a process of the old server still has its memory.
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
        // Linux says which processes there are; elsewhere pg_ctl has to find out.
        Err(_) => !Path::new("/proc/self/cmdline").exists(),
    }
}

/// Kills the programs that name a folder which nobody uses any more, or one whose name begins with its name.
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
