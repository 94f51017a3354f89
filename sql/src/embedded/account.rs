//! Operating system account of the embedded PostgreSQL. PostgreSQL refuses to run as root, so Cloch running as root starts it in an
//! unprivileged account.

use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use cloch_core::programs;

use super::EmbeddedError;

const UNPRIVILEGED: [&str; 2] = ["postgres", "nobody"];

/// Account that owns the cluster and runs PostgreSQL's programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Account {
    /// The account that runs Cloch.
    Own,
    /// An unprivileged account, because Cloch runs as root.
    Other {
        /// User ID of the unprivileged account.
        uid: u32,
        /// Group ID of the unprivileged account.
        gid: u32,
    },
}

impl Account {
    /// Chooses the account: the account that runs Cloch, or an unprivileged account if Cloch runs as root.
    #[must_use]
    pub fn choose() -> Self {
        // On Linux, /proc/self belongs to the effective user. Other systems have no /proc and keep the current account.
        let is_root = std::fs::metadata("/proc/self").is_ok_and(|metadata| metadata.uid() == 0);
        if !is_root {
            return Self::Own;
        }
        let passwd = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
        let find = |name: &str| {
            passwd.lines().find_map(|line| {
                let mut fields = line.split(':');
                (fields.next() == Some(name)).then_some(())?;
                let uid = fields.nth(1)?.parse().ok()?;
                let gid = fields.next()?.parse().ok()?;
                Some(Self::Other { uid, gid })
            })
        };
        UNPRIVILEGED.iter().find_map(|name| find(name)).unwrap_or(Self::Own)
    }

    /// Creates a command that runs in this account, with only the environment variables of [`programs::environment`].
    #[must_use]
    pub fn command(self, program: &Path) -> Command {
        let mut command = Command::new(program);
        // PostgreSQL must not receive the operator's keys and tokens, nor NOTIFY_SOCKET, with which it would report to systemd that Cloch
        // is ready.
        command.env_clear().envs(programs::environment());
        if let Self::Other { uid, gid } = self {
            command.uid(uid).gid(gid);
        }
        command
    }

    /// Creates a folder with mode 0700 that belongs to this account.
    ///
    /// # Errors
    /// Fails if the folder cannot be created.
    pub fn make_folder(self, folder: &Path) -> Result<(), EmbeddedError> {
        std::fs::create_dir_all(folder).map_err(EmbeddedError::io(folder))?;
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700)).map_err(EmbeddedError::io(folder))?;
        self.own(folder)
    }

    /// Changes the owner of a path to this account.
    ///
    /// # Errors
    /// Fails if the change is not permitted.
    pub fn own(self, path: &Path) -> Result<(), EmbeddedError> {
        match self {
            Self::Own => Ok(()),
            Self::Other { uid, gid } => chown(path, Some(uid), Some(gid)).map_err(EmbeddedError::io(path)),
        }
    }

    /// Checks that this account can enter the folder of PostgreSQL's programs. The check fails, for example, if PostgreSQL is installed
    /// inside root's home folder.
    ///
    /// # Errors
    /// Fails if the folder cannot be entered; the message explains what to do.
    pub fn must_reach(self, programs: &Path) -> Result<(), EmbeddedError> {
        if self.closed(programs).is_empty() {
            return Ok(());
        }
        Err(EmbeddedError::Unreachable { programs: programs.to_owned() })
    }

    /// Returns the folders among `folder` and its parent folders that this account cannot enter according to their permission bits.
    pub(super) fn closed(self, folder: &Path) -> Vec<PathBuf> {
        let Self::Other { uid, gid } = self else { return Vec::new() };
        let is_closed = |folder: &&Path| {
            let Ok(metadata) = std::fs::metadata(folder) else { return false };
            let bit = match (metadata.uid() == uid, metadata.gid() == gid) {
                (true, _) => 0o100,
                (_, true) => 0o010,
                _ => 0o001,
            };
            metadata.mode() & bit == 0
        };
        folder.ancestors().filter(is_closed).map(Path::to_owned).collect()
    }
}
