//! Backup of a project: database, files, secrets and settings together, restorable to any moment within the retention period.
//!
//! [`service`] runs in the server and copies the write-ahead log (`wal`), new blobs (`blobs`) and the project's settings (`project`) to the
//! [`target`] several times a second, and makes base backups (`base`) with pg_basebackup. A base backup is committed when the WAL that it needs is in
//! the backup target (`commit_base_backup`). [`restore`] creates a new data folder from a backup, [`drill`] tests a restore on schedule,
//! [`read_copy`] restores a temporary copy for reads, and [`check`] verifies a target. Damage is recorded (`damage`) and repaired where possible
//! (`repair`). [`retention`] chooses the base backups to keep; `prune` deletes the rest. For a database that an external provider hosts,
//! `managed_database` replaces `base`, and `dump_drill` tests a dump. All files with content are compressed, encrypted and checksummed
//! ([`encryption`]), and every file is signed ([`signature`]).

mod background;
mod base;
pub mod blobs;
pub mod check;
mod checked_json;
mod commit_base_backup;
pub mod damage;
pub mod drill;
mod dump_drill;
pub mod encryption;
mod error;
pub mod inventory;
pub mod layout;
pub mod lineage;
pub mod lsn;
mod managed_database;
mod other_runs;
mod private;
mod project;
mod prune;
pub mod read_copy;
mod repair;
pub mod repository;
mod repository_header;
pub mod restore;
mod restore_point;
pub mod retention;
pub mod row_counts;
pub mod service;
mod session;
pub mod settings;
pub mod signature;
mod signed_json;
pub mod status;
pub mod stored_files;
pub mod target;
#[cfg(test)]
mod testing;
pub mod trust;
mod unpack;
pub mod wal;

pub use error::{BackupError, Result};
pub use repository::Repository;
pub use settings::Settings;
pub use target::{S3Access, Target};
pub use trust::{Encryption, Trust};
