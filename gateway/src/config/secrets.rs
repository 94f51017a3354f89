//! `secrets.toml` in the data folder: generated at the first start, readable by its owner only.

mod draft;
mod making;

use std::collections::BTreeMap;
use std::path::Path;

use cloch_core::Secret;
use cloch_functions::deno::reserved_prefix;
use cloch_sql::caller::ApiKeys;
use cloch_sql::caller::keys::EcPrivateJwk;
use cloch_sql::database::Passwords;
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::toml_file::ConfigError;
pub use draft::SecretsDraft;
use making::{PUBLISHABLE, SECRET, backup_key, opaque, password, random, s3_access_key, s3_secret_key, sign_key};

const JUDGING_PASSWORD_CHARS: usize = 12;
// Upstream's limits of secrets for functions.
const MAX_FUNCTION_SECRETS: usize = 100;
const MAX_FUNCTION_SECRET_NAME_CHARS: usize = 256;
/// Bytes of one secret for functions.
pub const MAX_FUNCTION_SECRET_BYTES: usize = 48 * 1024;

/// The secrets of a project.
#[derive(Clone, Serialize, Deserialize)]
pub struct Secrets {
    /// The HS256 secret.
    pub jwt_secret: String,
    /// The anonymous key as a JWT. Without a line in the file it is signed when the file is read, as the service key.
    #[serde(default)]
    pub anon_key: String,
    /// The service key as a JWT.
    #[serde(default)]
    pub service_role_key: String,
    /// `sb_publishable_…` Without a line the start makes it, as the next three and two passwords of the database.
    #[serde(default)]
    pub publishable_key: String,
    /// `sb_secret_…`
    #[serde(default)]
    pub secret_key: String,
    /// Access key of the S3 protocol.
    #[serde(default)]
    pub s3_access_key: String,
    /// Secret key of the S3 protocol.
    #[serde(default)]
    pub s3_secret_key: String,
    /// Signs backups that are encrypted to an age recipient: 64 hexadecimal digits.
    #[serde(default)]
    pub backup_signing_key: String,
    /// Earlier versions generated it for every project. For the club it becomes one of `functions`; other projects do not use it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    judging_password: Option<String>,
    /// Passwords of the embedded database's logins.
    pub database: DatabasePasswords,
    /// Secrets in the environment of functions, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub functions: BTreeMap<String, String>,
    /// The keys that sign user tokens; the first signs.
    pub signing_keys: Vec<EcPrivateJwk>,
    /// The project's own JWT secret where one that everybody knows is in force: what is derived stays secret.
    #[serde(skip)]
    derived_from: Option<String>,
}

/// Passwords of the embedded database's logins.
#[derive(Clone, Serialize, Deserialize)]
pub struct DatabasePasswords {
    /// Of the superuser, Cloch's own login.
    pub supabase_admin: String,
    /// Of `postgres`, the developer's login.
    #[serde(default)]
    pub postgres: String,
    /// Of `authenticator`, the login that becomes the callers' roles.
    #[serde(default)]
    pub authenticator: String,
}

impl Secrets {
    /// Reads the file, or makes it.
    ///
    /// # Errors
    /// When it cannot be read or written, or a value is missing.
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

