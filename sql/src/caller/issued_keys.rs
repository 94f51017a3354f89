//! API keys of the table `cloch.api_keys`: opaque keys that `cloch keys new` creates in addition to the project's publishable and secret
//! key, and revoked keys. The table contains only digests of the keys. A key has 130 random bits, so SHA-256 without a salt is sufficient
//! protection.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use sha2::{Digest, Sha256};
use sqlx::PgPool;

/// Prefix of every opaque API key.
const PREFIX: &str = "sb_";

/// Kind of an opaque API key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyKind {
    /// `sb_publishable_…`, which has the same effect as the legacy `anon` key.
    Publishable,
    /// `sb_secret_…`, which has the same effect as the legacy `service_role` key.
    Secret,
}

impl KeyKind {
    /// Parses the column `kind` of the table `cloch.api_keys`: `publishable` or `secret`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        [Self::Publishable, Self::Secret].into_iter().find(|kind| kind.as_str() == name)
    }

    /// Returns the value of the column `kind` in the table `cloch.api_keys`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Publishable => "publishable",
            Self::Secret => "secret",
        }
    }
}

/// State of a key in the table `cloch.api_keys`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IssuedKey {
    /// The key is accepted.
    Valid(KeyKind),
    /// The key is refused, even if it is the project's own publishable or secret key.
    Revoked,
}

/// The keys of the table `cloch.api_keys` at the last call of [`IssuedKeys::load`]. All clones share the same keys.
#[derive(Clone, Debug, Default)]
pub struct IssuedKeys(Arc<RwLock<HashMap<[u8; 32], IssuedKey>>>);

impl IssuedKeys {
    /// Returns the SHA-256 of a key. The table `cloch.api_keys` contains this digest instead of the key.
    #[must_use]
    pub fn digest(key: &str) -> [u8; 32] {
        Sha256::digest(key.as_bytes()).into()
    }

    /// Whether a text has the form of an opaque API key. Other API keys are JWTs.
    #[must_use]
    pub fn is_opaque(key: &str) -> bool {
        key.starts_with(PREFIX)
    }

    /// Returns the state of a key; `None` if the table `cloch.api_keys` does not contain the key.
    #[must_use]
    pub fn find(&self, key: &str) -> Option<IssuedKey> {
        // Return before the lock is acquired if the key is not opaque: most requests have a JWT.
        if !Self::is_opaque(key) {
            return None;
        }
        let keys = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if keys.is_empty() {
            return None;
        }
        keys.get(&Self::digest(key)).copied()
    }

    /// Loads the keys from the table `cloch.api_keys`.
    ///
    /// # Errors
    /// Fails if the table cannot be read. The keys of the previous call then remain in use.
    pub async fn load(&self, pool: &PgPool) -> sqlx::Result<()> {
        let rows: Vec<(Vec<u8>, String, bool)> =
            sqlx::query_as("select hash, kind, revoked_at is not null from cloch.api_keys").fetch_all(pool).await?;
        let mut keys = HashMap::with_capacity(rows.len());
        for (hash, kind, is_revoked) in rows {
            let unreadable = || sqlx::Error::Decode(format!("cloch.api_keys contains a key of kind {kind:?}").into());
            let state = if is_revoked {
                IssuedKey::Revoked
            } else {
                IssuedKey::Valid(KeyKind::named(&kind).ok_or_else(unreadable)?)
            };
            keys.insert(<[u8; 32]>::try_from(hash.as_slice()).map_err(|_| unreadable())?, state);
        }
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = keys;
        Ok(())
    }

    /// Replaces the keys, for tests.
    #[cfg(test)]
    pub(crate) fn replace(&self, keys: &[(&str, IssuedKey)]) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) =
            keys.iter().map(|(key, state)| (Self::digest(key), *state)).collect();
    }
}
