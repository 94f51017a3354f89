//! Detects that the data folder lacks the database or the folder of stored files. The server then refuses to start. A new empty folder of
//! stored files would hide the loss. With a new database, the sweep (the background task that deletes files without a row in the database)
//! would delete all stored files.

use std::path::{Path, PathBuf};

use cloch_sql::Database;
use cloch_sql::embedded::EmbeddedError;

use crate::config::{Config, DatabaseChoice};
use crate::{data_dir_lock, database};

/// Error: a part of the data folder is missing.
#[derive(Debug, thiserror::Error)]
pub enum MissingData {
    /// The database is missing, but the data folder contains stored files.
    #[error(
        "there is no database in {}, while {} holds files: a new database would know none of them, and they would be swept away. \
         Bring the database back (from a copy of db/, or with `cloch db restore FILE`), or move the files elsewhere to begin anew",
        database.display(), objects.display()
    )]
    Database {
        /// Folder of the PostgreSQL cluster.
        database: PathBuf,
        /// Folder of the stored files.
        objects: PathBuf,
    },
    /// The folder of stored files is missing, but the database refers to files.
    #[error(
        "{} is missing, while the database knows files that lie there. Copy it back from a backup; or make an empty folder of that \
         name to go on without them",
        objects.display()
    )]
    Objects {
        /// Folder of the stored files.
        objects: PathBuf,
    },
    /// The data folder cannot contain the database (PostgreSQL's account cannot enter the folder), or the database's folder is a link to a
    /// missing path or to another data folder's database.
    #[error(transparent)]
    Place(#[from] EmbeddedError),
    /// A folder cannot be read or created.
    #[error("{}: {source}", path.display())]
    Io {
        /// Path of the folder that cannot be read or created.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// A database query failed.
    #[error(transparent)]
    Query(#[from] sqlx::Error),
}

/// Whether the folder of stored files is missing although the database may refer to files. Must be called before the database is opened. If
/// there are neither a database nor stored files yet, this function creates the folder and returns `false`.
///
/// # Errors
/// If there are stored files but no database, or the account of PostgreSQL cannot enter the data folder.
pub fn objects_missing(config: &Config) -> Result<bool, MissingData> {
    database::check_place(config)?;
    let is_embedded = matches!(config.database, DatabaseChoice::Embedded { .. });
    if !is_embedded || config.cloch.storage.s3.is_some() {
        return Ok(false);
    }
    let objects = config.objects_folder();
    if config.has_cluster() {
        return Ok(!objects.exists());
    }
    if holds_files(&objects) {
        return Err(MissingData::Database { database: config.data.join("db"), objects });
    }
    data_dir_lock::make_inner(&objects).map_err(|source| MissingData::Io { path: objects, source })?;
    Ok(false)
}

/// Fails if the database refers to stored files. Called at the start of the server if the folder of stored files is missing.
///
/// # Errors
/// When the database refers to any file.
pub async fn expect_no_objects(config: &Config, database: &Database) -> Result<(), MissingData> {
    let any: bool =
        sqlx::query_scalar("select exists (select from storage.objects) or exists (select from cloch.object_versions)")
            .fetch_one(database.admin())
            .await?;
    if any { Err(MissingData::Objects { objects: config.objects_folder() }) } else { Ok(()) }
}

fn holds_files(folder: &Path) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.into_iter().any(|entry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => holds_files(&entry.path()),
        _ => true,
    })
}
