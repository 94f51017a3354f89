//! `cloch keys`: creates, rotates and revokes the project's keys.

use clap::{Args, Subcommand};
use cloch_sql::caller::keys;
use cloch_sql::embedded::reset_password;

use super::print;
use crate::config::{Config, Flags, Secrets};
use crate::data_dir_lock::DataDirLock;
use crate::database;
use crate::error::CommandError;

/// Creates or rotates the project's keys and other secrets; a running server reads them at its next start.
#[derive(Args)]
pub struct Keys {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Create the secrets of a project that has no secrets yet, or has lost its secrets
    Make(Flags),
    /// Sign new user tokens with a new key; tokens signed with the old key stay valid until they expire
    Rotate(Flags),
    /// Publish a new key, which the next rotation will sign with
    Standby(Flags),
    /// Refuse all tokens signed with a key, for a key that leaked
    Revoke {
        /// ID of the key (`kid` in the header of tokens)
        kid: String,
        #[command(flatten)]
        flags: Flags,
    },
}

impl Keys {
    pub(super) fn run(self) -> Result<(), CommandError> {
        match self.action {
            Action::Make(flags) => {
                let config = Config::load(&flags)?;
                let _flush_guard = crate::logging::start(config.log.as_deref(), config.log_json)?;
                if config.has_cluster() && !config.secrets_file().exists() {
                    replace_lost(&config)?;
                }
                config.secrets()?;
                print::line(format!("The secrets are in {}", config.secrets_file().display()))?;
            }
            Action::Rotate(flags) => change(&flags, keys::rotate)?,
            Action::Standby(flags) => change(&flags, keys::add_standby)?,
            Action::Revoke { kid, flags } => change(&flags, |list| keys::revoke(list, &kid))?,
        }
        Ok(())
    }
}

/// Generates new secrets for a database whose secrets are lost. The database password is changed before the file is written: a start with a
/// wrong password would fail, and a start without secrets is refused, so an interrupted command can be repeated.
fn replace_lost(config: &Config) -> Result<(), CommandError> {
    let _data_dir_lock = DataDirLock::acquire(&config.data)?;
    let secrets = Secrets::generate()?;
    if let Some(settings) = database::cluster_settings(config, &secrets) {
        reset_password(&settings)?;
    }
    secrets.save(&config.secrets_file())?;
    print::line("The database has new passwords. Everybody signs in again, and applications need the new API keys")?;
    Ok(())
}

/// Changes the project's signing keys, saves the keys to secrets.toml, and prints their list.
fn change(
    flags: &Flags,
    change: impl FnOnce(&mut Vec<keys::EcPrivateJwk>) -> Result<(), keys::KeyError>,
) -> Result<(), CommandError> {
    let config = Config::load(flags)?;
    let mut secrets = Secrets::load(&config.secrets_file())?.ok_or("this project has no secrets yet")?;
    change(&mut secrets.signing_keys)?;
    secrets.save(&config.secrets_file())?;
    for key in &secrets.signing_keys {
        print::line(format!("{}  {}", key.kid, key.state.map_or("", keys::KeyState::as_str)))?;
    }
    print::line(format!("The keys are in {}; restart cloch to use them", config.secrets_file().display()))?;
    Ok(())
}