    /// Reads the file; `None` where it does not exist.
    ///
    /// # Errors
    /// When it cannot be read, or a value is missing.
    pub fn load(file: &Path) -> Result<Option<Self>, ConfigError> {
        let text = match std::fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(ConfigError::Unreadable { file: file.to_owned(), source }),
        };
        // The parser's message would quote the line, which contains a secret.
        let mut secrets: Self = toml::from_str(&text).map_err(|error| ConfigError::Syntax {
            file: file.to_owned(),
            line: error.span().map_or(1, |span| text.get(..span.start).unwrap_or_default().matches('\n').count() + 1),
            message: "a value is missing or has the wrong type; restore the file from a backup".to_owned(),
        })?;
        for (key, role) in [(&mut secrets.anon_key, "anon"), (&mut secrets.service_role_key, "service_role")] {
            if key.is_empty() {
                *key = sign_key(&secrets.jwt_secret, role)?;
            }
        }
        Ok(Some(secrets))
    }

    /// Makes the keys whose lines were removed, because they leaked; returns whether the file has to be written.
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
            // Nodes whose files are the same make the same one.
            let digest =
                Sha256::new_with_prefix(&self.database.supabase_admin).chain_update("cloch backup signing key");
            self.backup_signing_key = hex::encode(digest.finalize());
            is_changed = true;
        }
        is_changed
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

    /// Generates the judges' initial password if there is none; returns whether the file has to be written.
    pub(super) fn make_judging_password(&mut self) -> bool {
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

    /// Sets a secret for functions; replaces one with the same name.
    ///
    /// # Errors
    /// When the name or value is invalid for an environment variable, or there are too many secrets.
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

    /// Applies the operator's overrides. If only the JWT secret is overridden, API keys are signed with it.
    ///
    /// # Errors
    /// When keys cannot be signed.
    pub fn overridden(mut self, own: &super::KeyOverrides) -> Result<Self, ConfigError> {
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

    /// The key of the inbox, derived from the JWT secret, so that it is the same on every node and changes with the secret.
    ///
    /// # Errors
    /// When it cannot be derived.
    pub fn inbox_key(&self) -> Result<Secret, ConfigError> {
        self.derived("cloch inbox key").map(Secret::new)
    }

    /// The key that seals mails with links and codes in the database. What waits to be sent is lost where the JWT secret is.
    ///
    /// # Errors
    /// When it cannot be derived.
    pub fn mail_key(&self) -> Result<Secret, ConfigError> {
        self.derived("cloch mail").map(Secret::new)
    }

    /// The access token of the Management API, in the form that the Supabase CLI asks for. It changes with the JWT secret.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn access_token(&self) -> Result<Secret, ConfigError> {
        let derived = self.derived("cloch management token")?;
        Ok(Secret::new(format!("sbp_{}", derived.get(..40).unwrap_or_default())))
    }

    /// The key of messages between the nodes, the same on all of them. It changes with the JWT secret.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn bus_key(&self) -> Result<Secret, ConfigError> {
        self.derived("cloch bus between nodes").map(Secret::new)
    }

    /// The password of the database role for read-only SQL.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn read_only_password(&self) -> Result<Secret, ConfigError> {
        self.derived("cloch read-only login").map(Secret::new)
    }

    /// The passwords of the embedded database's logins. Those that no person uses follow from the superuser's, which key rotations keep.
    #[must_use]
    pub fn database_passwords(&self) -> Passwords {
        let of_role = |role: &str| {
            let digest = Sha256::new_with_prefix(&self.database.supabase_admin).chain_update(role).finalize();
            Secret::new(hex::encode(digest))
        };
        Passwords {
            server: of_role("cloch_server"),
            auth: of_role("supabase_auth_admin"),
            owner: Secret::new(&self.database.postgres),
            callers: Secret::new(&self.database.authenticator),
            read_only: of_role("supabase_read_only_user"),
        }
    }

    /// The key behind links, passwords and one-time codes of the dashboard's operators. They are made anew where the JWT secret is lost.
    ///
    /// # Errors
    /// When it cannot be derived.
    pub fn dashboard_key(&self) -> Result<Secret, ConfigError> {
        self.derived("cloch dashboard").map(Secret::new)
    }

    /// The key that seals the secrets of sign-in providers in the database. They are set anew where the JWT secret is lost.
    ///
    /// # Errors
    /// When it cannot be derived.
    pub fn provider_key(&self) -> Result<Secret, ConfigError> {
        self.derived("cloch sign-in providers").map(Secret::new)
    }

    /// The key that seals what a certificate's authority knows this server by, and the keys of certificates, in the database. They are made
    /// anew where the JWT secret is lost.
    ///
    /// # Errors
    /// When it cannot be derived.
    pub fn certificate_key(&self) -> Result<Secret, ConfigError> {
        self.derived("cloch certificates").map(Secret::new)
    }

    /// A secret of its own for one purpose: the same on every node, and of no use for another purpose.
    fn derived(&self, purpose: &str) -> Result<String, ConfigError> {
        let secret = self.derived_from.as_ref().unwrap_or(&self.jwt_secret);
        let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).map_err(failed)?;
        mac.update(purpose.as_bytes());
        Ok(hex::encode(mac.finalize().into_bytes()))
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

/// Checks the name of a secret for functions. Like `supabase secrets set`, refuses SUPABASE_.
///
/// # Errors
/// Which names are allowed.
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
