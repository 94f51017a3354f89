//! Client secrets of providers in the database: sealed (AES-256-GCM) with a key of secrets.toml, for one row each, so that a copy of the
//! database opens none.

use aws_lc_rs::aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use cloch_sql::Secret;
use serde_json::Value;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::auth::error::{AuthError, Result};

/// What a sealed secret begins with.
const MARK: &str = "cloch:sealed:1:";
const FAILED: &str = "The client secret of this provider cannot be read, set it anew";

/// The form in which a secret is stored.
pub(crate) fn seal(key: &Secret, provider: Uuid, secret: &str) -> Result<String> {
    let failed = || AuthError::internal("Error encrypting custom OAuth provider client secret", "no randomness");
    let mut text = secret.as_bytes().to_vec();
    let nonce = cipher(key)
        .and_then(|cipher| cipher.seal_in_place_append_tag(Aad::from(provider.as_bytes()), &mut text).ok())
        .ok_or_else(failed)?;
    Ok(format!("{MARK}{}", URL_SAFE_NO_PAD.encode([nonce.as_ref().as_slice(), &text].concat())))
}

/// The secret in a stored form. One without the mark is as GoTrue stores it where it encrypts nothing.
pub(crate) fn open(key: &Secret, provider: Uuid, stored: &str) -> Result<Secret> {
    let Some(sealed) = stored.strip_prefix(MARK) else {
        return match is_encrypted_by_upstream(stored) {
            true => Err(AuthError::internal(FAILED, "another server encrypted it")),
            false => Ok(Secret::new(stored)),
        };
    };
    unsealed(key, provider, sealed).ok_or_else(|| AuthError::internal(FAILED, "it was sealed with another key"))
}

fn unsealed(key: &Secret, provider: Uuid, sealed: &str) -> Option<Secret> {
    let bytes = URL_SAFE_NO_PAD.decode(sealed).ok()?;
    let (nonce, text) = bytes.split_at_checked(NONCE_LEN)?;
    let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
    let mut text = text.to_vec();
    let opened = cipher(key)?.open_in_place(nonce, Aad::from(provider.as_bytes()), &mut text).ok()?;
    String::from_utf8(opened.to_vec()).ok().map(Secret::new)
}

fn cipher(key: &Secret) -> Option<RandomizedNonceKey> {
    RandomizedNonceKey::new(&AES_256_GCM, Sha256::digest(key.expose().as_bytes()).as_slice()).ok()
}

/// GoTrue's `EncryptedString`: a JSON object that names its key.
fn is_encrypted_by_upstream(stored: &str) -> bool {
    let value: Option<Value> = serde_json::from_str(stored).ok();
    value.is_some_and(|value| value.get("key_id").is_some() && value.get("data").is_some())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn a_sealed_secret_opens_for_its_row_and_key_only() {
        let (key, ann, ben) = (Secret::new("a"), Uuid::new_v4(), Uuid::new_v4());
        let sealed = seal(&key, ann, "their-secret").unwrap();
        assert!(!sealed.contains("their-secret"));
        assert_ne!(sealed, seal(&key, ann, "their-secret").unwrap());
        assert!(open(&key, ben, &sealed).is_err(), "copied to another row");
        assert!(open(&Secret::new("b"), ann, &sealed).is_err(), "another key");
        assert!(open(&key, ann, MARK).is_err());
        assert!(open(&key, ann, &sealed[..sealed.len() - 4]).is_err());
        assert_eq!(open(&key, ann, &sealed).unwrap().expose(), "their-secret");
    }

    #[test]
    fn what_another_server_stored_is_read_where_it_can_be() {
        let (key, id) = (Secret::new("a"), Uuid::new_v4());
        assert_eq!(open(&key, id, "plain").unwrap().expose(), "plain");
        assert!(open(&key, id, r#"{"key_id": "k", "alg": "aes", "data": "x", "nonce": "y"}"#).is_err());
    }
}
