//! Whom PostgreSQL runs as: it refuses to run as root, so root hands it to an unprivileged account.

use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use cloch_core::programs;

use super::EmbeddedError;

/// Accounts root may hand the server to, the best first.
const UNPRIVILEGED: [&str; 2] = ["postgres", "nobody"];

/// The account that owns the cluster and runs its programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Account {
    /// The one that runs Cloch.
    Own,
    /// An unprivileged one, because Cloch runs as root.
    Other {
        /// User id.
        uid: u32,
        /// Group id.
        gid: u32,
    },
}

impl Account {
    /// The account for this process: its own, or an unprivileged one for root.
    #[must_use]
    pub fn choose() -> Self {
        // /proc/self belongs to the effective user; elsewhere than on Linux a new temporary file would.
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

    /// A command that runs as this account, with what [`programs::environment`] leaves of the environment.
    #[must_use]
    pub fn command(self, program: &Path) -> Command {
        let mut command = Command::new(program);
        // The operator's keys and tokens are none of PostgreSQL's, and with NOTIFY_SOCKET it would tell systemd that Cloch is ready.
        command.env_clear().envs(programs::environment());
        if let Self::Other { uid, gid } = self {
            command.uid(uid).gid(gid);
        }
        command
    }

    /// Makes a folder that only this account may read.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn make_folder(self, folder: &Path) -> Result<(), EmbeddedError> {
        std::fs::create_dir_all(folder).map_err(EmbeddedError::io(folder))?;
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700)).map_err(EmbeddedError::io(folder))?;
        self.own(folder)
    }

    /// Gives a path to this account.
    ///
    /// # Errors
    /// When that is not allowed.
    pub fn own(self, path: &Path) -> Result<(), EmbeddedError> {
        match self {
            Self::Own => Ok(()),
            Self::Other { uid, gid } => chown(path, Some(uid), Some(gid)).map_err(EmbeddedError::io(path)),
        }
    }

    /// Where the cluster can live: the wanted folder, or, when an ancestor of it is closed to this account (a checkout in
    /// root's home), a folder of its own under /var/lib that the wanted path then links to.
    ///
    /// # Errors
    /// When the link cannot be made.
    pub fn reachable(self, wanted: &Path) -> Result<PathBuf, EmbeddedError> {
        if let Ok(target) = std::fs::read_link(wanted) {
            return Ok(target);
        }
        if self == Self::Own || wanted.exists() || self.can_enter_all(wanted.parent().unwrap_or(wanted)) {
            return Ok(wanted.to_owned());
        }
        let name = format!("{:x}", fnv(wanted.to_string_lossy().as_bytes()));
        let target = Path::new("/var/lib/cloch").join(name).join("db");
        let parent = target.parent().unwrap_or(&target);
        std::fs::create_dir_all(parent).map_err(EmbeddedError::io(parent))?;
        self.own(parent)?;
        std::os::unix::fs::symlink(&target, wanted).map_err(EmbeddedError::io(wanted))?;
        tracing::info!(
            "the database lives in {}, because the unprivileged account that runs it cannot enter {}",
            target.display(),
            wanted.parent().unwrap_or(wanted).display()
        );
        Ok(target)
    }

    /// Refuses programs in a folder that is closed to this account (a project in root's home that brings its own PostgreSQL).
    ///
    /// # Errors
    /// When it cannot run them; says what to do.
    pub fn must_reach(self, programs: &Path) -> Result<(), EmbeddedError> {
        if self.can_enter_all(programs) {
            return Ok(());
        }
        Err(EmbeddedError::Unreachable { programs: programs.to_owned() })
    }

    fn can_enter_all(self, folder: &Path) -> bool {
        let Self::Other { uid, gid } = self else { return true };
        folder.ancestors().filter_map(|ancestor| std::fs::metadata(ancestor).ok()).all(|metadata| {
            let bit = match (metadata.uid() == uid, metadata.gid() == gid) {
                (true, _) => 0o100,
                (_, true) => 0o010,
                _ => 0o001,
            };
            metadata.mode() & bit != 0
        })
    }
}

/// FNV-1a: a steady short name for a path.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
