//! Generates recovery codes and hashes them.

use rand::RngExt;
use sha2::{Digest, Sha256};
use uuid::Uuid;

pub(crate) const CODES: usize = 10;
/// Number of characters in a recovery code. Each character encodes five bits, so a code has 80 bits.
const CODE_CHARS: usize = 16;
/// Crockford's base32 alphabet, without letters that look like digits or like other letters.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

pub(crate) fn generate() -> Vec<String> {
    let mut rng = rand::rng();
    let mut code = || {
        std::iter::repeat_with(|| ALPHABET.get(rng.random_range(0..ALPHABET.len())).copied().map_or('0', char::from))
            .take(CODE_CHARS)
            .collect::<String>()
    };
    std::iter::repeat_with(&mut code).take(CODES).collect()
}

/// Returns the hash under which the database stores the recovery code `typed` of the set `set`. `None` if `typed` is not a well-formed
/// code. Ignores case, spaces and `-`, and reads the letters o, i and l as the digits that they resemble.
pub(crate) fn hash(set: Uuid, typed: &str) -> Option<Vec<u8>> {
    let read = |c: char| match c {
        'o' => '0',
        'i' | 'l' => '1',
        other => other,
    };
    let code: String = typed
        .chars()
        .filter(|c| !c.is_whitespace() && *c != '-')
        .map(|c| read(c.to_ascii_lowercase()))
        // Takes one character more than a recovery code has, so that a longer text is refused instead of truncated.
        .take(CODE_CHARS + 1)
        .collect();
    let is_code = code.len() == CODE_CHARS && code.bytes().all(|c| ALPHABET.contains(&c));
    is_code.then(|| Sha256::new().chain_update(set.as_bytes()).chain_update(code).finalize().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_code_has_no_hash() {
        for text in ["", "0123", "0123456789abcdef0", "0123456789abcdeu", "0123456789abcdé", &"0".repeat(1_000_000)] {
            assert_eq!(hash(Uuid::nil(), text), None);
        }
    }

    #[test]
    fn a_code_is_read_as_people_write_it() {
        let expected = hash(Uuid::nil(), "0123456789abcde1");
        assert!(expected.is_some());
        assert_eq!(hash(Uuid::nil(), " O123-4567 89AB-CDEL\n"), expected);
        assert_ne!(hash(Uuid::max(), "0123456789abcde1"), expected);
    }

    #[test]
    fn codes_are_of_the_alphabet_and_all_different() {
        let codes = generate();
        assert_eq!(codes.len(), CODES);
        assert!(codes.iter().all(|code| hash(Uuid::nil(), code).is_some()));
        assert!((1..CODES).all(|n| codes[n] != codes[n - 1]));
    }
}
