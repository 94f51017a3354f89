//! Keys that are derived from the keys in secrets.toml. Each is for one purpose: it is the same on every node, and independent of the others.

use cloch_core::Secret;
use hex::FromHex;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::{Secrets, failed};
use crate::config::ConfigError;

impl Secrets {
    /// Returns the key that gives access to the inbox (the page that shows mails that are not sent). The key is derived from the JWT
    /// secret: it is the same on every node and changes with the secret.
    ///
    /// # Errors
    /// When the key cannot be derived.
    pub fn inbox_key(&self) -> Result<Secret, ConfigError> {
        self.derived("cloch inbox key").map(Secret::new)
    }

    /// Returns the key that encrypts mails with links and codes in the database. Mails in the outbox are lost if the JWT secret is lost.
    ///
    /// # Errors
    /// When the key cannot be derived.
    pub fn mail_key(&self) -> Result<Secret, ConfigError> {
        self.derived("cloch mail").map(Secret::new)
    }

    /// Returns the access token of the Management API, in the format that the Supabase CLI requires. The token changes with the JWT secret.
    ///
    /// # Errors
    /// When the token cannot be derived.
    pub fn access_token(&self) -> Result<Secret, ConfigError> {
        let derived = self.derived("cloch management token")?;
        Ok(Secret::new(format!("sbp_{}", derived.get(..40).unwrap_or_default())))
    }

    /// Returns the key that encrypts messages between nodes. The key is the same on all nodes and changes with the JWT secret.
    ///
    /// # Errors
    /// When the key cannot be derived.
    pub fn bus_key(&self) -> Result<Secret, ConfigError> {
        self.derived("cloch bus between nodes").map(Secret::new)
    }

    /// Returns the password of the database role for read-only SQL.
    ///
    /// # Errors
    /// When the password cannot be derived.
    pub fn read_only_password(&self) -> Result<Secret, ConfigError> {
        self.derived("cloch read-only login").map(Secret::new)
    }

    /// Returns the key for the links, passwords and one-time codes of the dashboard's operators. Links, passwords and codes must be created
    /// again if the JWT secret is lost.
    ///
    /// # Errors
    /// When the key cannot be derived.
    pub fn dashboard_key(&self) -> Result<Secret, ConfigError> {
        self.derived("cloch dashboard").map(Secret::new)
    }

    /// Returns the key that encrypts the secrets of sign-in providers in the database. The secrets must be set again if the JWT secret is
    /// lost.
    ///
    /// # Errors
    /// When the key cannot be derived.
    pub fn provider_key(&self) -> Result<Secret, ConfigError> {
        self.derived("cloch sign-in providers").map(Secret::new)
    }

    /// Returns the key that encrypts ACME account credentials and the private keys of certificates in the database. If the JWT secret is
    /// lost, the server creates a new account and new certificates.
    ///
    /// # Errors
    /// When the key cannot be derived.
    pub fn certificate_key(&self) -> Result<Secret, ConfigError> {
        self.derived("cloch certificates").map(Secret::new)
    }

    /// Returns the key of the seals of dumps (`cloch db dump`). It is derived from the key that signs backups, because that key does not
    /// change when other keys are rotated, so existing dumps stay valid.
    ///
    /// # Errors
    /// When `backup_signing_key` in secrets.toml is not 64 hexadecimal digits.
    pub fn dump_seal_key(&self) -> Result<Secret, ConfigError> {
        let seed = <[u8; 32]>::from_hex(self.backup_signing_key.trim())
            .map_err(|_| failed("backup_signing_key is not 64 hexadecimal digits"))?;
        derive(&seed, "cloch dump seal").map(Secret::new)
    }

    /// Derives a secret for one purpose from the JWT secret by HMAC-SHA256: the same on every node, and independent of the secrets for other
    /// purposes.
    fn derived(&self, purpose: &str) -> Result<String, ConfigError> {
        derive(self.derived_from.as_ref().unwrap_or(&self.jwt_secret).as_bytes(), purpose)
    }
}

/// Derives a key for one purpose from another key by HMAC-SHA256, in hexadecimal.
fn derive(key: &[u8], purpose: &str) -> Result<String, ConfigError> {
    let mac = Hmac::<Sha256>::new_from_slice(key).map_err(failed)?;
    Ok(hex::encode(mac.chain_update(purpose).finalize().into_bytes()))
}
