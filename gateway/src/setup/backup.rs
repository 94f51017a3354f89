//! Creates the backup service and its settings from `[backup]` of cloch.toml.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use cloch_backup::retention::Keep;
use cloch_backup::settings::DrillSettings;
use cloch_backup::signature::{Signer, Verifier};
use cloch_backup::status::{State, Status};
use cloch_backup::{Encryption, S3Access, Settings, Target, Trust};
use cloch_core::Secret;
use cloch_http::Health;
use cloch_mail::{Address, Mailer};
use cloch_sql::database::Login;
use cloch_storage::backend::NewBlobs;
use serde_json::json;

use super::SharedServices;
use super::storage::both_stores;
use crate::config::{Config, Secrets, check_passphrase, variable_name};
use crate::database::cluster_settings;
use crate::error::CommandError;
use crate::service::Service;

/// Creates the background task that writes backups, and adds the status of the backups to the response of /health.
pub fn service(shared: &SharedServices, health: &Health) -> Service {
    let Some(settings) = &shared.backup else { return Service::default() };
    health.backup(settings.folder(), |folder| json!(Status::read(folder)));
    Service::default().task(cloch_backup::service::run(settings.clone(), shared.shutdown.clone()))
}

/// Returns the settings of the backup; `None` if `[backup] to` is not set.
///
/// # Errors
/// If a setting is missing or invalid and the operator has to change it.
pub fn settings(
    config: &Config,
    secrets: &Secrets,
    login: &Login,
    mailer: &Mailer,
) -> Result<Option<Settings>, CommandError> {
    let section = &config.cloch.backup;
    let Some(to) = target(config)? else { return Ok(None) };
    let encrypt_to = encrypt_to(config)?;
    let cluster = cluster_settings(config, secrets);
    if cluster.is_none() {
        tracing::info!(
            "backup: CLOCH_DB_URL is set, so the database's provider makes its backups; [backup] stores files, secrets and project, and \
             records which files belong to which point in time (docs/operations/back-up.md)"
        );
    }
    let (files, s3) = both_stores(config);
    let keep = Keep { days: section.keep.days, weeks: section.keep.weeks, months: section.keep.months };
    let drill = drill_settings(config, mailer)?;
    let settings = Settings {
        to: absolute(&config.project, to),
        s3: s3_access(config),
        encryption: Encryption::parse(encrypt_to, &Secret::new(&secrets.backup_signing_key)),
        every: Duration::from_secs(u64::from(section.every_hours) * 60 * 60),
        keep,
        max_rate_kb: section.max_rate,
        project_id: config.project_id.clone(),
        project: config.project.clone(),
        data: config.data.clone(),
        binaries: cluster.as_ref().map_or_else(|| config.postgres_bin.clone(), |cluster| cluster.binaries.clone()),
        cluster,
        login: login.clone(),
        drill,
        files: s3.unwrap_or(files),
        new_blobs: Arc::new(NewBlobs::default()),
    };
    Target::open(&settings.to, &settings.s3)?;
    Ok(Some(settings))
}

/// Checks the target and the encryption, if backups are configured.
///
/// # Errors
/// If a variable of the target is not set, or the encryption is missing or weak.
pub fn check(config: &Config) -> Result<(), CommandError> {
    if target(config)?.is_some() {
        encrypt_to(config)?;
    }
    Ok(())
}

/// Returns the URL or path of the backup target; `None` if no backups are made.
///
/// # Errors
/// If a variable of the target is not set.
pub fn target(config: &Config) -> Result<Option<&str>, CommandError> {
    let Some(to) = &config.cloch.backup.to else { return Ok(None) };
    // The text `env(NAME)` stays in the setting if the variable is not set. It would be the name of a folder in the project.
    if let Some(name) = variable_name(to) {
        return Err(format!(
            "[backup] to in cloch.toml takes the target from {name}, which is not set in the environment: set it, or remove the section \
             [backup] if this server needs no backup"
        )
        .into());
    }
    Ok(Some(to))
}

