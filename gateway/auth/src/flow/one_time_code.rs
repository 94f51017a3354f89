//! Generates one-time codes and their hashes.

use rand::RngExt;
use sha2::{Digest, Sha224};

use crate::pkce::TOKEN_PREFIX;

pub(crate) fn generate(digits: u8) -> String {
    let mut rng = rand::rng();
    std::iter::repeat_with(|| char::from(b'0' + rng.random_range(0..10u8))).take(digits.into()).collect()
}

/// Returns the hash of a one-time code. The database stores the hash, and mailed links contain it. The hash is computed from the address
/// and the code, so that a code is valid for only one address.
pub(crate) fn hash(address: &str, code: &str) -> String {
    hex::encode(Sha224::digest(format!("{address}{code}").as_bytes()))
}

/// A new one-time code with its hash. In a PKCE flow, the hash begins with `pkce_`.
pub(crate) struct Code {
    pub(crate) digits: String,
    pub(crate) hash: String,
}

impl Code {
    pub(crate) fn new(digits: u8, address: &str, pkce: bool) -> Self {
        let code = generate(digits);
        let hash = hash(address, &code);
        Self { digits: code, hash: if pkce { format!("{TOKEN_PREFIX}{hash}") } else { hash } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_their_length_and_differ() {
        let codes: std::collections::HashSet<_> = (0..50).map(|_| generate(8)).collect();
        assert!(codes.iter().all(|code| code.len() == 8 && code.bytes().all(|digit| digit.is_ascii_digit())));
        assert!(codes.len() > 45);
    }

    #[test]
    fn the_hash_is_sha224_of_address_and_code() {
        assert_eq!(hash("", "").len(), 56);
        assert_eq!(hash("a@b.example", "123456"), hash("a@b.example1", "23456"));
        assert_ne!(hash("a@b.example", "123456"), hash("c@b.example", "123456"));
    }
}
