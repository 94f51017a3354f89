//! The operating system account that runs workers if Cloch runs as root. Its number is used by no other program, so a worker owns only its
//! temporary folder and its cache, and can send signals only to its own processes. PostgreSQL's account is not used, because it owns the
//! database.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};

use rustix::thread::{CapabilitiesSecureBits, Gid, Uid};

/// User and group id of workers, from the range that systemd uses for services without an account (61184 to 65519).
const WORKER_ID: u32 = 61_754;
/// Parts of the package cache that workers may only read.
const READ_ONLY_PARTS: [&str; 2] = ["npm", "remote"];

/// The account of workers. `None` means the account of this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WorkerAccount(Option<u32>);

impl WorkerAccount {
    /// Chooses the account for workers whose files are below `folder`.
    pub(crate) fn choose(folder: &Path) -> Self {
        if !rustix::process::geteuid().is_root() {
            return Self(None);
        }
        // Some containers map only a few user ids, so the id may be unusable.
        match Self(Some(WORKER_ID)).make_folder(&folder.join("workers")) {
            Ok(()) => Self(Some(WORKER_ID)),
            Err(error) => {
                tracing::warn!(
                    %error,
                    folder = %folder.display(),
                    "functions: switching to the unprivileged account {WORKER_ID} is not possible, functions run as root without capabilities"
                );
                Self(None)
            }
        }
    }

    /// Returns the id of the workers' account if this program can switch to it.
    pub(crate) fn number() -> Option<u32> {
        rustix::process::geteuid().is_root().then_some(WORKER_ID)
    }

    pub(crate) fn id(self) -> Option<u32> {
        self.0
    }

    pub(crate) fn own(self, path: &Path) -> io::Result<()> {
        self.0.map_or(Ok(()), |id| chown(path, Some(id), Some(id)))
    }

    /// Lets the account pass through a folder without write access to it.
    pub(crate) fn admit(self, folder: &Path) -> io::Result<()> {
        let Some(id) = self.0 else { return Ok(()) };
        chown(folder, None, Some(id))?;
        std::fs::set_permissions(folder, Permissions::from_mode(0o710))
    }

    /// Creates a folder owned by the account.
    pub(crate) fn make_folder(self, folder: &Path) -> io::Result<()> {
        std::fs::create_dir_all(folder)?;
        self.own(folder)
    }

    /// Returns Deno's cache folder for workers. Its packages are links to `cache`, which only this program writes; the account writes Deno's
    /// compiled files.
    pub(crate) fn cache(self, folder: &Path, cache: &Path) -> io::Result<PathBuf> {
        if self.0.is_none() {
            return Ok(cache.to_owned());
        }
        let own = folder.join("workers");
        for part in READ_ONLY_PARTS {
            std::fs::create_dir_all(cache.join(part))?;
            match symlink(cache.join(part), own.join(part)) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
        }
        Ok(own)
    }
}

/// Switches this process to the account. Capabilities of root remain until the caller drops them.
pub(super) fn become_account(id: u32) -> io::Result<()> {
    let (user, group) = (Uid::from_raw(id), Gid::from_raw(id));
    // Keep the capabilities after the change of user. They also count for `access(2)`, with which Deno checks whether a package exists.
    let bits = CapabilitiesSecureBits::NO_SETUID_FIXUP | CapabilitiesSecureBits::NO_SETUID_FIXUP_LOCKED;
    rustix::thread::set_capabilities_secure_bits(bits)?;
    rustix::thread::set_thread_groups(&[])?;
    rustix::thread::set_thread_res_gid(group, group, group)?;
    rustix::thread::set_thread_res_uid(user, user, user)?;
    Ok(())
}
