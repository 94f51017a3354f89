//! Encrypts the client secrets of custom providers in the database (AES-256-GCM) with an encryption key from secrets.toml. Each ciphertext
//! is bound to its database row. A copy of the database alone does not reveal the secrets.

use cloch_core::Secret;
use cloch_core::sealed_text;
use serde_json::Value;
use uuid::Uuid;

use crate::error::{AuthError, Result};

/// The prefix of an encrypted client secret.
const MARK: &str = "cloch:sealed:1:";
const FAILED: &str = "The client secret of this provider cannot be read, set it anew";

pub(crate) fn seal(key: &Secret, provider: Uuid, secret: &str) -> Result<String> {
    let failed = || AuthError::internal("Error encrypting custom OAuth provider client secret", "no randomness");
    let sealed = sealed_text::seal(key, provider.as_bytes(), secret).ok_or_else(failed)?;
    Ok(format!("{MARK}{sealed}"))
}

/// Decrypts a stored client secret. Returns a value without the prefix unchanged, because GoTrue stores plain text if its encryption is
/// disabled.
pub(crate) fn open(key: &Secret, provider: Uuid, stored: &str) -> Result<Secret> {
    let Some(sealed) = stored.strip_prefix(MARK) else {
        return match is_encrypted_by_upstream(stored) {
            true => Err(AuthError::internal(FAILED, "another server encrypted it")),
            false => Ok(Secret::new(stored)),
        };
    };
    sealed_text::open(key, provider.as_bytes(), sealed)
        .ok_or_else(|| AuthError::internal(FAILED, "it was sealed with another key"))
}

/// Whether GoTrue has encrypted the client secret: its format (`EncryptedString`) is a JSON object with the id of the encryption key.
fn is_encrypted_by_upstream(stored: &str) -> bool {
    let value: Option<Value> = serde_json::from_str(stored).ok();
    value.is_some_and(|value| value.get("key_id").is_some() && value.get("data").is_some())
}

#[cfg(test)]
mod tests {
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
