//! Embedded PostgreSQL: a cluster in the data folder, run as a child process.
//!
//! `binaries` finds PostgreSQL's programs, `account` chooses the operating system account, `cluster` creates the cluster's folder,
//! `leftover` detects a server that an earlier start left running in this folder, `extensions` permits the project's owner to create
//! extensions, `hooks` loads the library that permits the owner some statements of a superuser, `parameters` sets the server's settings,
//! `place` determines the cluster's folder, `port` chooses a free port, `process` starts the server, restarts it after a crash and stops it
//! cleanly, `running` is the handle of a running cluster, `server_log` limits the size of the server's log, `password` resets a lost
//! superuser password, and `upgrade` migrates the cluster to another major version of PostgreSQL.

mod account;
mod binaries;
mod client;
mod cluster;
pub(crate) mod extensions;
mod hooks;
mod killed_upgrade;
mod leftover;
mod parameters;
mod password;
mod place;
mod port;
mod process;
mod running;
mod server_log;
mod upgrade;

use std::path::PathBuf;

pub use account::Account;
pub use binaries::{Binaries, major_version};
use cloch_core::Secret;
pub use extensions::extension_folder;
pub use password::reset_password;
pub use place::link_target;
pub use running::Cluster;
pub use upgrade::{OldCluster, Upgrade};

use crate::Availability;
use crate::login::{Address, Login, SessionAttributes, SslMode};

/// Superuser that owns an embedded cluster.
pub const SUPERUSER: &str = "supabase_admin";

/// Returns the login of the embedded cluster's superuser. `address` is the server's Unix socket, or a TCP address if another process
/// started the server.
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
        // The superuser's sessions search only pg_catalog, because the project's owner sets the search_path of the database.
        catalog_only: true,
        availability: Availability::default(),
    }
}

/// Settings of an embedded cluster.
#[derive(Clone, Debug)]
pub struct ClusterSettings {
    /// Folder of the cluster; created if missing.
    pub folder: PathBuf,
    /// TCP port on 127.0.0.1; the name of the Unix socket contains the port too.
    pub port: u16,
    /// Password of the superuser, for creating the cluster and for logging in.
    pub password: Secret,
    /// Folder with `postgres` and `initdb` (`CLOCH_POSTGRES_BIN`); `None` to search for it.
    pub binaries: Option<PathBuf>,
    /// Additional PostgreSQL server settings, as name and value.
    pub parameters: Vec<(String, String)>,
}

