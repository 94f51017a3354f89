//! What no type of a setting can express.

use cloch_sql::Secret;
use cloch_sql::advisors::Ignore;
use url::Url;

use super::{ClochToml, ConfigError, ConfigToml, TomlFile};

/// What no type can express.
pub(super) fn check(source: &TomlFile, file: &ConfigToml) -> Result<(), ConfigError> {
    if file.api.port == file.db.port {
        return Err(source.refuse("db.port", "must differ from api.port"));
    }
    if let Err(error) = Url::parse(&file.auth.site_url) {
        return Err(
            source.refuse("auth.site_url", &format!("{error}: write a whole URL, such as https://club.example"))
        );
    }
    Ok(())
}

/// The same of cloch.toml.
pub(super) fn check_cloch(source: &TomlFile, file: &ClochToml) -> Result<(), ConfigError> {
    if let Some((key, message)) = file.telemetry.error() {
        return Err(source.refuse(key, message));
    }
    match file.advisors.ignore.iter().find_map(Ignore::error) {
        Some(error) => Err(source.refuse("advisors.ignore", &error)),
        None => Ok(()),
    }
}

pub(super) fn checked_secret(secret: Option<Secret>) -> Result<Option<Secret>, ConfigError> {
    match secret {
        Some(secret) if secret.expose().len() < 16 => Err(ConfigError::Variable {
            name: "CLOCH_JWT_SECRET (or auth.jwt_secret)".into(),
            message: "must have at least 16 characters, better 32".into(),
        }),
        other => Ok(other),
    }
}
