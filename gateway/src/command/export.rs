//! `cloch export`: writes a project to files that a hosted Supabase project can import.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::db::{require_database, with_logins};
use super::print;
use crate::config::{Config, Flags};
use crate::error::CommandError;
use crate::logging;
use crate::transfer::export::export;

/// Writes the project as roles.sql, schema.sql and data.sql, which `psql` loads into a Supabase project, and its files.
#[derive(Args)]
pub struct Export {
    /// Folder to write
    #[arg(long)]
    dir: PathBuf,
    /// Include sessions and refresh tokens
    #[arg(long)]
    sessions: bool,
    /// Exclude the files of storage
    #[arg(long)]
    no_files: bool,
    #[command(flatten)]
    flags: Flags,
}

impl Export {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let config = Config::load_of_running(&self.flags)?;
        let _flush_guard = logging::start(config.log.as_deref(), config.log_json)?;
        require_database(&config)?;
        let exported = with_logins(&config, async |logins| {
            // The export does not use a superuser, because the project's user-defined casts would run with superuser rights.
            export(&config, &logins.admin, &self.dir, self.sessions, !self.no_files).await
        })
        .await?;
        print::line(exported.text(&self.dir))?;
        Ok(if exported.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}
