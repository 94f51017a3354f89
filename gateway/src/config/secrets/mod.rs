//! Reads and writes `secrets.toml` in the data folder. The file is generated at the first start, readable by its owner only.

mod checks;
pub(in crate::config) mod cli_keys;
mod derived;
mod draft;
mod in_use;
mod key_overrides;
mod making;
mod parse;
pub(in crate::config) mod strength;

use std::collections::BTreeMap;
use std::path::Path;

use cloch_core::Secret;
use cloch_functions::deno::reserved_prefix;
use cloch_sql::caller::keys::EcPrivateJwk;
use cloch_sql::caller::{ApiKeys, IssuedKeys};
use cloch_sql::database::Passwords;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::config::ConfigError;
pub use draft::SecretsDraft;
pub use key_overrides::KeyOverrides;
pub use making::new_api_key;
use making::{PUBLISHABLE, SECRET, backup_key, opaque, password, random, s3_access_key, s3_secret_key, sign_key};

const JUDGING_PASSWORD_CHARS: usize = 12;
// Supabase's limits of the secrets that functions receive in their environment.
const MAX_FUNCTION_SECRETS: usize = 100;
const MAX_FUNCTION_SECRET_NAME_CHARS: usize = 256;
/// Maximum size in bytes of one secret for functions.
pub const MAX_FUNCTION_SECRET_BYTES: usize = 48 * 1024;

/// Keys and passwords of a project.
#[derive(Clone, Serialize, Deserialize)]
pub struct Secrets {
    /// JWT secret: signs and verifies tokens with the algorithm HS256.
    pub jwt_secret: String,
    /// The `anon` API key as a JWT. Signed with the JWT secret if secrets.toml lacks the key.
    #[serde(default)]
    pub anon_key: String,
    /// The `service_role` API key as a JWT. Signed with the JWT secret if secrets.toml lacks the key.
    #[serde(default)]
    pub service_role_key: String,
    /// The API key `sb_publishable_…`. Generated if secrets.toml lacks the key.
    #[serde(default)]
    pub publishable_key: String,
    /// The API key `sb_secret_…`. Generated if secrets.toml lacks the key.
    #[serde(default)]
    pub secret_key: String,
    /// Access key ID of the S3 protocol. Generated if secrets.toml lacks it.
    #[serde(default)]
    pub s3_access_key: String,
    /// Secret access key of the S3 protocol. Generated if secrets.toml lacks it.
    #[serde(default)]
    pub s3_secret_key: String,
    /// Ed25519 key in 64 hexadecimal digits. It signs the backups that are encrypted to an age recipient. Derived from the password of
    /// `supabase_admin` if secrets.toml lacks it.
    #[serde(default)]
    pub backup_signing_key: String,
    /// Password of the judges in the club's project (supabase-config). Earlier versions of Cloch generated this password for every
    /// project. In the club's project, it is moved to `functions`. Other projects ignore it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    judging_password: Option<String>,
    /// Passwords of the embedded database's login roles.
    pub database: DatabasePasswords,
    /// Secrets in the environment of functions, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub functions: BTreeMap<String, String>,
    /// Keys for user tokens: the first key signs, all keys verify.
    pub signing_keys: Vec<EcPrivateJwk>,
    /// The project's own JWT secret while a well-known secret replaces it (`--cli-keys`). Other keys are then derived from this secret,
    /// because keys that are derived from a well-known secret would not be secret.
    #[serde(skip)]
    derived_from: Option<String>,
}

/// Passwords of the embedded database's login roles.
#[derive(Clone, Serialize, Deserialize)]
pub struct DatabasePasswords {
    /// Password of the superuser `supabase_admin`, which Cloch uses itself.
    pub supabase_admin: String,
    /// Password of `postgres`, which developers use. Generated if secrets.toml lacks it.
    #[serde(default)]
    pub postgres: String,
    /// Password of `authenticator`, which switches to the role of each caller. Generated if secrets.toml lacks it.
    #[serde(default)]
    pub authenticator: String,
}

