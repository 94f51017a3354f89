//! The operating system accounts that run Deno if Cloch runs as root: one for workers, and one that reads module graphs and downloads
//! packages. No other program uses the ids of these accounts. Therefore a worker owns only its temporary folder and its cache, and can send
//! signals only to its own processes. PostgreSQL's account is not used, because that account owns the database.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, lchown, symlink};
use std::path::{Path, PathBuf};

/// User and group id of the workers' account, from the range that systemd uses for services without an account (61184 to 65519).
const WORKER_ID: u32 = 61_754;
/// User and group id of the account that reads module graphs and downloads packages. Workers have another account, so that they cannot change
/// the packages of other functions.
const RESOLVER_ID: u32 = 61_755;
/// Subfolders of the package cache that workers may only read.
const READ_ONLY_PARTS: [&str; 2] = ["npm", "remote"];

/// Operating system account that runs Deno workers. With `None`, workers run in the account that runs Cloch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WorkerAccount(Option<u32>);

impl WorkerAccount {
    /// Chooses the account of the workers: [`WORKER_ID`] if Cloch runs as root and can create the subfolder `workers` of `folder` for this
    /// account. Otherwise workers run in Cloch's own account.
    pub(crate) fn choose(folder: &Path) -> Self {
        if !can_switch() {
            return Self(None);
        }
        // Some containers map only a few user ids, so switching to `WORKER_ID` may be impossible.
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

    /// Returns the id of the workers' account, or `None` if Cloch cannot switch to that account ([`can_switch`]).
    pub(crate) fn number() -> Option<u32> {
        can_switch().then_some(WORKER_ID)
    }

    pub(crate) fn id(self) -> Option<u32> {
        self.0
    }

    pub(crate) fn own(self, path: &Path) -> io::Result<()> {
        self.0.map_or(Ok(()), |id| chown(path, Some(id), Some(id)))
    }

    /// Allows the workers' account to enter a folder and to open the files in it by name, but not to list or change the folder.
    pub(crate) fn admit(self, folder: &Path) -> io::Result<()> {
        let Some(id) = self.0 else { return Ok(()) };
        chown(folder, None, Some(id))?;
        std::fs::set_permissions(folder, Permissions::from_mode(0o710))
    }

    /// Creates a folder that the workers' account owns.
    pub(crate) fn make_folder(self, folder: &Path) -> io::Result<()> {
        std::fs::create_dir_all(folder)?;
        self.own(folder)
    }

    /// Returns the folder that workers use as Deno's cache. If workers have an account of their own, this is the subfolder `workers` of
    /// `folder`. In this subfolder, the packages are symbolic links to `cache`, to which only Cloch writes; the workers' account writes
    /// Deno's compiled files. Otherwise returns `cache`.
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

/// Operating system account that reads module graphs and downloads packages. `None`: the account that runs Cloch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ResolverAccount(Option<u32>);

impl ResolverAccount {
    /// Chooses the account: [`RESOLVER_ID`] if Cloch runs as root, and gives this account the package cache `cache`. In a container that does
    /// not allow the account, Cloch's own account.
    pub(crate) fn choose(cache: &Path) -> Self {
        if !can_switch() {
            return Self(None);
        }
        match give_folder(cache, RESOLVER_ID) {
            Ok(()) => Self(Some(RESOLVER_ID)),
            Err(error) => {
                tracing::warn!(
                    %error,
                    folder = %cache.display(),
                    "functions: switching to the unprivileged account {RESOLVER_ID} is not possible, Deno downloads packages as root"
                );
                Self(None)
            }
        }
    }

    pub(crate) fn id(self) -> Option<u32> {
        self.0
    }
}

/// Whether Cloch can start Deno in another account: it runs as root, on a system where the switch is implemented ([`super::sandbox`]).
fn can_switch() -> bool {
    cfg!(target_os = "linux") && rustix::process::geteuid().is_root()
}

/// Makes the account `id` the owner of a folder and its content. Does nothing if the account already owns the folder: a program of that
/// account could otherwise replace parts of the folder by links, and the account would become the owner of other folders' content.
fn give_folder(folder: &Path, id: u32) -> io::Result<()> {
    if std::fs::metadata(folder)?.uid() == id {
        return give_new_entries(folder, id);
    }
    for entry in walkdir::WalkDir::new(folder).min_depth(1).contents_first(true) {
        lchown(entry?.path(), Some(id), Some(id))?;
    }
    // The folder itself is changed last. If the server is stopped before, the next start repeats the change.
    chown(folder, Some(id), Some(id))
}

/// Makes the account `id` the owner of the direct entries of a folder that belong to root: an earlier version of Cloch, or an
/// administrator, may have created them. The owner of their content is not changed, for the same reason as in [`give_folder`].
fn give_new_entries(folder: &Path, id: u32) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.metadata()?.uid() == 0 {
            lchown(entry.path(), Some(id), Some(id))?;
        }
    }
    Ok(())
}
