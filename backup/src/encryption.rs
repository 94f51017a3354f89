//! Encrypts and decrypts the files of a backup. The name and the content of a file are compressed (zstd) and encrypted (age). The encrypted
//! bytes are followed by the server's signature and the SHA-256 digest of all preceding bytes. The digest detects damage and truncation
//! without a key, the signature detects forged files, and the encrypted name detects a file that was put in the place of another one.

use std::io::Read;
use std::str::FromStr;

use age::secrecy::{ExposeSecret, SecretString};
use age::x25519::{Identity, Recipient};
use bytes::Bytes;
use cloch_core::Secret;
use sha2::{Digest, Sha256};

use crate::error::{BackupError, Result};
use crate::signature::{Place, Proof, SIGNATURE_BYTES, Signer};

/// zstd compression level: the fastest level with a good ratio. Higher levels would take processor time from requests.
const COMPRESSION_LEVEL: i32 = 1;
const DIGEST_BYTES: usize = 32;
/// log2 of scrypt's work factor for a passphrase. Deriving the key takes about a third of a second and 64 MiB of memory.
const SCRYPT_LOG_N: u8 = 16;
/// Maximum scrypt work factor (log2) accepted for decryption.
const MAX_SCRYPT_LOG_N: u8 = 20;
/// Maximum size of a decompressed file in bytes. Larger than any file of a backup.
const MAX_OPENED_BYTES: u64 = 256 << 20;

/// Public key (age recipient) that encrypts the files of a backup. The public key cannot decrypt files.
#[derive(Clone)]
pub struct Sealer(Recipient);

/// Private key (age identity) that decrypts the files of a backup.
#[derive(Clone)]
pub struct Opener(Identity);

impl std::fmt::Debug for Sealer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Sealer({})", self.0)
    }
}

impl std::fmt::Debug for Opener {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Opener")
    }
}

impl Sealer {
    /// Parses an age recipient (`age1…`).
    ///
    /// # Errors
    /// If the text is not an age recipient.
    pub fn parse(recipient: &str) -> Result<Self> {
        let parsed = Recipient::from_str(recipient);
        parsed.map(Self).map_err(|reason| BackupError::Refused(format!("{recipient:?} is no age recipient: {reason}")))
    }

    /// Returns the text form of the age recipient.
    #[must_use]
    pub fn recipient(&self) -> String {
        self.0.to_string()
    }

    /// Compresses, encrypts and signs `content` as the file `name` in the backup target with the id `target`.
    ///
    /// # Errors
    /// If compression or encryption fails.
    pub fn seal(&self, signer: &Signer, target: &str, name: &str, content: &[u8]) -> Result<Bytes> {
        let failed = |error: &dyn std::fmt::Display| BackupError::Encrypt(error.to_string());
        let mut plain = Vec::with_capacity(name.len() + 1 + content.len());
        plain.extend_from_slice(name.as_bytes());
        plain.push(b'\n');
        plain.extend_from_slice(content);
        let packed = zstd::bulk::compress(&plain, COMPRESSION_LEVEL).map_err(|error| failed(&error))?;
        drop(plain);
        let mut sealed = age::encrypt(&self.0, &packed).map_err(|error| failed(&error))?;
        // Hash the encrypted bytes only once: the signature covers the digest of these bytes, and the digest at the end of the file continues from
        // the same hash state.
        let mut hash = Sha256::new_with_prefix(&sealed);
        let signature = signer.sign(Place::File { target, name }, &hash.clone().finalize().into());
        hash.update(signature);
        sealed.extend_from_slice(&signature);
        sealed.extend_from_slice(&hash.finalize());
        Ok(sealed.into())
    }
}

impl Opener {
    /// Generates a new age key.
    #[must_use]
    pub fn generate() -> Self {
        Self(Identity::generate())
    }

    /// Parses an age identity (`AGE-SECRET-KEY-…`).
    ///
    /// # Errors
    /// If the text is not an age identity.
    pub fn parse(identity: &Secret) -> Result<Self> {
        Identity::from_str(identity.expose()).map(Self).map_err(|reason| BackupError::Key(reason.to_owned()))
    }

    /// Returns the public key of this private key. Files that are encrypted with the public key can be decrypted with this private key.
    #[must_use]
    pub fn sealer(&self) -> Sealer {
        Sealer(self.0.to_public())
    }

    /// Encrypts this private key with a passphrase; returns hexadecimal digits.
    ///
    /// # Errors
    /// If encryption fails.
    pub fn wrap(&self, passphrase: &Secret) -> Result<String> {
        let mut recipient = age::scrypt::Recipient::new(SecretString::from(passphrase.expose().to_owned()));
        recipient.set_work_factor(SCRYPT_LOG_N);
        let wrapped = age::encrypt(&recipient, self.0.to_string().expose_secret().as_bytes());
        wrapped.map(hex::encode).map_err(|error| BackupError::Encrypt(error.to_string()))
    }

    /// Decrypts a private key that [`wrap`](Self::wrap) encrypted.
    ///
    /// # Errors
    /// If the passphrase is wrong.
    pub fn unwrap(wrapped: &str, passphrase: &Secret) -> Result<Self> {
        let bytes = hex::decode(wrapped).map_err(|error| BackupError::Key(error.to_string()))?;
        let mut identity = age::scrypt::Identity::new(SecretString::from(passphrase.expose().to_owned()));
        identity.set_max_work_factor(MAX_SCRYPT_LOG_N);
        let text = age::decrypt(&identity, &bytes)
            .map_err(|_| BackupError::Key("the passphrase is not the one it was made with".into()))?;
        Self::parse(&Secret::new(String::from_utf8_lossy(&text).into_owned()))
    }

