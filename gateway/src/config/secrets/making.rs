//! Generates keys and passwords.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use cloch_core::Secret;
use cloch_sql::caller::{KeyKind, KeyRing};
use rand::distr::{Alphanumeric, SampleString};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::failed;
use crate::config::ConfigError;

/// 1 January 2046, the expiry of the Supabase CLI's keys, in seconds since 1970.
const API_KEY_EXPIRES_AT: i64 = 2_398_377_600;
/// Prefixes of the opaque API keys, which are not JWTs.
pub(super) const PUBLISHABLE: &str = "sb_publishable_";
pub(super) const SECRET: &str = "sb_secret_";

/// Signs an API key (JWT) for `role` with the project's JWT secret. The key has no `iat` claim, so that the same secret gives the same key on
/// every node.
pub(super) fn sign_key(jwt_secret: &str, role: &str) -> Result<String, ConfigError> {
    let ring = KeyRing::new(Secret::new(jwt_secret), &[]).map_err(failed)?;
    ring.sign_hs256(&json!({ "iss": "supabase", "role": role, "exp": API_KEY_EXPIRES_AT })).map_err(failed)
}

pub(super) fn random(length: usize) -> String {
    Alphanumeric.sample_string(&mut rand::rng(), length)
}

pub(super) fn password() -> String {
    random(32)
}

pub(super) fn s3_access_key() -> String {
    hex::encode(rand::random::<[u8; 16]>())
}

pub(super) fn s3_secret_key() -> String {
    hex::encode(rand::random::<[u8; 32]>())
}

/// Generates the seed of the Ed25519 key that signs backups, in hexadecimal.
pub(super) fn backup_key() -> String {
    hex::encode(rand::random::<[u8; 32]>())
}

/// Generates an opaque API key: 22 random characters and a checksum of 8 characters, which detects typing errors.
pub(super) fn opaque(prefix: &str) -> String {
    let body = format!("{prefix}{}", random(22));
    let checksum = URL_SAFE_NO_PAD.encode(Sha256::digest(body.as_bytes()));
    format!("{body}_{}", checksum.chars().take(8).collect::<String>())
}

/// Generates an opaque API key.
#[must_use]
pub fn new_api_key(kind: KeyKind) -> Secret {
    Secret::new(opaque(match kind {
        KeyKind::Publishable => PUBLISHABLE,
        KeyKind::Secret => SECRET,
    }))
}
