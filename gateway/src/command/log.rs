//! `cloch log`: changes the log filter of a running server.

use clap::Args;

use super::print;
use crate::config::{Config, Flags};
use crate::error::CommandError;
use crate::logging::level_file;

/// Changes the log filter of the server within a second. Without a filter, prints the current filter.
#[derive(Args)]
pub struct Log {
    /// Level (error, warn, info, debug, trace) or module=level pairs, such as `info,cloch_auth=debug`
    filter: Option<String>,
    /// Return to the filter of CLOCH_LOG
    #[arg(long, conflicts_with = "filter")]
    reset: bool,
    #[command(flatten)]
    flags: Flags,
}

impl Log {
    pub(super) fn run(self) -> Result<(), CommandError> {
        let config = Config::load_of_running(&self.flags)?;
        if self.reset || self.filter.is_some() {
            level_file::write(&config.data, self.filter.as_deref())?;
            print::line(match self.filter {
                Some(filter) => {
                    format!("The server logs {filter} within a second, also after a restart, until `cloch log --reset`")
                }
                None => "The server logs what CLOCH_LOG says within a second".to_owned(),
            })?;
            return Ok(());
        }
        let shown = level_file::read(&config.data).or(config.log).unwrap_or_else(|| "the default".to_owned());
        print::line(shown)?;
        Ok(())
    }
}
