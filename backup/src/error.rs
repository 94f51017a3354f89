//! Why a backup cannot be made, read or restored. Each text says what to do.

use std::io;
use std::path::{Path, PathBuf};

/// The result of an operation on backups.
pub type Result<T, E = BackupError> = std::result::Result<T, E>;

/// Why a backup cannot be made, read or restored.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// A request that cannot be fulfilled, or a backup that cannot be used.
    #[error("{0}")]
    Refused(String),
    /// A file of the backup is not what was written.
    #[error(
        "{name} in the backup is damaged ({reason}). Run `cloch backup check` to see what else is; restore from another copy of the backup, \
         or to a moment or a run (--run) that does not need it (`cloch backup list`)"
    )]
    Damaged {
        /// Its name in the target.
        name: String,
        /// What is wrong.
        reason: String,
    },
    /// A file of the backup was not written by the project's server, or is not what that left there last.
    #[error(
        "{name} in the backup is not authentic: {reason}. Somebody who can write to the target may have put it there. Find out who; restore \
         from another copy of the backup, or delete that file if the backup is of use without it (docs/backup-format.md)"
    )]
    NotAuthentic {
        /// Its name in the target.
        name: String,
        /// What is wrong.
        reason: String,
    },
    /// A file of the backup is not there.
    #[error(
        "{what} is missing in the backup. Run `cloch backup check` to see what else is; restore from another copy of the backup, or to a \
         moment that does not need it (`cloch backup list`)"
    )]
    Missing {
        /// What is missing.
        what: String,
    },
    /// The content of files of the project is not there, or not what was written.
    #[error(
        "the content of {lost} of {count} files is missing or damaged in the backup: {shown}. --allow-missing restores all but these. `cloch \
         backup check` lists all that is lost, and how the running server repairs it; another copy of the backup may hold them"
    )]
    Lost {
        /// How many.
        lost: usize,
        /// Of how many.
        count: usize,
        /// Some of them.
        shown: String,
    },
    /// The key does not open the backup.
    #[error(
        "the backup cannot be decrypted: {0}. Give the passphrase in CLOCH_BACKUP_PASSPHRASE, or name the file with the passphrase or the \
         age identity (AGE-SECRET-KEY-...) with --key-file"
    )]
    Key(String),
    /// The target does not answer, is full or refuses.
    #[error("the backup's target {target}: {reason}")]
    Target {
        /// Which target.
        target: String,
        /// Why.
        reason: String,
    },
    /// A file of this machine.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A program of PostgreSQL failed, or is not there.
    #[error("{program}: {reason}")]
    Program {
        /// Its name.
        program: &'static str,
        /// What it said.
        reason: String,
    },
    /// The database refused a query.
    #[error("the database: {0}")]
    Database(#[from] sqlx::Error),
    /// The embedded database does not start.
    #[error(transparent)]
    Embedded(#[from] cloch_sql::embedded::EmbeddedError),
    /// The project's files cannot be read or written.
    #[error("the project's files: {0}")]
    Storage(#[from] cloch_storage::Error),
    /// Encryption failed.
    #[error("encrypting for the backup: {0}")]
    Encrypt(String),
    /// A thread ended early.
    #[error("a task of the backup was stopped")]
    Stopped,
}

impl BackupError {
    /// For `map_err`: an error of a file of this machine.
    pub(crate) fn io(path: impl AsRef<Path>) -> impl FnOnce(io::Error) -> Self {
        let path = path.as_ref().to_owned();
        move |source| Self::Io { path, source }
    }

    pub(crate) fn not_authentic(name: &str, reason: impl ToString) -> Self {
        Self::NotAuthentic { name: name.to_owned(), reason: reason.to_string() }
    }

    pub(crate) fn damaged(name: &str, reason: impl ToString) -> Self {
        Self::Damaged { name: name.to_owned(), reason: reason.to_string() }
    }
}

/// Runs a computation or file operation on a blocking thread.
pub(crate) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(|_| BackupError::Stopped)?
}
