//! `cloch secrets`: secrets that a project's functions use.

use std::io::Read;

use clap::{Args, Subcommand};
use cloch_sql::{Database, Secret};

use super::db::with_login;
use super::print;
use crate::config::{Config, Flags};
use crate::error::CommandError;

/// Sets secrets.
#[derive(Args)]
pub struct Secrets {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Set a secret; its value is read from standard input, so that it stands in no list of processes
    Set {
        /// Which: JUDGING_PASSWORD is kept as a hash, and every judge's token ends with the old one
        name: String,
        #[command(flatten)]
        flags: Flags,
    },
}

impl Secrets {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let Action::Set { name, flags } = self.action;
        if name != "JUDGING_PASSWORD" {
            return Err(format!(
                "{name} is not kept by the server: write it into [edge_runtime.secrets] of config.toml, as env({name}) if it \
                 should come from the environment"
            )
            .into());
        }
        let config = Config::load(&flags)?;
        let _flush_guard = crate::logging::start(config.log.as_deref(), config.log_json)?;
        let mut value = String::new();
        std::io::stdin().read_to_string(&mut value)?;
        let value = Secret::new(value.trim_end_matches(['\r', '\n']));
        if value.is_empty() {
            return Err("the secret is empty: give it on standard input".into());
        }
        with_login(&config, async |login| {
            let database = Database::new(login.clone(), login, cloch_sql::database::PoolSizes::default());
            cloch_functions::set_judging_password(&database, value, None)
                .await
                .map_err(|refusal| format!("{refusal:?}"))?;
            print::line("The judging password is changed")?;
            Ok(())
        })
        .await
    }
}