impl Secrets {
    /// Reads secrets.toml, or generates the secrets and writes the file.
    ///
    /// # Errors
    /// When the file cannot be read or written, a value is missing, or a key is weak.
    pub fn load_or_create(file: &Path) -> Result<Self, ConfigError> {
        match Self::load(file)? {
            Some(mut secrets) => {
                if secrets.make_missing() {
                    secrets.save(file)?;
                }
                Ok(secrets)
            }
            None => {
                let secrets = Self::generate()?;
                secrets.save(file)?;
                Ok(secrets)
            }
        }
    }

    /// Reads secrets.toml; `None` if the file does not exist.
    ///
    /// # Errors
    /// When the file cannot be read, a value is missing, or a key is weak.
    pub fn load(file: &Path) -> Result<Option<Self>, ConfigError> {
        let text = match std::fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(ConfigError::Unreadable { file: file.to_owned(), source }),
        };
        let mut secrets = parse::secrets(file, &text)?;
        secrets.check(file, &text)?;
        for (key, role) in [(&mut secrets.anon_key, "anon"), (&mut secrets.service_role_key, "service_role")] {
            if key.is_empty() {
                *key = sign_key(&secrets.jwt_secret, role)?;
            }
        }
        Ok(Some(secrets))
    }

    /// Generates the keys that secrets.toml lacks. Operators remove the line of a leaked key to get a new key. Returns whether the file must
    /// be written.
    fn make_missing(&mut self) -> bool {
        type Make = fn() -> String;
        let keys: [(&mut String, Make); 6] = [
            (&mut self.publishable_key, || opaque(PUBLISHABLE)),
            (&mut self.secret_key, || opaque(SECRET)),
            (&mut self.s3_access_key, s3_access_key),
            (&mut self.s3_secret_key, s3_secret_key),
            (&mut self.database.postgres, password),
            (&mut self.database.authenticator, password),
        ];
        let mut is_changed = false;
        for (key, make) in keys.into_iter().filter(|(key, _)| key.is_empty()) {
            *key = make();
            is_changed = true;
        }
        if self.backup_signing_key.is_empty() {
            // The key is derived from the superuser's password, so that nodes with the same file generate the same key.
            let digest =
                Sha256::new_with_prefix(&self.database.supabase_admin).chain_update("cloch backup signing key");
            self.backup_signing_key = hex::encode(digest.finalize());
            is_changed = true;
        }
        is_changed
    }

    /// Generates new secrets with the system's random number generator.
    ///
    /// # Errors
    /// When a key cannot be generated or signed.
    pub fn generate() -> Result<Self, ConfigError> {
        let jwt_secret = random(48);
        let signing_key = EcPrivateJwk::generate().map_err(failed)?;
        Ok(Self {
            anon_key: sign_key(&jwt_secret, "anon")?,
            service_role_key: sign_key(&jwt_secret, "service_role")?,
            jwt_secret,
            publishable_key: opaque(PUBLISHABLE),
            secret_key: opaque(SECRET),
            judging_password: None,
            s3_access_key: s3_access_key(),
            s3_secret_key: s3_secret_key(),
            backup_signing_key: backup_key(),
            database: DatabasePasswords { supabase_admin: password(), postgres: password(), authenticator: password() },
            functions: BTreeMap::new(),
            signing_keys: vec![signing_key],
            derived_from: None,
        })
    }

    /// Replaces the JWT secret, and signs the two API keys that are JWTs with the new secret.
    ///
    /// # Errors
    /// When the keys cannot be signed.
    pub fn replace_jwt_secret(&mut self) -> Result<(), ConfigError> {
        self.jwt_secret = random(48);
        self.anon_key = sign_key(&self.jwt_secret, "anon")?;
        self.service_role_key = sign_key(&self.jwt_secret, "service_role")?;
        Ok(())
    }

    /// Generates the first password of the judges of the built-in example's youth awards, unless secrets.toml contains a password. Returns
    /// whether it generated one; the caller must then write the file.
    pub(in crate::config) fn make_judging_password(&mut self) -> bool {
        if self.functions.contains_key(cloch_club::JUDGING_PASSWORD) {
            return false;
        }
        let (password, is_new) = match self.judging_password.take() {
            Some(password) => (password, false),
            None => (random(JUDGING_PASSWORD_CHARS), true),
        };
        self.functions.insert(cloch_club::JUDGING_PASSWORD.to_owned(), password);
        is_new
    }

    /// Sets a secret for functions; replaces a secret with the same name.
    ///
    /// # Errors
    /// When the name or value is not valid for an environment variable, or there are too many secrets.
    pub fn set_function_secret(&mut self, name: &str, value: &Secret) -> Result<(), String> {
        check_function_secret_name(name)?;
        let value = value.expose();
        if value.is_empty() || value.len() > MAX_FUNCTION_SECRET_BYTES || value.contains('\0') {
            return Err(format!("a secret has 1 to {MAX_FUNCTION_SECRET_BYTES} bytes, and none of them is NUL"));
        }
        if !self.functions.contains_key(name) && self.functions.len() >= MAX_FUNCTION_SECRETS {
            return Err(format!("a project has {MAX_FUNCTION_SECRETS} secrets for functions at most"));
        }
        self.functions.insert(name.to_owned(), value.to_owned());
        Ok(())
    }

    /// Replaces keys of secrets.toml by the keys in `own`, which come from environment variables or config.toml. If `own` contains a JWT
    /// secret, the `anon` and `service_role` keys that `own` lacks are signed with this secret.
    ///
    /// # Errors
    /// When keys cannot be signed.
    pub fn overridden(mut self, own: &KeyOverrides) -> Result<Self, ConfigError> {
        let set = |target: &mut String, value: &Option<Secret>| {
            if let Some(value) = value {
                value.expose().clone_into(target);
            }
        };
        if own.are_the_clis {
            self.derived_from = Some(self.jwt_secret.clone());
            cloch_sql::caller::cli_keys::DATABASE_PASSWORD.clone_into(&mut self.database.postgres);
        }
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

    /// Returns the passwords of the embedded database's login roles. The passwords of roles that only programs use are derived from the
    /// superuser's password, because key rotation does not change that password.
    #[must_use]
    pub fn database_passwords(&self) -> Passwords {
        let of_role = |role: &str| {
            let digest = Sha256::new_with_prefix(&self.database.supabase_admin).chain_update(role).finalize();
            Secret::new(hex::encode(digest))
        };
        Passwords {
            server: of_role("cloch_server"),
            operators: of_role("cloch_operators"),
            auth: of_role("supabase_auth_admin"),
            owner: Secret::new(&self.database.postgres),
            callers: Secret::new(&self.database.authenticator),
            read_only: of_role("supabase_read_only_user"),
        }
    }

    /// Returns the API keys that the server accepts: the project's own keys (two JWTs and two opaque keys), and the keys `issued` from the
    /// database.
    #[must_use]
    pub fn api_keys(&self, issued: IssuedKeys) -> ApiKeys {
        ApiKeys {
            anon: Secret::new(&self.anon_key),
            service_role: Secret::new(&self.service_role_key),
            publishable: Secret::new(&self.publishable_key),
            secret: Secret::new(&self.secret_key),
            issued,
        }
    }
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secrets(…)")
    }
}

/// Checks the name of a secret for functions. Like `supabase secrets set`, refuses the prefix `SUPABASE_`.
///
/// # Errors
/// If the name is not allowed. The message contains the allowed names.
pub fn check_function_secret_name(name: &str) -> Result<(), String> {
    let is_variable = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && name.len() <= MAX_FUNCTION_SECRET_NAME_CHARS;
    if !is_variable {
        return Err(format!(
            "the name of a secret is letters, digits and _, beginning with no digit, {MAX_FUNCTION_SECRET_NAME_CHARS} at most"
        ));
    }
    match reserved_prefix(name) {
        Some(prefix) => Err(format!(
            "the name of a secret cannot be or start with {prefix}: such variables are set by the server only"
        )),
        None => Ok(()),
    }
}

fn failed(error: impl std::fmt::Display) -> ConfigError {
    ConfigError::Variable { name: "secrets.toml".into(), message: error.to_string() }
}

#[cfg(test)]
mod tests;