/// Reason why the embedded database cannot be started. Each error message tells the operator what to do.
#[derive(Debug, thiserror::Error)]
pub enum EmbeddedError {
    /// PostgreSQL is not installed.
    #[error(
        "no PostgreSQL found (looked in {looked}). Install it (Debian, Ubuntu: apt-get install postgresql), or name its bin \
         folder in CLOCH_POSTGRES_BIN, or use a running server with CLOCH_DB_URL. A project's node_modules is not searched"
    )]
    NoBinaries {
        /// Searched folders, as text.
        looked: String,
    },
    /// Another account could replace PostgreSQL's programs.
    #[error(transparent)]
    Program(#[from] cloch_core::programs::Refused),
    /// The account that runs PostgreSQL cannot enter the folder of PostgreSQL's programs.
    #[error(
        "PostgreSQL's programs in {} cannot be run: Cloch runs as root, PostgreSQL refuses to, and the unprivileged account that runs it \
         may not enter that folder. Run Cloch as another user than root, install PostgreSQL on the machine (Debian, Ubuntu: apt-get \
         install postgresql), or open the folder (chmod o+x on it and on each folder above)",
        programs.display()
    )]
    Unreachable {
        /// Folder of PostgreSQL's programs.
        programs: PathBuf,
    },
    /// The account that runs PostgreSQL's programs cannot read the file with the trusted certificates.
    #[error(
        "the certificates in {} cannot be read: Cloch runs as root, and the unprivileged account that runs PostgreSQL's programs may not read \
         that file. Copy it to a folder that every account may enter, such as /etc/ssl, make it readable (chmod a+r), and name it in sslrootcert",
        file.display()
    )]
    Unreadable {
        /// File with the certificates.
        file: PathBuf,
    },
    /// The account that runs PostgreSQL cannot enter the data folder.
    #[error(
        "the database cannot be in {}: Cloch runs as root, PostgreSQL refuses to, and the unprivileged account that runs it cannot enter that \
         folder. Either name a data folder elsewhere, such as --data /var/lib/cloch/NAME (or CLOCH_DATA_DIR); or open the folders above it: \
         chmod o+x {closed}",
        folder.display()
    )]
    Closed {
        /// Folder that contains the cluster's folder.
        folder: PathBuf,
        /// Folders that the account cannot enter, separated by spaces.
        closed: String,
    },
    /// The configured folder of the cluster is a symbolic link to a folder that does not exist.
    #[error(
        "the database is missing: {} is a link to {}, which does not exist. If the data folder comes from another place or machine, its database \
         is still there: stop that server and copy the folder to which this link leads (cp -a), in the place of the link. Or delete the link, \
         and the start makes an empty database",
        link.display(), target.display()
    )]
    LostLink {
        /// Path of the link.
        link: PathBuf,
        /// Path to which the link leads.
        target: PathBuf,
    },
    /// The configured folder of the cluster is a symbolic link that was copied together with another data folder. The link leads to the
    /// cluster of that other data folder.
    #[error(
        "{} is a link to {}, the database of the data folder {}: this copy of the data folder has no database of its own. Stop the other server, \
         and copy the database to the place of the link: rm {}; cp -a {} {}. Or restore a backup into a new data folder (`cloch restore`)",
        link.display(), target.display(), owner.display(), link.display(), target.display(), link.display()
    )]
    CopiedLink {
        /// Path of the link.
        link: PathBuf,
        /// Path to which the link leads: the folder of the cluster.
        target: PathBuf,
        /// Data folder to which the cluster belongs.
        owner: PathBuf,
    },
    /// The cluster was created by another major version of PostgreSQL.
    #[error(
        "{} was made by PostgreSQL {found}, but {} is version {available}. Install PostgreSQL {found} (Debian, Ubuntu: apt-get install \
         postgresql-{found}), or name its bin folder in CLOCH_POSTGRES_BIN; with both on this machine, `cloch upgrade` moves the data to \
         the newer one",
        folder.display(), binaries.display()
    )]
    OtherVersion {
        /// Folder of the cluster.
        folder: PathBuf,
        /// Major version of PostgreSQL that created the cluster.
        found: String,
        /// Major version of the available PostgreSQL programs.
        available: String,
        /// Folder of the available PostgreSQL programs.
        binaries: PathBuf,
    },
    /// Another program listens on the port.
    #[error(
        "port {port} on 127.0.0.1, where the database should listen, is taken by another program. Stop it, or choose another \
         port with [db] port in config.toml"
    )]
    PortTaken {
        /// TCP port on 127.0.0.1 that another program uses.
        port: u16,
    },
    /// Processes of the killed server still use its shared memory, so PostgreSQL refuses to start in the same folder.
    #[error(
        "processes of the database server that was killed still run in {}: stop the processes of postgres with this folder, or restart the \
         machine",
        folder.display()
    )]
    StillUsed {
        /// Folder of the cluster.
        folder: PathBuf,
    },
    /// The disk is full.
    #[error(
        "no space left on the disk that holds {} ({free}): free some and start again; nothing was lost",
        folder.display()
    )]
    DiskFull {
        /// Folder of the cluster.
        folder: PathBuf,
        /// Free disk space, as text for the error message.
        free: String,
    },
    /// The upgrade to another major version is impossible.
    #[error("{0}")]
    Upgrade(String),
    /// The server runs without the library `cloch_hooks`, and the event triggers of role postgres could not be disabled.
    #[error(
        "database {database}: event triggers of role postgres could not be disabled ({source}). Without library cloch_hooks, the server \
         would run them as superuser. Repair or drop the database, or install the library (docs/role-postgres.md)"
    )]
    EventTriggers {
        /// Name of the database.
        database: String,
        /// Error of the connection or the statement.
        source: sqlx::Error,
    },
    /// A PostgreSQL program failed.
    #[error("{program} failed:\n{output}")]
    Failed {
        /// Name of the failed program.
        program: &'static str,
        /// Last lines of the program's output.
        output: String,
    },
    /// A file or folder could not be created or read.
    #[error("{}: {source}", path.display())]
    Io {
        /// Path of the file or folder.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
}

impl EmbeddedError {
    fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| match cloch_core::disk_full::is_cause(&source) {
            true => Self::disk_full(path),
            false => Self::Io { path, source },
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
        // On a full disk, initdb may abort without a message and then delete the files that filled the disk. Therefore the free space is
        // tested too.
        if output.contains("No space left on device") || !has_room(folder) {
            return Self::disk_full(folder.to_owned());
        }
        let lines: Vec<&str> = output.lines().rev().take(12).collect();
        Self::Failed { program, output: lines.into_iter().rev().collect::<Vec<_>>().join("\n") }
    }
}

/// Whether 64 MiB, about the size of a new cluster, can be written to the disk that contains the folder. Called only after a failure.
fn has_room(folder: &std::path::Path) -> bool {
    use std::io::Write;
    let probe = folder.with_extension("probe");
    let block = vec![1_u8; 1 << 20];
    let written = std::fs::File::create(&probe)
        .and_then(|mut file| (0..64).try_for_each(|_| file.write_all(&block)).and_then(|()| file.sync_all()));
    let _ = std::fs::remove_file(&probe);
    !written.is_err_and(|error| cloch_core::disk_full::is_cause(&error))
}
