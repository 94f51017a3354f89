//! Encrypts secret texts for storage in the database (AES-256-GCM). The encryption key is derived from secrets.toml, so that a copy of the
//! database alone does not reveal the texts. Each text is bound to its row: it cannot be decrypted after it was copied to another row.

use aws_lc_rs::aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use crate::Secret;

/// Encrypts a text for storage in the database row `row`. Returns nonce, ciphertext and tag in base64url. `None` if no random numbers are
/// available.
#[must_use]
pub fn seal(key: &Secret, row: &[u8], text: &str) -> Option<String> {
    let mut sealed = text.as_bytes().to_vec();
    let nonce = cipher(key)?.seal_in_place_append_tag(Aad::from(row), &mut sealed).ok()?;
    Some(URL_SAFE_NO_PAD.encode([nonce.as_ref().as_slice(), &sealed].concat()))
}

/// Decrypts a text that [`seal`] encrypted with the same key for the same row. `None` for any other text.
#[must_use]
pub fn open(key: &Secret, row: &[u8], sealed: &str) -> Option<Secret> {
    let bytes = URL_SAFE_NO_PAD.decode(sealed).ok()?;
    let (nonce, text) = bytes.split_at_checked(NONCE_LEN)?;
    let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
    let mut text = text.to_vec();
    let opened = cipher(key)?.open_in_place(nonce, Aad::from(row), &mut text).ok()?;
    String::from_utf8(opened.to_vec()).ok().map(Secret::new)
}

fn cipher(key: &Secret) -> Option<RandomizedNonceKey> {
    RandomizedNonceKey::new(&AES_256_GCM, Sha256::digest(key.expose().as_bytes()).as_slice()).ok()
}
