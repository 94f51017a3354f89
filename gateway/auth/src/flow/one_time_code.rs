//! One-time codes and their hashes.

use rand::RngExt;
use sha2::{Digest, Sha224};

use crate::pkce::TOKEN_PREFIX;

/// A uniformly random code of `digits` digits.
pub(crate) fn generate(digits: u8) -> String {
    let mut rng = rand::rng();
    std::iter::repeat_with(|| char::from(b'0' + rng.random_range(0..10u8))).take(digits.into()).collect()
}

/// The hash that is stored and that links contain. It depends on the address, so that a code is valid for one address only.
pub(crate) fn hash(address: &str, code: &str) -> String {
    hex::encode(Sha224::digest(format!("{address}{code}").as_bytes()))
}

/// A new code with its hash, which has a prefix in a PKCE flow.
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