/// Returns the passphrase or age recipient that encrypts the backup.
///
/// # Errors
/// When `[backup] encrypt_to` is missing, or the passphrase is weak.
pub fn encrypt_to(config: &Config) -> Result<&Secret, CommandError> {
    let Some(encrypt_to) = config.cloch.backup.encrypt_to.as_ref().filter(|key| !key.expose().is_empty()) else {
        return Err("[backup] encrypt_to is missing in cloch.toml: a backup holds everything that people have entrusted to you, so it is \
                    always encrypted. Write encrypt_to = \"env(CLOCH_BACKUP_PASSPHRASE)\" and set that variable to a long passphrase that is \
                    kept elsewhere too, or name an age recipient (age1...)"
            .into());
    };
    check_encryption(encrypt_to.expose())?;
    Ok(encrypt_to)
}

/// Returns the key with which a command that only reads backups verifies the signatures in the project's own backup target. There are three
/// cases. If the server's local state belongs to this target and contains a verification key, this key is returned. Otherwise, if backups
/// are encrypted to an age recipient, the verification key that belongs to the server's signing key is returned. In all other cases, the
/// passphrase is returned.
///
/// # Errors
/// If a setting is missing or invalid and the operator has to change it.
pub fn trust(config: &Config, state: &State, target_id: &str) -> Result<Trust, CommandError> {
    let noted = state.verifier.as_deref().filter(|_| state.target.as_deref() == Some(target_id));
    if let Some(noted) = noted {
        return Ok(Trust { verifier: Some(Verifier::parse(noted)?), ..Trust::default() });
    }
    let encrypt_to = encrypt_to(config)?;
    if !Encryption::is_recipient(encrypt_to) {
        return Ok(Trust::of_key(encrypt_to));
    }
    let secrets = Secrets::load(&config.secrets_file())?;
    let key = secrets.map(|secrets| secrets.backup_signing_key).filter(|key| !key.is_empty());
    let signer = key.map(|key| Signer::parse(&Secret::new(key))).transpose()?;
    Ok(Trust { verifier: signer.map(|signer| signer.verifier()), ..Trust::default() })
}

/// Refuses weak passphrases, and the text `env(NAME)`. This text stays in the setting if the environment variable NAME is not set.
/// Everybody could guess it as a passphrase.
fn check_encryption(encrypt_to: &str) -> Result<(), CommandError> {
    if let Some(name) = variable_name(encrypt_to) {
        let text = format!(
            "[backup] encrypt_to in cloch.toml takes the passphrase from {name}, which is not set in the environment"
        );
        return Err(text.into());
    }
    if Encryption::is_recipient(&Secret::new(encrypt_to)) {
        return Ok(());
    }
    Ok(check_passphrase(encrypt_to).map_err(|fault| format!("[backup] encrypt_to: {fault}"))?)
}

fn drill_settings(config: &Config, mailer: &Mailer) -> Result<DrillSettings, CommandError> {
    let section = &config.cloch.backup;
    let addresses = section.mail_to.iter().map(|text| {
        text.parse::<Address>().map_err(|error| format!("[backup] mail_to in cloch.toml: {text:?}: {error}"))
    });
    let mail_to = addresses.collect::<Result<Vec<_>, _>>()?;
    let every = drill_interval(config);
    if every != section.drill.duration() {
        tracing::warn!(
            "backup: no restore drills (test restores): [backup] encrypt_to is an age recipient (public key), so the server cannot read its backups: \
             run `cloch restore --check` regularly on a machine with the private key (age identity), and set drill = \"off\""
        );
    }
    Ok(DrillSettings { every, mailer: mailer.clone(), mail_to })
}

/// Returns the time between two restore drills. `None` if drills are disabled, or if the server cannot decrypt its own backups because they
/// are encrypted to an age recipient.
#[must_use]
pub fn drill_interval(config: &Config) -> Option<Duration> {
    let section = &config.cloch.backup;
    let can_read = section.encrypt_to.as_ref().is_some_and(|encrypt_to| !Encryption::is_recipient(encrypt_to));
    section.drill.duration().filter(|_| can_read)
}

/// Returns the connection settings of `[backup.s3]`.
#[must_use]
pub fn s3_access(config: &Config) -> S3Access {
    let s3 = &config.cloch.backup.s3;
    S3Access {
        endpoint: s3.endpoint.clone(),
        region: s3.region.clone(),
        access_key_id: s3.access_key_id.clone(),
        secret_access_key: s3.secret_access_key.clone(),
        path_style: s3.path_style,
    }
}

/// Converts a path relative to the project's folder to an absolute path. Returns URLs unchanged.
#[must_use]
pub fn absolute(project: &Path, to: &str) -> String {
    if to.contains("://") { to.to_owned() } else { project.join(to).display().to_string() }
}
