//! Random strings of the OAuth server: authorization codes, authorization request ids and client secrets. Codes and secrets are stored as
//! hashes.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// Number of random bytes in a code or secret (256 bits).
const RANDOM_BYTES: usize = 32;

/// Returns a random base64url string of 43 characters.
pub(crate) fn random() -> String {
    URL_SAFE_NO_PAD.encode(rand::random::<[u8; RANDOM_BYTES]>())
}

pub(crate) fn hash_of_code(code: &str) -> String {
    hex::encode(Sha256::digest(code.as_bytes()))
}

/// Returns the hash of a client secret, in GoTrue's format.
pub(crate) fn hash_of_secret(secret: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(secret.as_bytes()))
}

pub(crate) fn is_secret(secret: &str, hash: &str) -> bool {
    !hash.is_empty() && bool::from(hash_of_secret(secret).as_bytes().ct_eq(hash.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_without_a_secret_has_no_right_one() {
        assert!(!is_secret("", ""));
        assert!(!is_secret("x", ""));
        assert!(!is_secret("x", &hash_of_secret("y")));
        assert!(is_secret("x", &hash_of_secret("x")));
    }
}
