//! `cloch export`: moves a project out, in the files that Supabase takes.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::db::with_logins;
use super::print;
use crate::config::{Config, Flags};
use crate::error::CommandError;
use crate::logging;
use crate::transfer::export::export;

/// Writes the project as roles.sql, schema.sql and data.sql, which `psql` loads into a Supabase project, and its files.
#[derive(Args)]
pub struct Export {
    /// The folder to write
    #[arg(long)]
    dir: PathBuf,
    /// Take sessions and refresh tokens along
    #[arg(long)]
    sessions: bool,
    /// Leave the files of storage where they are
    #[arg(long)]
    no_files: bool,
    #[command(flatten)]
    flags: Flags,
}

impl Export {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let config = Config::load(&self.flags)?;
        let _flush_guard = logging::start(config.log.as_deref(), config.log_json)?;
        let exported = with_logins(&config, async |logins| {
            // No superuser: a cast of the project's own would run with its rights.
            export(&config, &logins.admin, &self.dir, self.sessions, !self.no_files).await
        })
        .await?;
        print::line(exported.text(&self.dir))?;
        Ok(if exported.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}
