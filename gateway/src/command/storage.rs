//! `cloch storage`: copies a project's files between the data folder and an S3 server.

use clap::{Args, Subcommand, ValueEnum};
use cloch_storage::migrate_backend;

use super::print;
use crate::config::{Config, Flags};
use crate::error::CommandError;
use crate::logging;
use crate::setup::storage::both_stores;

/// Manages stored files.
#[derive(Args)]
pub struct Storage {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Copy all files between the data folder and the S3 server of cloch.toml; files that exist in the destination are skipped
    Copy {
        /// Destination of the copy
        #[arg(long)]
        to: Store,
        #[command(flatten)]
        flags: Flags,
    },
}

#[derive(Clone, Copy, ValueEnum)]
enum Store {
    Files,
    S3,
}

impl Storage {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let Action::Copy { to, flags } = self.action;
        let config = Config::load_of_running(&flags)?;
        let _flush_guard = logging::start(config.log.as_deref(), config.log_json)?;
        let (files, s3) = both_stores(&config);
        let s3 = s3.ok_or("no S3 server is configured: [storage.s3] in cloch.toml names it")?;
        let copied = match to {
            Store::Files => migrate_backend::between(&s3, &files).await?,
            Store::S3 => migrate_backend::between(&files, &s3).await?,
        };
        print::line(format!(
            "{} files copied and read back ({} bytes), {} were there",
            copied.blobs, copied.bytes, copied.present
        ))?;
        Ok(())
    }
}
