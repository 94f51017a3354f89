//! `secrets.toml` in the data folder: made at the first start, readable by its owner only.

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use cloch_sql::Secret;
use cloch_sql::caller::keys::EcPrivateJwk;
use cloch_sql::caller::{ApiKeys, KeyRing};
use hmac::{Hmac, KeyInit, Mac};
use rand::distr::{Alphanumeric, SampleString};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::toml_file::ConfigError;

/// 1 January 2046: keys last as long as the CLI's own.
const API_KEY_EXPIRES_AT: i64 = 2_398_377_600;

/// Everything secret of a project.
#[derive(Clone, Serialize, Deserialize)]
pub struct Secrets {
    /// The HS256 secret.
    pub jwt_secret: String,
    /// The anonymous key as a JWT.
    pub anon_key: String,
    /// The service key as a JWT.
    pub service_role_key: String,
    /// `sb_publishable_…`
    pub publishable_key: String,
    /// `sb_secret_…`
    pub secret_key: String,
    /// The judges' first password; one set later replaces it.
    pub judging_password: String,
    /// Access key of the S3 protocol.
    pub s3_access_key: String,
    /// Secret key of the S3 protocol.
    pub s3_secret_key: String,
    /// Passwords of the embedded database's logins.
    pub database: DatabasePasswords,
    /// The keys that sign user tokens; the first signs.
    pub signing_keys: Vec<EcPrivateJwk>,
}

/// Passwords of the embedded database's logins.
#[derive(Clone, Serialize, Deserialize)]
pub struct DatabasePasswords {
    /// Of the superuser, Cloch's own login.
    pub supabase_admin: String,
    /// Of `postgres`, the developer's login.
    pub postgres: String,
    /// Of `authenticator`, the login that becomes the callers' roles.
    pub authenticator: String,
}

impl Secrets {
    /// Reads the file, or makes it.
    ///
    /// # Errors
    /// When it cannot be read or written, or a value is missing.
    pub fn load_or_create(file: &Path) -> Result<Self, ConfigError> {
        match Self::load(file)? {
            Some(secrets) => Ok(secrets),
            None => {
                let secrets = Self::generate()?;
                secrets.save(file)?;
                Ok(secrets)
            }
        }
    }

