//! The embedded PostgreSQL: a cluster in the data folder, run as a child process.
//!
//! `binaries` finds the programs, `account` chooses whom they run as, `cluster` creates the data folder, `leftover` tells whether a
//! server still runs in it, `extensions` lets the project's owner create them, `parameters` are the server's settings, `process` runs the
//! server, restarts it when it dies and stops it cleanly, `server_log` bounds what it writes, `password` sets the superuser's where it
//! is lost, `upgrade` moves the cluster to another major version of PostgreSQL.

mod account;
mod binaries;
mod cluster;
pub(crate) mod extensions;
mod killed_upgrade;
mod leftover;
mod parameters;
mod password;
mod process;
mod server_log;
mod upgrade;

use std::path::PathBuf;

pub use account::Account;
pub use binaries::{Binaries, major_version};
use cloch_core::Secret;
pub use extensions::extension_folder;
pub use password::reset_password;
pub use process::Cluster;
pub use upgrade::{OldCluster, Upgrade};

use crate::Availability;
use crate::login::{Address, Login, SessionAttributes, SslMode};

/// The superuser that owns an embedded cluster.
pub const SUPERUSER: &str = "supabase_admin";

/// How the superuser of an embedded cluster logs in: over the server's socket, or over TCP where another process has started it.
#[must_use]
pub fn superuser_login(address: Address, port: u16, password: Secret) -> Login {
    Login {
        address,
        port,
        user: SUPERUSER.to_owned(),
        password,
        database: "postgres".to_owned(),
        ssl_mode: SslMode::Disable,
        ssl_root_cert: None,
        keep_statements: true,
        hosts: Vec::new(),
        session_attributes: SessionAttributes::Any,
        catalog_only: false,
        availability: Availability::default(),
    }
}

/// What an embedded cluster is started with.
#[derive(Clone, Debug)]
pub struct ClusterSettings {
    /// The cluster's folder; made if absent.
    pub folder: PathBuf,
    /// TCP port on 127.0.0.1, also part of the socket's name.
    pub port: u16,
    /// The superuser's password, used when the cluster is made and to log in.
    pub password: Secret,
    /// The folder with `postgres` and `initdb` (`CLOCH_POSTGRES_BIN`); found by itself when absent.
    pub binaries: Option<PathBuf>,
    /// Server settings beyond Cloch's own, as `name = value`.
    pub parameters: Vec<(String, String)>,
}

/// Why the embedded database cannot be had. Each text says what to do.
#[derive(Debug, thiserror::Error)]
pub enum EmbeddedError {
    /// No PostgreSQL on the machine.
    #[error(
        "no PostgreSQL found (looked in {looked}). Install it (Debian, Ubuntu: apt-get install postgresql), or name its bin \
         folder in CLOCH_POSTGRES_BIN, or use a running server with CLOCH_DB_URL. A project's node_modules is not searched"
    )]
    NoBinaries {
        /// The places searched.
        looked: String,
    },
    /// PostgreSQL's programs could be replaced by another account.
    #[error(transparent)]
    Program(#[from] cloch_core::programs::Refused),
    /// PostgreSQL's programs are in a folder that the account that runs them cannot enter.
    #[error(
        "PostgreSQL's programs in {} cannot be run: Cloch runs as root, PostgreSQL refuses to, and the unprivileged account that runs it \
         may not enter that folder. Run Cloch as another user than root, install PostgreSQL on the machine (Debian, Ubuntu: apt-get \
         install postgresql), or open the folder (chmod o+x on it and on each folder above)",
        programs.display()
    )]
    Unreachable {
        /// Their folder.
        programs: PathBuf,
    },
    /// The data folder belongs to another major version.
    #[error(
        "{} was made by PostgreSQL {found}, but {} is version {available}. Install PostgreSQL {found} (Debian, Ubuntu: apt-get install \
         postgresql-{found}), or name its bin folder in CLOCH_POSTGRES_BIN; with both on this machine, `cloch upgrade` moves the data to \
         the newer one",
        folder.display(), binaries.display()
    )]
    OtherVersion {
        /// The cluster's folder.
        folder: PathBuf,
        /// The version that made it.
        found: String,
        /// The version at hand.
        available: String,
        /// Where the version at hand is.
        binaries: PathBuf,
    },
    /// Something else listens on the port.
    #[error(
        "port {port} on 127.0.0.1, where the database should listen, is taken by another program. Stop it, or choose another \
         port with [db] port in config.toml"
    )]
    PortTaken {
        /// The port.
        port: u16,
    },
    /// The disk is full.
    #[error(
        "no space left on the disk that holds {} ({free}): free some and start again; nothing was lost",
        folder.display()
    )]
    DiskFull {
        /// The cluster's folder.
        folder: PathBuf,
        /// How much is free, in words.
        free: String,
    },
    /// An upgrade to another major version that cannot be made.
    #[error("{0}")]
    Upgrade(String),
    /// A program of PostgreSQL failed.
    #[error("{program} failed:\n{output}")]
    Failed {
        /// Which program.
        program: &'static str,
        /// What it printed last.
        output: String,
    },
    /// The folder could not be made or read.
    #[error("{}: {source}", path.display())]
    Io {
        /// What was touched.
        path: PathBuf,
        /// What went wrong.
        source: std::io::Error,
    },
}

impl EmbeddedError {
    fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| match source.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Self::disk_full(path),
            _ => Self::Io { path, source },
        }
    }

    fn disk_full(folder: PathBuf) -> Self {
        let known = folder.ancestors().find_map(|path| rustix::fs::statvfs(path).ok());
        let free = known.map_or_else(
            || "free space unknown".to_owned(),
            |disk| {
                format!(
                    "{} MiB free of {} MiB",
                    (disk.f_bavail * disk.f_frsize) >> 20,
                    (disk.f_blocks * disk.f_frsize) >> 20
                )
            },
        );
        Self::DiskFull { folder, free }
    }

    fn failed(program: &'static str, folder: &std::path::Path, output: &str) -> Self {
        // initdb may abort without a word where a page cannot be had, and clears away what filled the disk.
        if output.contains("No space left on device") || !has_room(folder) {
            return Self::disk_full(folder.to_owned());
        }
        let lines: Vec<&str> = output.lines().rev().take(12).collect();
        Self::Failed { program, output: lines.into_iter().rev().collect::<Vec<_>>().join("\n") }
    }
}

/// Whether a new cluster's worth of bytes can be written beside a folder. Asked only when something failed.
fn has_room(folder: &std::path::Path) -> bool {
    use std::io::Write;
    let probe = folder.with_extension("probe");
    let block = vec![1_u8; 1 << 20];
    let written = std::fs::File::create(&probe)
        .and_then(|mut file| (0..64).try_for_each(|_| file.write_all(&block)).and_then(|()| file.sync_all()));
    let _ = std::fs::remove_file(&probe);
    !matches!(written, Err(error) if error.kind() == std::io::ErrorKind::StorageFull)
}
