//! Signs the files of a backup target and verifies their signatures, which prove the author of a file. The server signs each file (Ed25519) with a
//! key that is not stored in the target. A restore needs the public key, or derives the key pair from the passphrase. docs/backup-format.md describes
//! what a signature proves.

use std::fmt;
use std::sync::Arc;

use aws_lc_rs::hkdf;
use aws_lc_rs::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
use cloch_core::Secret;
use hex::FromHex;

use crate::error::{BackupError, Result};

pub(crate) const SIGNATURE_BYTES: usize = 64;
/// Length in bytes of a signing key's seed, of a public key, and of a digest.
const KEY_BYTES: usize = 32;
/// Prefix of the text form of a public verification key, which distinguishes it from a passphrase.
const VERIFY_KEY_PREFIX: &str = "cloch-verify-";
/// First line of the text that the server signs for the root file `cloch-backup.json` of a backup target.
const ROOT_CONTEXT: &str = "cloch-backup 2 root";
/// First line of the text that the server signs for any other file of a backup target.
const FILE_CONTEXT: &str = "cloch-backup 2 file";

/// Private key that signs the files of a backup.
#[derive(Clone)]
pub struct Signer(Arc<Ed25519KeyPair>);

/// Public key that verifies the signatures of the files of a backup.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Verifier([u8; KEY_BYTES]);

/// The proof of a file's author: the digest of the signed bytes, and the signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Proof {
    pub(crate) digest: [u8; KEY_BYTES],
    pub(crate) signature: Option<[u8; SIGNATURE_BYTES]>,
}

/// The file for which a signature is valid. The name of the file and the id of the backup target are part of the signed text. Therefore a
/// signed file is not accepted under another name or in another backup target. The root file and its copy are accepted in any target.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place<'a> {
    /// The root file `cloch-backup.json` of a backup target or its copy.
    Root,
    /// Any file except the root file `cloch-backup.json` and its copy: the backup target's id, and the file's name in the target.
    File { target: &'a str, name: &'a str },
}

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signer({})", self.verifier())
    }
}

impl fmt::Display for Verifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{VERIFY_KEY_PREFIX}{}", hex::encode(self.0))
    }
}

impl fmt::Debug for Verifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl Place<'_> {
    fn message(self, digest: &[u8; KEY_BYTES]) -> Vec<u8> {
        let context = match self {
            Self::Root => format!("{ROOT_CONTEXT}\n"),
            // A backup target's id is a UUID without line breaks. Therefore two different files never produce the same text.
            Self::File { target, name } => format!("{FILE_CONTEXT}\n{target}\n{name}\n"),
        };
        [context.as_bytes(), digest].concat()
    }
}

impl Signer {
    /// Parses a signing key of 64 hexadecimal digits, as stored in secrets.toml.
    ///
    /// # Errors
    /// If the text does not consist of 64 hexadecimal digits.
    pub fn parse(seed: &Secret) -> Result<Self> {
        let seed = <[u8; KEY_BYTES]>::from_hex(seed.expose().trim()).map_err(|_| {
            BackupError::Refused("backup_signing_key in secrets.toml is not 64 hexadecimal digits".to_owned())
        })?;
        Self::of_seed(&seed)
    }

    /// Derives the signing key from the age identity that decrypts a backup.
    pub(crate) fn derive(identity: &Secret) -> Result<Self> {
        let failed = |_| BackupError::Encrypt("the signing key cannot be derived".to_owned());
        let salt = hkdf::Salt::new(hkdf::HKDF_SHA256, b"cloch backup");
        let key = salt.extract(identity.expose().as_bytes());
        let mut seed = [0; KEY_BYTES];
        key.expand(&[b"signing key 1"], hkdf::HKDF_SHA256).and_then(|okm| okm.fill(&mut seed)).map_err(failed)?;
        Self::of_seed(&seed)
    }

    fn of_seed(seed: &[u8; KEY_BYTES]) -> Result<Self> {
        let pair = Ed25519KeyPair::from_seed_unchecked(seed);
        pair.map(|pair| Self(Arc::new(pair))).map_err(|error| BackupError::Encrypt(error.to_string()))
    }

