//! Keys of the dashboard, all derived from one secret of the server. An attacker who can read or change the operators' rows in the database,
//! but does not have this secret, cannot sign in.

use aws_lc_rs::aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use cloch_core::Secret;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use uuid::Uuid;

const TOKEN_BYTES: usize = 32;

/// Keys for sign-in links, password hashes and TOTP secrets, derived from one secret.
#[derive(Clone, Debug)]
pub struct Keys(Secret);

impl Keys {
    /// Creates the keys from the server's secret.
    #[must_use]
    pub fn new(key: Secret) -> Self {
        Self(key)
    }

    /// Derives a 32-byte key with HMAC-SHA-256. `purpose` is the use of the key (such as `link`), `of` the data for which the key is
    /// derived (such as the id of a link).
    fn derive(&self, purpose: &str, of: &[u8]) -> [u8; 32] {
        // HMAC accepts keys of any length, so the error branch is never reached.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(self.0.expose().as_bytes()) else { return [0; 32] };
        mac.update(purpose.as_bytes());
        mac.update(&[0]);
        mac.update(of);
        mac.finalize().into_bytes().into()
    }

    /// Returns the token of the sign-in link with this id.
    #[must_use]
    pub fn link_token(&self, id: Uuid) -> Secret {
        Secret::new(URL_SAFE_NO_PAD.encode(self.derive("link", id.as_bytes())))
    }

    /// Returns the server-side key that is mixed into every password before hashing.
    pub(super) fn pepper(&self) -> [u8; 32] {
        self.derive("password", &[])
    }

    /// Returns a keyed digest of a settings file's text, by which a client detects changes of the file. Because of the key, the client cannot
    /// use the digest to test guesses of the secrets in the file.
    pub(super) fn file_version(&self, file: &str, text: &str) -> String {
        URL_SAFE_NO_PAD.encode(self.derive(&format!("settings file {file}"), text.as_bytes()))
    }

    /// Encrypts an operator's TOTP secret. `None` if no random nonce is available.
    pub(super) fn seal(&self, operator: Uuid, secret: &str) -> Option<Vec<u8>> {
        self.encrypt("totp", operator.as_bytes(), secret)
    }

    /// Decrypts the output of [`Keys::seal`]. `None` if the value was encrypted for another operator or with another key.
    pub(super) fn open(&self, operator: Uuid, sealed: &[u8]) -> Option<Secret> {
        self.decrypt("totp", operator.as_bytes(), sealed)
    }

    /// Encrypts a text with AES-256-GCM. `purpose` is the use of the key, `of` the row to which the text belongs. `None` if no random nonce
    /// is available.
    pub(super) fn encrypt(&self, purpose: &str, of: &[u8], text: &str) -> Option<Vec<u8>> {
        let key = RandomizedNonceKey::new(&AES_256_GCM, &self.derive(purpose, &[])).ok()?;
        let mut text = text.as_bytes().to_vec();
        let nonce = key.seal_in_place_append_tag(Aad::from(of), &mut text).ok()?;
        Some([nonce.as_ref().as_slice(), &text].concat())
    }

    /// Decrypts the output of [`Keys::encrypt`]. `None` if the text was encrypted for another row or with another key.
    pub(super) fn decrypt(&self, purpose: &str, of: &[u8], sealed: &[u8]) -> Option<Secret> {
        let key = RandomizedNonceKey::new(&AES_256_GCM, &self.derive(purpose, &[])).ok()?;
        let (nonce, text) = sealed.split_at_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut text = text.to_vec();
        let opened = key.open_in_place(nonce, Aad::from(of), &mut text).ok()?;
        String::from_utf8(opened.to_vec()).ok().map(Secret::new)
    }
}

pub(super) fn random_token() -> Secret {
    let bytes: [u8; TOKEN_BYTES] = rand::random();
    Secret::new(URL_SAFE_NO_PAD.encode(bytes))
}

/// Returns the SHA-256 digest of a token, which the database stores instead of the token.
pub(super) fn digest(token: &str) -> Vec<u8> {
    Sha256::digest(token.as_bytes()).to_vec()
}

/// Returns the CSRF token of a session. It is a digest of the session token, so it does not reveal the session token.
pub(super) fn csrf_token(session: &str) -> Secret {
    Secret::new(URL_SAFE_NO_PAD.encode(Sha256::digest(format!("csrf\0{session}"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sealed_secret_opens_for_its_operator_only() {
        let keys = Keys::new(Secret::new("a"));
        let (ann, ben) = (Uuid::new_v4(), Uuid::new_v4());
        let sealed = keys.seal(ann, "ABC").unwrap();
        assert!(keys.open(ben, &sealed).is_none(), "copied to another row");
        assert!(Keys::new(Secret::new("b")).open(ann, &sealed).is_none(), "another key");
        assert!(keys.open(ann, &sealed[..5]).is_none() && keys.open(ann, &[]).is_none());
        assert_eq!(keys.open(ann, &sealed).unwrap().expose(), "ABC");
        assert_ne!(keys.link_token(ann).expose(), keys.link_token(ben).expose());
    }
}
