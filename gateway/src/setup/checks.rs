//! Checks the settings whose values are parsed by types of other crates, so that [`Config::load`] cannot check them. The checks run when
//! the server starts, before it opens the database. They also run when the dashboard changes a setting, before the change is stored.

use cloch_core::Secret;
use cloch_sql::caller::KeyRing;
use cloch_sql::caller::keys::SigningKey;

use crate::config::{Config, Secrets};
use crate::error::CommandError;
use crate::web::WebApp;

/// Checks the settings of all APIs, and the files to which config.toml refers. If a value is invalid or a file is missing, the server
/// refuses to start before any migration runs.
///
/// # Errors
/// Returns an error for the first invalid setting or file.
pub fn check(config: &Config, secrets: &Secrets) -> Result<(), CommandError> {
    signing_keys(config, secrets)?;
    super::backup::check(config)?;
    settings(config)
}

/// Checks the settings of all APIs without the project's secrets, for `cloch doctor` before the first start.
///
/// # Errors
/// Returns an error for the first invalid setting or file.
pub fn settings(config: &Config) -> Result<(), CommandError> {
    if let Some(unset) = config.unset_variables.first() {
        return Err(format!("{unset}: set it, or remove the key").into());
    }
    if config.objects_folder().starts_with(config.data.join("db")) {
        return Err("cloch.toml: storage.folder is in the folder of the database: choose another folder".into());
    }
    WebApp::check(config.cloch.web.app.as_deref(), &config.project)?;
    super::acme::check(config)?;
    super::mail::settings(config)?;
    super::auth::other_issuers(config)?;
    if config.file.auth.enabled {
        cloch_auth::check_settings(&config.file.auth, config.cloch.auth.sms_api.as_ref())?;
        cloch_auth::check_mail_templates(&config.file.auth.email, &config.project)?;
        cloch_auth::check_message_templates(&config.file.auth)?;
    }
    if config.file.edge_runtime.enabled.unwrap_or(true) {
        super::functions::check(config)?;
    }
    Ok(())
}

/// Returns the JWT signing keys in the file of `[auth] signing_keys_path`, or in secrets.toml if the path is not set.
///
/// # Errors
/// When the file cannot be read or contains no valid keys.
pub fn signing_keys(config: &Config, secrets: &Secrets) -> Result<KeyRing, CommandError> {
    let secret = Secret::new(&secrets.jwt_secret);
    Ok(match signing_keys_of_file(config)? {
        None => KeyRing::new(secret, &secrets.signing_keys)?,
        Some(keys) => KeyRing::with_keys(secret, &keys)?,
    })
}

/// Returns the JWT signing keys in the file of `[auth] signing_keys_path`; `None` if the path is not set.
///
/// # Errors
/// When the file cannot be read or contains no valid keys.
pub fn signing_keys_of_file(config: &Config) -> Result<Option<Vec<SigningKey>>, CommandError> {
    let Some(path) = &config.file.auth.signing_keys_path else { return Ok(None) };
    let file = config.project.join(path);
    let refused = |error: String| format!("auth.signing_keys_path: {}: {error}", file.display());
    let text = std::fs::read_to_string(&file).map_err(|error| refused(error.to_string()))?;
    Ok(Some(SigningKey::read(&text).map_err(|error| refused(error.to_string()))?))
}
