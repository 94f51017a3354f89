//! Whom workers run as where this program runs as root: a number that no other program has, so that a worker owns nothing but its temporary
//! folder and its cache, and can signal no process but its own. PostgreSQL's account would own the database.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};

use rustix::thread::{CapabilitiesSecureBits, Gid, Uid};

/// User and group of workers, of those that systemd gives to services without an account (61184 to 65519).
const WORKER_ID: u32 = 61_754;
/// What is in the cache of packages and workers only read.
const READ_ONLY_PARTS: [&str; 2] = ["npm", "remote"];

/// The account of workers; `None`: this program's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WorkerAccount(Option<u32>);

impl WorkerAccount {
    /// For workers whose files are below `folder`.
    pub(crate) fn choose(folder: &Path) -> Self {
        if !rustix::process::geteuid().is_root() {
            return Self(None);
        }
        // Some containers have few accounts.
        match Self(Some(WORKER_ID)).make_folder(&folder.join("workers")) {
            Ok(()) => Self(Some(WORKER_ID)),
            Err(error) => {
                tracing::warn!(%error, "functions run as root without capabilities: the account {WORKER_ID} cannot be used");
                Self(None)
            }
        }
    }

    /// The number of the workers' account where this program may become it.
    pub(crate) fn number() -> Option<u32> {
        rustix::process::geteuid().is_root().then_some(WORKER_ID)
    }

    /// Its number, for [`super::sandbox::Fence`].
    pub(crate) fn id(self) -> Option<u32> {
        self.0
    }

    /// Gives a file or folder to it.
    pub(crate) fn own(self, path: &Path) -> io::Result<()> {
        self.0.map_or(Ok(()), |id| chown(path, Some(id), Some(id)))
    }

    /// Lets it through a folder, in which it can make and remove nothing.
    pub(crate) fn admit(self, folder: &Path) -> io::Result<()> {
        let Some(id) = self.0 else { return Ok(()) };
        chown(folder, None, Some(id))?;
        std::fs::set_permissions(folder, Permissions::from_mode(0o710))
    }

    /// Makes a folder that is its own.
    pub(crate) fn make_folder(self, folder: &Path) -> io::Result<()> {
        std::fs::create_dir_all(folder)?;
        self.own(folder)
    }

    /// Deno's folder for workers: packages are those of `cache`, which only this program writes; what Deno compiles is the account's.
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

/// Becomes the account; the rights of root that are left are those that are set afterwards.
pub(super) fn become_account(id: u32) -> io::Result<()> {
    let (user, group) = (Uid::from_raw(id), Gid::from_raw(id));
    // Rights stay beyond the change of user, and count for `access(2)` too, by which Deno looks whether a package is there.
    let bits = CapabilitiesSecureBits::NO_SETUID_FIXUP | CapabilitiesSecureBits::NO_SETUID_FIXUP_LOCKED;
    rustix::thread::set_capabilities_secure_bits(bits)?;
    rustix::thread::set_thread_groups(&[])?;
    rustix::thread::set_thread_res_gid(group, group, group)?;
    rustix::thread::set_thread_res_uid(user, user, user)?;
    Ok(())
}
