//! Errors of creating, reading and restoring backups. Each message tells the operator what to do.

use std::io;
use std::path::{Path, PathBuf};

/// The result of an operation on backups.
pub type Result<T, E = BackupError> = std::result::Result<T, E>;

/// An error of a backup, a check or a restore.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The request is invalid, or the backup cannot be used. Contains the reason.
    #[error("{0}")]
    Refused(String),
    /// A file of the backup is damaged.
    #[error(
        "{name} in the backup is damaged ({reason}). Run `cloch backup check` to see what else is; restore from another copy of the backup, \
         or to a moment or a run (--run) that does not need it (`cloch backup list`)"
    )]
    Damaged {
        /// Name of the damaged file in the backup target.
        name: String,
        /// Description of the file's damage.
        reason: String,
    },
    /// A file was not written by the project's server, or is older than the file that the server wrote last.
    #[error(
        "{name} in the backup is not authentic: {reason}. Somebody who can write to the target may have put it there. Find out who; restore \
         from another copy of the backup, or delete that file if the backup is of use without it (docs/backup-format.md)"
    )]
    NotAuthentic {
        /// Name of the file in the backup target.
        name: String,
        /// Description of the failed verification.
        reason: String,
    },
    /// A file or another part of the backup is missing.
    #[error(
        "{what} is missing in the backup. Run `cloch backup check` to see what else is; restore from another copy of the backup, or to a \
         moment that does not need it (`cloch backup list`)"
    )]
    Missing {
        /// Name or description of the missing part.
        what: String,
    },
    /// The content of files of the project is missing or damaged in the backup.
    #[error(
        "the content of {lost} of {count} files is missing or damaged in the backup: {shown}. --allow-missing restores all but these. `cloch \
         backup check` lists all that is lost, and how the running server repairs it; another copy of the backup may hold them"
    )]
    Lost {
        /// Number of files whose content is missing or damaged.
        lost: usize,
        /// Total number of files in the restored database.
        count: usize,
        /// Names of some of the files whose content is missing or damaged.
        shown: String,
    },
    /// The given key does not decrypt the backup. Contains the reason.
    #[error(
        "the backup cannot be decrypted: {0}. Give the passphrase in CLOCH_BACKUP_PASSPHRASE, or name the file with the passphrase or the \
         age identity (AGE-SECRET-KEY-...) with --key-file"
    )]
    Key(String),
    /// An operation on the backup target failed: the target is unreachable or full, or refused the operation.
    #[error("the backup's target {target}: {reason}")]
    Target {
        /// URL of the backup target.
        target: String,
        /// Reason of the failure.
        reason: String,
    },
    /// A file operation on this machine failed.
    #[error("{}: {source}", path.display())]
    Io {
        /// Path of the file or folder.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A PostgreSQL program failed or is missing.
    #[error("{program}: {reason}")]
    Program {
        /// Name of the PostgreSQL program.
        program: &'static str,
        /// Error output of the PostgreSQL program.
        reason: String,
    },
    /// A failed database query.
    #[error("the database: {}", database_message(.0))]
    Database(#[from] sqlx::Error),
    /// The embedded database cannot be started.
    #[error(transparent)]
    Embedded(#[from] cloch_sql::embedded::EmbeddedError),
    /// Reading or writing the project's file storage failed.
    #[error("the project's files: {0}")]
    Storage(#[from] cloch_storage::Error),
    /// The encryption of a file failed. Contains the reason.
    #[error("encrypting for the backup: {0}")]
    Encrypt(String),
    /// A background task ended before it returned its result.
    #[error("a task of the backup was stopped")]
    Stopped,
}

impl BackupError {
    /// Returns a function for `map_err` that adds the path to an I/O error.
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

/// Returns PostgreSQL's message without the line that sqlx appends. That line is from PostgreSQL's source code, but operators would look
/// for it in their own files.
fn database_message(error: &sqlx::Error) -> String {
    error.as_database_error().map_or_else(|| error.to_string(), |error| error.message().to_owned())
}
