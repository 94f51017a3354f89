//! `cloch mail`: sends a test message.

use clap::{Args, Subcommand};

use super::print;
use crate::config::{Config, Flags};
use crate::database;
use crate::error::CommandError;
use crate::setup::mail;

/// Tests the delivery of mail.
#[derive(Args)]
pub struct Mail {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Send a test message and show the response of the mail server
    Test {
        /// Mail address of the recipient
        address: String,
        #[command(flatten)]
        flags: Flags,
    },
}

impl Mail {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let Action::Test { address, flags } = self.action;
        let config = Config::load_of_running(&flags)?;
        let _flush_guard = crate::logging::start(config.log.as_deref(), config.log_json)?;
        let settings = mail::settings(&config)?;
        if settings.smtp.is_none() {
            return Err(
                "no mail server is configured ([auth.email.smtp] in config.toml): mail stays in the inbox at /_/inbox"
                    .into(),
            );
        }
        let database = database::connect_lazily(&config, &config.secrets()?);
        print::line(cloch_mail::Mailer::new(database, settings)?.test(&address).await?)?;
        Ok(())
    }
}
