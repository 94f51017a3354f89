//! Checks of settings of config.toml and cloch.toml that the Rust types of the sections cannot express.

use std::ops::RangeInclusive;

use cloch_auth::settings::Provider;
use cloch_core::Secret;
use cloch_sql::advisors::Ignore;
use toml::Value;
use url::Url;

use super::secrets::strength;
use super::sections::backup::BackupSection;
use super::sections::db_settings;
use super::{ClochToml, ConfigError, ConfigToml, KeyOverrides, TomlFile};

/// Kilobytes per second that pg_basebackup's option `--max-rate` accepts.
const BASE_BACKUP_RATES: RangeInclusive<u32> = 32..=1 << 20;
/// Sign-in providers that need no secret, because apps can sign in with ID tokens of these providers.
const WITHOUT_SECRET: [&str; 2] = ["apple", "google"];

/// Checks config.toml: ports, auth hooks, sign-in providers, database settings and the site URL.
pub(super) fn check(source: &TomlFile, file: &ConfigToml) -> Result<(), ConfigError> {
    if file.api.port == file.db.port {
        return Err(source.refuse("db.port", "must differ from api.port"));
    }
    if let Some((key, why)) = file.auth.hook.error() {
        return Err(source.refuse(&key, why));
    }
    if let Some(smtp) = file.auth.email.smtp.as_ref().filter(|smtp| smtp.enabled && !smtp.user.is_empty()) {
        check_issued(source, "auth.email.smtp.user", &smtp.user)?;
        check_issued(source, "auth.email.smtp.pass", smtp.pass.expose())?;
    }
    for (name, provider) in file.auth.external.iter().filter(|(_, provider)| file.auth.enabled && provider.enabled) {
        check_provider(source, name, provider)?;
    }
    for name in file.auth.third_party.iter().filter(|(_, third)| third.enabled).map(|(name, _)| name) {
        check_third_party(source, name)?;
    }
    db_settings::check(source, file)?;
    check_site_url(&file.auth.site_url).map_err(|message| source.refuse("auth.site_url", &message))
}

/// Checks that an enabled provider has the settings that a sign-in needs, as the Supabase CLI does. A provider that is not built in is an
/// OpenID Connect issuer with a `url`, which may accept clients without a secret. If it has no `url`, it is not checked here, and only
/// causes a warning that it is unknown.
fn check_provider(source: &TomlFile, name: &str, provider: &Provider) -> Result<(), ConfigError> {
    let is_built_in = cloch_auth::provider_names().any(|built_in| built_in == name);
    if !is_built_in && provider.url.is_empty() {
        return Ok(());
    }
    let needs_secret = is_built_in && !WITHOUT_SECRET.contains(&name);
    let missing = if provider.client_id.trim().is_empty() {
        "client_id"
    } else if needs_secret && provider.secret.is_empty() {
        "secret"
    } else {
        return Ok(());
    };
    let message =
        "is empty, but the provider is enabled: set the value that the provider issued, or set `enabled = false`";
    Err(source.refuse(&format!("auth.external.{name}.{missing}"), message))
}

/// Checks that no setting of an enabled issuer is the text `env(NAME)`, because the variable is not set.
fn check_third_party(source: &TomlFile, name: &str) -> Result<(), ConfigError> {
    let section = format!("auth.third_party.{name}");
    let Some(Value::Table(settings)) = source.value(&section) else { return Ok(()) };
    let keys = settings.keys().map(|key| format!("{section}.{key}"));
    match keys.into_iter().find(|key| source.is_unset_variable(key)) {
        Some(key) => Err(source.refuse(&key, "set the variable, or set `enabled = false`")),
        None => Ok(()),
    }
}

/// Checks that the text is an absolute URL of a website or of an app (`app://callback`). `localhost:3000` parses as a URL with the scheme
/// `localhost`, so `://` is required.
pub(super) fn check_site_url(text: &str) -> Result<(), String> {
    let refused = |error: &str| format!("{text:?}: {error}: write a whole URL, such as https://club.example");
    match Url::parse(text) {
        Ok(_) if text.contains("://") => Ok(()),
        Ok(_) => Err(refused("it has no host")),
        Err(error) => Err(refused(&url_problem(error))),
    }
}

/// Returns the reason why a text is no URL.
pub(super) fn url_problem(error: url::ParseError) -> String {
    match error {
        url::ParseError::RelativeUrlWithoutBase => "it does not begin with https:// or http://".to_owned(),
        other => other.to_string(),
    }
}

