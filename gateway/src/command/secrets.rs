//! `cloch secrets`: sets secrets in the environment of a project's functions.

use std::io::Read;

use clap::{Args, Subcommand};
use cloch_core::Secret;
use cloch_sql::Database;

use super::db::with_logins;
use super::print;
use crate::config::secrets::{MAX_FUNCTION_SECRET_BYTES, check_function_secret_name};
use crate::config::{self, Config, Flags};
use crate::error::CommandError;

/// Sets the secrets of functions.
#[derive(Args)]
pub struct Secrets {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Set a secret; its value is read from standard input, so that it does not appear in process lists
    Set {
        /// Name of the secret: letters, digits and _. The club's JUDGING_PASSWORD is stored as a hash, and all judges' tokens become
        /// invalid
        name: String,
        #[command(flatten)]
        flags: Flags,
    },
}

impl Secrets {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let Action::Set { name, flags } = self.action;
        check_function_secret_name(&name)?;
        let config = Config::load_of_running(&flags)?;
        let _flush_guard = crate::logging::start(config.log.as_deref(), config.log_json)?;
        let value = read_value()?;
        if name == cloch_club::JUDGING_PASSWORD && cloch_club::is_declared(&config.functions) {
            return set_judging_password(&config, value).await;
        }
        if config.has_function_secret(&name) {
            return Err(
                format!("{name} is set in [edge_runtime.secrets] of config.toml, which wins: change it there").into()
            );
        }
        // Generates missing secrets in secrets.toml. The file is loaded again below, so that overrides from the environment are not saved to
        // the file.
        config.secrets()?;
        let file = config.secrets_file();
        let mut secrets = config::Secrets::load(&file)?.ok_or("this project has no secrets yet")?;
        secrets.set_function_secret(&name, &value)?;
        secrets.save(&file)?;
        print::line(format!("{name} is in {}; restart cloch to use it", file.display()))?;
        Ok(())
    }
}

fn read_value() -> Result<Secret, CommandError> {
    let mut value = String::new();
    // Reads at most the maximum size, space for a line break and one byte more, to detect a value that is too long.
    std::io::stdin().take(MAX_FUNCTION_SECRET_BYTES as u64 + 3).read_to_string(&mut value)?;
    let value = Secret::new(value.trim_end_matches(['\r', '\n']));
    if value.is_empty() {
        return Err("the secret is empty: give it on standard input".into());
    }
    Ok(value)
}

async fn set_judging_password(config: &Config, password: Secret) -> Result<(), CommandError> {
    with_logins(config, async |logins| {
        let database = Database::new(logins, cloch_sql::database::PoolSizes::default());
        cloch_club::set_judging_password(&database, password, None).await.map_err(|error| format!("{error:?}"))?;
        print::line("The judging password is changed")?;
        Ok(())
    })
    .await
}
