//! Backup of a project: database, files, secrets and settings together, restorable to any moment of the days that are kept.
//!
//! [`service`] runs beside the server. It copies the write-ahead log (`wal`), new blobs (`blobs`) and the project's settings (`project`) to
//! the [`target`] several times a second, and makes base backups (`base`) with pg_basebackup; one counts when the log that it needs is there
//! as well (`commit_base_backup`). [`restore`] makes a new data folder of them, [`drill`] tries it by schedule; [`check`] looks through the target.
//! What is damaged is noted (`damage`) and repaired where it can be (`repair`). [`retention`] says what stays, `prune` deletes the rest. Where the
//! database is its provider's, `managed_database` stands for `base`, and `dump_drill` tries a dump. Everything with content is compressed, encrypted and checksummed ([`encryption`]), and
//! every file is signed ([`signature`]).

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
pub mod target;
pub mod trust;
mod unpack;
pub mod wal;

pub use error::{BackupError, Result};
pub use repository::Repository;
pub use settings::Settings;
pub use target::{S3Access, Target};
pub use trust::{Encryption, Trust};