    /// Returns the age identity of this key as text. The signing key is derived from this text.
    pub(crate) fn identity(&self) -> Secret {
        Secret::new(self.0.to_string().expose_secret())
    }

    /// Decrypts a file that was stored as `name`. `encrypted` is the encrypted part returned by [`split`].
    ///
    /// # Errors
    /// If the file is damaged, was encrypted under another name, or the key is wrong.
    pub fn open(&self, name: &str, encrypted: &[u8]) -> Result<Vec<u8>> {
        let packed = age::decrypt(&self.0, encrypted).map_err(|error| match error {
            age::DecryptError::NoMatchingKeys => BackupError::Key("the key is not the one it was made for".into()),
            other => BackupError::damaged(name, other),
        })?;
        let decoder =
            zstd::stream::read::Decoder::with_buffer(&packed[..]).map_err(|error| BackupError::damaged(name, error))?;
        let mut plain = Vec::new();
        let read = decoder.take(MAX_OPENED_BYTES + 1).read_to_end(&mut plain);
        if read.map_err(|error| BackupError::damaged(name, error))? as u64 > MAX_OPENED_BYTES {
            return Err(BackupError::damaged(name, format!("it has more than {} MiB", MAX_OPENED_BYTES >> 20)));
        }
        let own = plain.strip_prefix(name.as_bytes()).and_then(|rest| rest.strip_prefix(b"\n"));
        own.map(<[u8]>::to_vec).ok_or_else(|| BackupError::damaged(name, "it is another file of a backup"))
    }
}

/// Verifies the digest at the end of an encrypted file without a key. Returns the encrypted part, and the proof of the file's author: the
/// signed digest and the signature.
pub(crate) fn split<'a>(name: &str, sealed: &'a [u8]) -> Result<(&'a [u8], Proof)> {
    let too_short = || BackupError::damaged(name, "it is too short");
    let (before, digest) = sealed.split_last_chunk::<DIGEST_BYTES>().ok_or_else(too_short)?;
    let (encrypted, signature) = before.split_last_chunk::<SIGNATURE_BYTES>().ok_or_else(too_short)?;
    let mut hash = Sha256::new_with_prefix(encrypted);
    let signed: [u8; DIGEST_BYTES] = hash.clone().finalize().into();
    hash.update(signature);
    match hash.finalize().as_slice() == digest {
        true => Ok((encrypted, Proof { digest: signed, signature: Some(*signature) })),
        false => Err(BackupError::damaged(name, "its checksum does not fit")),
    }
}

/// Returns the encrypted part of a file of the unsigned format of older Cloch versions. Returns `None` if the file is too short.
pub(crate) fn unsigned(sealed: &[u8]) -> Option<&[u8]> {
    sealed.split_last_chunk::<DIGEST_BYTES>().map(|(encrypted, _)| encrypted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_or_exchanged_file_is_refused() {
        let opener = Opener::generate();
        let signer = Signer::derive(&opener.identity()).unwrap();
        let sealed = opener.sealer().seal(&signer, "t", "wal/1", b"the bytes of a segment").unwrap();
        let open = |opener: &Opener, name: &str, sealed: &[u8]| {
            let (encrypted, proof) = split(name, sealed)?;
            let place = Place::File { target: "t", name };
            signer.verifier().verify(place, name, &proof.digest, proof.signature.as_ref().map(|one| &one[..]))?;
            opener.open(name, encrypted)
        };
        for position in 0..sealed.len() {
            let mut damaged = sealed.to_vec();
            damaged[position] ^= 1;
            assert!(matches!(open(&opener, "wal/1", &damaged), Err(BackupError::Damaged { .. })), "{position}");
        }
        for length in 0..sealed.len() {
            assert!(matches!(open(&opener, "wal/1", &sealed[..length]), Err(BackupError::Damaged { .. })), "{length}");
        }
        assert!(matches!(open(&opener, "wal/2", &sealed), Err(BackupError::NotAuthentic { .. })));
        assert!(matches!(open(&Opener::generate(), "wal/1", &sealed), Err(BackupError::Key(_))));
        assert_eq!(open(&opener, "wal/1", &sealed).unwrap(), b"the bytes of a segment");
        // To encrypt a file, an attacker needs only the public recipient. The file's digest can be computed without any key.
        let other = Signer::derive(&Secret::new("another")).unwrap();
        let forged = opener.sealer().seal(&other, "t", "wal/1", b"other bytes").unwrap();
        assert!(matches!(open(&opener, "wal/1", &forged), Err(BackupError::NotAuthentic { .. })));
        let elsewhere = opener.sealer().seal(&signer, "u", "wal/1", b"of another target").unwrap();
        assert!(matches!(open(&opener, "wal/1", &elsewhere), Err(BackupError::NotAuthentic { .. })));
    }

    #[test]
    fn only_its_passphrase_opens_a_key() {
        let (right, wrong) = (Secret::new("correct horse"), Secret::new("correct house"));
        let opener = Opener::generate();
        let wrapped = opener.wrap(&right).unwrap();
        assert!(matches!(Opener::unwrap(&wrapped, &wrong), Err(BackupError::Key(_))));
        let again = Opener::unwrap(&wrapped, &right).unwrap();
        assert_eq!(again.sealer().recipient(), opener.sealer().recipient());
    }
}
