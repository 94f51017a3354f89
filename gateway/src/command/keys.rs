//! `cloch keys`: the project's secrets.

use clap::{Args, Subcommand};
use cloch_sql::caller::keys;

use super::CommandError;
use crate::config::{Config, Flags, Secrets};

/// Makes or rotates the project's secrets; a running server reads them at its next start.
#[derive(Args)]
pub struct Keys {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Make the secrets of a project that has none yet
    Make(Flags),
    /// Sign new user tokens with a new key; tokens of the old one stay valid until they expire
    Rotate(Flags),
    /// Publish a new key that the next rotation will sign with
    Standby(Flags),
    /// Refuse from now on what a key signed, for a key that leaked
    Revoke {
        /// The key's name, as a token's header has it
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
                config.secrets()?;
                println!("The secrets are in {}", config.secrets_file().display());
            }
            Action::Rotate(flags) => change(&flags, keys::rotate)?,
            Action::Standby(flags) => change(&flags, keys::add_standby)?,
            Action::Revoke { kid, flags } => change(&flags, |list| keys::revoke(list, &kid))?,
        }
        Ok(())
    }
}

/// Changes the signing keys and lists them.
fn change(
    flags: &Flags,
    change: impl FnOnce(&mut Vec<keys::EcPrivateJwk>) -> Result<(), keys::KeyError>,
) -> Result<(), CommandError> {
    let config = Config::load(flags)?;
    let mut secrets = Secrets::load(&config.secrets_file())?.ok_or("this project has no secrets yet")?;
    change(&mut secrets.signing_keys)?;
    secrets.save(&config.secrets_file())?;
    for key in &secrets.signing_keys {
        println!("{}  {}", key.kid, key.state.map_or_else(String::new, |state| format!("{state:?}")));
    }
    println!("The keys are in {}; restart cloch to use them", config.secrets_file().display());
    Ok(())
}
