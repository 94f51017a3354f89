//! `cloch keys`: creates, lists, rotates and revokes the project's keys.

use clap::{Args, Subcommand};
use cloch_sql::caller::keys;
use cloch_sql::embedded::reset_password;

use super::{api_keys, print};
use crate::config::{Config, Flags, Secrets};
use crate::data_dir_lock::DataDirLock;
use crate::database;
use crate::error::CommandError;

/// Creates, lists, rotates or revokes the project's keys. A running server applies `new`, and `revoke` of an API key, within seconds; it reads
/// other changes at its next start.
#[derive(Args)]
pub struct Keys {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Create the secrets of a project that has no secrets yet, or has lost its secrets
    Make(Flags),
    /// Create an API key beside the project's own keys, for a rotation without an interruption
    New {
        /// Kind of the key
        kind: api_keys::Kind,
        /// Description, for example the program that uses the key
        #[arg(long, default_value = "")]
        name: String,
        #[command(flatten)]
        flags: Flags,
    },
    /// List the API keys and the signing keys, without the keys themselves
    List(Flags),
    /// Sign new user tokens with a new key; tokens signed with the old key stay valid until they expire
    Rotate(Flags),
    /// Publish a new key, which the next rotation will sign with
    Standby(Flags),
    /// Refuse an API key, or all user tokens signed with a signing key
    Revoke {
        /// ID of the key in `cloch keys list`
        id: String,
        #[command(flatten)]
        flags: Flags,
    },
    /// Replace the JWT secret, from which most other keys are derived; prints the consequences, and changes nothing without --yes
    RotateJwtSecret {
        /// Replace the secret
        #[arg(long)]
        yes: bool,
        #[command(flatten)]
        flags: Flags,
    },
}

impl Keys {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        match self.action {
            Action::Make(flags) => {
                let config = Config::load_of_running(&flags)?;
                let _flush_guard = crate::logging::start(config.log.as_deref(), config.log_json)?;
                if config.has_cluster() && !config.secrets_file().exists() {
                    replace_lost(&config)?;
                }
                config.secrets()?;
                print::line(format!("The secrets are in {}", config.secrets_file().display()))?;
            }
            Action::Rotate(flags) => change(&flags, keys::rotate)?,
            Action::Standby(flags) => change(&flags, keys::add_standby)?,
            Action::New { kind, name, flags } => api_keys::create(&loaded(&flags)?, kind, name.trim()).await?,
            Action::List(flags) => api_keys::list(&loaded(&flags)?).await?,
            Action::Revoke { id, flags } => revoke(&flags, &id).await?,
            Action::RotateJwtSecret { yes, flags } => rotate_jwt_secret(&flags, yes)?,
        }
        Ok(())
    }
}

fn loaded(flags: &Flags) -> Result<Config, CommandError> {
    Ok(Config::load_of_running(flags)?)
}

/// Revokes a signing key of secrets.toml, or an API key.
async fn revoke(flags: &Flags, id: &str) -> Result<(), CommandError> {
    let secrets =
        Secrets::load(&Config::load_of_running(flags)?.secrets_file())?.ok_or("this project has no secrets yet")?;
    let is_signing_key = secrets.signing_keys.iter().any(|key| key.kid == id);
    if !is_signing_key && api_keys::revoke(&loaded(flags)?, id).await? {
        return Ok(());
    }
    change(flags, |list| keys::revoke(list, id))
}

/// Message that lists the consequences of a new JWT secret.
const CONSEQUENCES: &str = "With a new JWT secret:
- the anon and service_role keys (JWTs) become invalid, and applications need the new keys; sb_publishable_ and sb_secret_ keys stay valid
- users stay signed in, because their tokens have signing keys of their own
- signed URLs of files, the access token of the Management API and the key of the inbox become invalid
- operators of the dashboard need a new link: cloch operators link EMAIL
- the secrets of sign-in providers that are set in the database have to be set again
- mails that are waiting in the outbox are lost, and certificates of tls = \"acme\" are ordered again";

/// Replaces the project's JWT secret in secrets.toml, if the server is stopped. Unless `is_confirmed` is set, only prints the consequences.
fn rotate_jwt_secret(flags: &Flags, is_confirmed: bool) -> Result<(), CommandError> {
    let config = Config::load_of_running(flags)?;
    if config.key_overrides.jwt_secret.is_some() {
        return Err(
            "the JWT secret is set by CLOCH_JWT_SECRET or [auth] jwt_secret of config.toml: replace it there".into()
        );
    }
    let mut secrets = Secrets::load(&config.secrets_file())?.ok_or("this project has no secrets yet")?;
    print::line(CONSEQUENCES)?;
    if !is_confirmed {
        print::line("Nothing was changed. To replace the secret: stop the server, and repeat the command with --yes")?;
        return Ok(());
    }
    let _data_dir_lock = DataDirLock::acquire(&config.data)?;
    secrets.replace_jwt_secret()?;
    secrets.save(&config.secrets_file())?;
    print::line(format!(
        "The new keys are in {}; copy the file to the other nodes. `cloch status` prints the keys",
        config.secrets_file().display()
    ))?;
    Ok(())
}

/// Generates new secrets for a database whose secrets are lost. The database password is changed before secrets.toml is written. If the
/// command is interrupted between these two steps, the server refuses to start without secrets, and the command can be repeated.
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
    let config = Config::load_of_running(flags)?;
    let mut secrets = Secrets::load(&config.secrets_file())?.ok_or("this project has no secrets yet")?;
    change(&mut secrets.signing_keys)?;
    secrets.save(&config.secrets_file())?;
    for key in &secrets.signing_keys {
        print::line(format!("{}  {}", key.kid, key.state.map_or("", keys::KeyState::as_str)))?;
    }
    print::line(format!("The keys are in {}; restart cloch to use them", config.secrets_file().display()))?;
    Ok(())
}