/// Checks cloch.toml: durations, the object store, telemetry settings, credentials of S3 servers, and ignored advisor rules.
pub(super) fn check_cloch(source: &TomlFile, file: &ClochToml) -> Result<(), ConfigError> {
    let slow_statement = file.server.slow_statement;
    if !slow_statement.is_finite() || slow_statement < 0.0 {
        return Err(source.refuse("server.slow_statement", "write a number of seconds, 0 or more"));
    }
    if let Some(folder) = &file.storage.folder {
        let folder = folder.to_string_lossy();
        if folder.trim().is_empty() {
            return Err(source.refuse("storage.folder", "is empty: write a path, or leave the key out"));
        }
        if folder.contains("://") {
            return Err(source.refuse("storage.folder", "is a URL, not a path: an S3 server is named in [storage.s3]"));
        }
    }
    for (key, url) in [("auth.sms_api", &file.auth.sms_api), ("auth.captcha_api", &file.auth.captcha_api)] {
        if url.as_ref().is_some_and(|url| !matches!(url.scheme(), "http" | "https")) {
            return Err(source.refuse(key, "must begin with https:// or http://"));
        }
    }
    check_backup(source, &file.backup)?;
    if let Some(s3) = &file.storage.s3 {
        check_s3_url(source, "storage.s3.endpoint", s3.endpoint.as_deref())?;
        if s3.bucket.is_empty() {
            return Err(source.refuse("storage.s3.bucket", "is empty: name the bucket, which must exist"));
        }
        check_issued(source, "storage.s3.access_key_id", &s3.access_key_id)?;
        check_issued(source, "storage.s3.secret_access_key", s3.secret_access_key.expose())?;
    }
    if let Some(url) = file.realtime.nats_url.as_ref().filter(|url| !url.is_empty()) {
        let refused = |error: String| {
            let message = format!("{error}: write the URL of a NATS server, such as nats://user:password@host:4222");
            source.refuse("realtime.nats_url", &message)
        };
        cloch_realtime::check_nats_url(url.expose()).map_err(refused)?;
    }
    if let Some((key, message)) = file.telemetry.error() {
        return Err(source.refuse(key, message));
    }
    match file.advisors.ignore.iter().find_map(Ignore::error) {
        Some(error) => Err(source.refuse("advisors.ignore", &error)),
        None => Ok(()),
    }
}

/// Checks `[backup]`: target, schedule and credentials. The target is checked again when it is opened.
fn check_backup(source: &TomlFile, backup: &BackupSection) -> Result<(), ConfigError> {
    if backup.to.as_ref().is_some_and(|to| to.trim().is_empty()) {
        let message = "is empty: write a folder on another disk or s3://bucket/prefix, or leave the key out";
        return Err(source.refuse("backup.to", message));
    }
    if backup.every_hours == 0 {
        return Err(source.refuse("backup.every_hours", "must be at least 1"));
    }
    if !BASE_BACKUP_RATES.contains(&backup.max_rate) {
        let (least, most) = BASE_BACKUP_RATES.into_inner();
        return Err(source.refuse("backup.max_rate", &format!("must be a number of kilobytes from {least} to {most}")));
    }
    check_s3_url(source, "backup.s3.endpoint", backup.s3.endpoint.as_deref())?;
    let (id, secret) = (&backup.s3.access_key_id, backup.s3.secret_access_key.expose());
    // If both keys are missing, the credentials come from the environment.
    if !id.is_empty() || !secret.is_empty() {
        check_issued(source, "backup.s3.access_key_id", id)?;
        check_issued(source, "backup.s3.secret_access_key", secret)?;
    }
    Ok(())
}

/// Checks the URL of an S3 server. Without a URL, the server is AWS.
fn check_s3_url(source: &TomlFile, key: &str, endpoint: Option<&str>) -> Result<(), ConfigError> {
    let Some(text) = endpoint.filter(|text| !text.is_empty()) else { return Ok(()) };
    match Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => Ok(()),
        _ => Err(source.refuse(key, &format!("{text:?} is no URL of an S3 server: begin with https:// or http://"))),
    }
}

fn check_issued(source: &TomlFile, key: &str, secret: &str) -> Result<(), ConfigError> {
    strength::check_issued(secret).map_err(|message| source.refuse(key, &message))
}

/// Checks the strength of the JWT secret, the `service_role` key and the secret key if environment variables or config.toml (`source`) set
/// them. `is_set`: whether an environment variable is set. The error names the variable, or the line of config.toml.
pub(super) fn check_keys(
    source: &TomlFile,
    keys: &KeyOverrides,
    is_set: impl Fn(&str) -> bool,
) -> Result<(), ConfigError> {
    let secrets: [(Option<&str>, &str, &Option<Secret>); 3] = [
        (Some("CLOCH_JWT_SECRET"), "auth.jwt_secret", &keys.jwt_secret),
        (Some("CLOCH_SERVICE_ROLE_KEY"), "auth.service_role_key", &keys.service_role_key),
        (None, "auth.secret_key", &keys.secret_key),
    ];
    for (variable, key, secret) in secrets {
        let Some(secret) = secret else { continue };
        let checked = strength::check(secret.expose());
        match variable.filter(|name| is_set(name)) {
            Some(name) => checked.map_err(|message| ConfigError::Variable { name: name.to_owned(), message })?,
            // The text `env(NAME)` of a variable that is not set may be long enough, but everybody who sees config.toml knows it.
            None if source.is_unset_variable(key) => {
                return Err(source.refuse(key, "everybody knows the text of the file"));
            }
            None => checked.map_err(|message| source.refuse(key, &message))?,
        }
    }
    Ok(())
}

/// Parses `CLOCH_LOG_FORMAT`: whether log lines are JSON.
pub(super) fn is_log_json(format: Option<&str>) -> Result<bool, ConfigError> {
    match format {
        None | Some("text") => Ok(false),
        Some("json") => Ok(true),
        Some(other) => Err(ConfigError::Variable {
            name: "CLOCH_LOG_FORMAT".into(),
            message: format!("{other:?} is neither json nor text"),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_has_a_host_or_is_an_app() {
        for text in ["http://localhost:3000", "https://club.example", "club://callback", "club:///"] {
            assert!(check_site_url(text).is_ok(), "{text}");
        }
        for text in ["localhost:3000", "club.example", "", "mailto:a@b.example", "http://"] {
            assert!(check_site_url(text).is_err(), "{text}");
        }
    }
}