    /// Returns the public key that verifies signatures of this signer.
    #[must_use]
    pub fn verifier(&self) -> Verifier {
        let mut key = [0; KEY_BYTES];
        key.copy_from_slice(self.0.public_key().as_ref());
        Verifier(key)
    }

    /// Signs the SHA-256 digest of a file's content together with the file's place (backup target and name).
    pub(crate) fn sign(&self, place: Place<'_>, digest: &[u8; KEY_BYTES]) -> [u8; SIGNATURE_BYTES] {
        let mut signature = [0; SIGNATURE_BYTES];
        signature.copy_from_slice(self.0.sign(&place.message(digest)).as_ref());
        signature
    }
}

impl Verifier {
    /// Parses the text form of a public verification key (`cloch-verify-…`).
    ///
    /// # Errors
    /// If the text is not a public verification key.
    pub fn parse(text: &str) -> Result<Self> {
        let key = text.trim().strip_prefix(VERIFY_KEY_PREFIX).and_then(|key| <[u8; KEY_BYTES]>::from_hex(key).ok());
        key.map(Self).ok_or_else(|| {
            BackupError::Refused(format!(
                "{text:?} is no verification key: it is {VERIFY_KEY_PREFIX} and 64 hexadecimal digits, as `cloch backup status` shows it"
            ))
        })
    }

    /// Whether a text begins like a public verification key.
    #[must_use]
    pub fn is_text(text: &str) -> bool {
        text.starts_with(VERIFY_KEY_PREFIX)
    }

    /// Verifies the signature of the SHA-256 digest of a file's content together with the file's place (backup target and name).
    ///
    /// # Errors
    /// If the signature is missing, or was made with another key, for another content or for another place.
    pub(crate) fn verify(
        self,
        place: Place<'_>,
        name: &str,
        digest: &[u8; KEY_BYTES],
        signature: Option<&[u8]>,
    ) -> Result<()> {
        let Some(signature) = signature else {
            return Err(BackupError::not_authentic(name, "it has no signature"));
        };
        let key = UnparsedPublicKey::new(&ED25519, &self.0);
        key.verify(&place.message(digest), signature).map_err(|_| {
            BackupError::not_authentic(name, "its signature is not that of this project's server, for this place")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signer(seed: u8) -> Signer {
        Signer::of_seed(&[seed; KEY_BYTES]).unwrap()
    }

    #[test]
    fn a_signature_holds_for_one_key_content_and_place() {
        let (signer, digest) = (signer(1), [7; KEY_BYTES]);
        let place = Place::File { target: "t", name: "series/a/point.json" };
        let signature = signer.sign(place, &digest);
        let verify = |verifier: Verifier, place, digest: &[u8; KEY_BYTES]| {
            verifier.verify(place, "a file", digest, Some(&signature)).is_ok()
        };
        assert!(verify(signer.verifier(), place, &digest));
        assert!(!verify(self::signer(2).verifier(), place, &digest), "another server");
        assert!(!verify(signer.verifier(), place, &[8; KEY_BYTES]), "another content");
        for other in [
            Place::Root,
            Place::File { target: "u", name: "series/a/point.json" },
            Place::File { target: "t", name: "series/b/point.json" },
            Place::File { target: "t\nseries/a", name: "point.json" },
        ] {
            assert!(!verify(signer.verifier(), other, &digest), "{other:?}");
        }
        assert!(signer.verifier().verify(place, "a file", &digest, None).is_err(), "no signature");
    }

    // The expected key is the first test vector of RFC 8032.
    #[test]
    fn keys_have_a_text_form() {
        let seed = Secret::from("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60".to_owned());
        let verifier = Signer::parse(&seed).unwrap().verifier();
        let text = "cloch-verify-d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
        assert_eq!(verifier.to_string(), text);
        assert_eq!(Verifier::parse(text).unwrap(), verifier);
        for wrong in ["", "cloch-verify-", "cloch-verify-00", "AGE-SECRET-KEY-1"] {
            assert!(Verifier::parse(wrong).is_err(), "{wrong}");
        }
        assert!(Signer::parse(&Secret::from("short".to_owned())).is_err());
    }
}