    /// Reads the file; none where it does not exist.
    ///
    /// # Errors
    /// When it cannot be read, or a value is missing.
    pub fn load(file: &Path) -> Result<Option<Self>, ConfigError> {
        let text = match std::fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(ConfigError::Unreadable { file: file.to_owned(), source }),
        };
        // The parser's own message would quote the line, and the line is a secret.
        toml::from_str(&text).map(Some).map_err(|error| ConfigError::Syntax {
            file: file.to_owned(),
            line: error.span().map_or(1, |span| text.get(..span.start).unwrap_or_default().matches('\n').count() + 1),
            message: "a value is missing or has the wrong type; restore the file from a backup".to_owned(),
        })
    }

    /// Writes the file whole or not at all, with mode 0600.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save(&self, file: &Path) -> Result<(), ConfigError> {
        let unwritable = |source| ConfigError::Unreadable { file: file.to_owned(), source };
        let text = toml::to_string(self)
            .map_err(|error| ConfigError::Variable { name: file.display().to_string(), message: error.to_string() })?;
        let draft = file.with_extension("toml.new");
        let _ = std::fs::remove_file(&draft);
        let mut out =
            std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft).map_err(unwritable)?;
        out.write_all(
            format!("# Keep this file secret, and back it up: without it nobody can sign in.\n{text}").as_bytes(),
        )
        .and_then(|()| out.sync_all())
        .and_then(|()| std::fs::rename(&draft, file))
        .map_err(unwritable)
    }

    /// New secrets from the system's random source.
    ///
    /// # Errors
    /// When it fails.
    pub fn generate() -> Result<Self, ConfigError> {
        let jwt_secret = random(48);
        let signing_key = EcPrivateJwk::generate().map_err(failed)?;
        Ok(Self {
            anon_key: sign_key(&jwt_secret, "anon")?,
            service_role_key: sign_key(&jwt_secret, "service_role")?,
            jwt_secret,
            publishable_key: opaque("sb_publishable_"),
            secret_key: opaque("sb_secret_"),
            judging_password: random(12),
            s3_access_key: hex::encode(rand::random::<[u8; 16]>()),
            s3_secret_key: hex::encode(rand::random::<[u8; 32]>()),
            database: DatabasePasswords { supabase_admin: random(32), postgres: random(32), authenticator: random(32) },
            signing_keys: vec![signing_key],
        })
    }

    /// These secrets with the operator's own in their place. A changed JWT secret without keys of its own gets keys that fit it.
    ///
    /// # Errors
    /// When keys cannot be signed.
    pub fn overridden(mut self, own: &super::KeyOverrides) -> Result<Self, ConfigError> {
        let set = |target: &mut String, value: &Option<Secret>| {
            if let Some(value) = value {
                value.expose().clone_into(target);
            }
        };
        if own.jwt_secret.is_some() {
            set(&mut self.jwt_secret, &own.jwt_secret);
            self.anon_key = sign_key(&self.jwt_secret, "anon")?;
            self.service_role_key = sign_key(&self.jwt_secret, "service_role")?;
        }
        set(&mut self.anon_key, &own.anon_key);
        set(&mut self.service_role_key, &own.service_role_key);
        set(&mut self.publishable_key, &own.publishable_key);
        set(&mut self.secret_key, &own.secret_key);
        Ok(self)
    }

    /// What opens the inbox: made of the JWT secret, so that it is the same on every node and changes with it.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn inbox_key(&self) -> Result<Secret, ConfigError> {
        let mut mac = Hmac::<Sha256>::new_from_slice(self.jwt_secret.as_bytes()).map_err(failed)?;
        mac.update(b"cloch inbox key");
        Ok(Secret::new(hex::encode(mac.finalize().into_bytes())))
    }

    /// The four API keys.
    #[must_use]
    pub fn api_keys(&self) -> ApiKeys {
        ApiKeys {
            anon: Secret::new(&self.anon_key),
            service_role: Secret::new(&self.service_role_key),
            publishable: Secret::new(&self.publishable_key),
            secret: Secret::new(&self.secret_key),
        }
    }
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secrets(…)")
    }
}

fn failed(error: impl std::fmt::Display) -> ConfigError {
    ConfigError::Variable { name: "secrets.toml".into(), message: error.to_string() }
}

/// An API key as a JWT of the project's secret. `iat` is left out: the same secret gives the same key on every node.
fn sign_key(jwt_secret: &str, role: &str) -> Result<String, ConfigError> {
    let ring = KeyRing::new(Secret::new(jwt_secret), &[]).map_err(failed)?;
    ring.sign_hs256(&json!({ "iss": "supabase", "role": role, "exp": API_KEY_EXPIRES_AT })).map_err(failed)
}

fn random(length: usize) -> String {
    Alphanumeric.sample_string(&mut rand::rng(), length)
}

/// An opaque key: 22 random characters and 8 that show a mistyped one.
fn opaque(prefix: &str) -> String {
    let body = format!("{prefix}{}", random(22));
    let checksum = URL_SAFE_NO_PAD.encode(Sha256::digest(body.as_bytes()));
    format!("{body}_{}", checksum.chars().take(8).collect::<String>())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_damaged_file_is_explained_without_quoting_it() {
        let file = std::env::temp_dir().join(format!("secrets-{}.toml", random(8)));
        std::fs::write(&file, "jwt_secret = 12345hunter2\n").unwrap();
        let error = Secrets::load(&file).unwrap_err().to_string();
        assert!(!error.contains("hunter2") && error.contains("line 1"), "{error}");
        std::fs::remove_file(file).unwrap();
    }

    #[test]
    fn made_once_and_private() {
        let file = std::env::temp_dir().join(format!("secrets-{}.toml", random(8)));
        let made = Secrets::load_or_create(&file).unwrap();
        let read = Secrets::load_or_create(&file).unwrap();
        assert_eq!(
            (made.jwt_secret, made.signing_keys.first().unwrap().d.clone()),
            (read.jwt_secret, read.signing_keys.first().unwrap().d.clone())
        );
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(made.publishable_key.len(), "sb_publishable_".len() + 31);
        std::fs::remove_file(file).unwrap();
    }
}
