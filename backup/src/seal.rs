//! The form of every file in the target: its name and bytes, compressed (zstd), encrypted (age), and followed by the SHA-256 of that. So a
//! damaged or truncated file is noticed without the key, and one file cannot stand in for another.

use std::io::Read;
use std::str::FromStr;

use age::secrecy::{ExposeSecret, SecretString};
use age::x25519::{Identity, Recipient};
use bytes::Bytes;
use cloch_sql::Secret;
use sha2::{Digest, Sha256};

use crate::error::{BackupError, Result};

/// zstd's level: the fastest that is small. More would cost requests processor time.
const COMPRESSION_LEVEL: i32 = 1;
/// Bytes of a SHA-256 digest.
const DIGEST_BYTES: usize = 32;
/// log2 of scrypt's work for a passphrase: about a third of a second and 64 MiB.
const SCRYPT_LOG_N: u8 = 16;
/// The largest work that is accepted when reading.
const MAX_SCRYPT_LOG_N: u8 = 20;
/// What one file may grow to: no file of the backup has more bytes.
const MAX_OPENED_BYTES: u64 = 256 << 20;

/// Encrypts the files of a backup. It cannot decrypt them.
#[derive(Clone)]
pub struct Sealer(Recipient);

/// Decrypts the files of a backup.
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
    /// The sealer for an age recipient (`age1…`).
    ///
    /// # Errors
    /// When it is none.
    pub fn parse(recipient: &str) -> Result<Self> {
        let parsed = Recipient::from_str(recipient);
        parsed.map(Self).map_err(|reason| BackupError::Refused(format!("{recipient:?} is no age recipient: {reason}")))
    }

    /// The recipient's text form.
    #[must_use]
    pub fn recipient(&self) -> String {
        self.0.to_string()
    }

    /// The form in which a file is stored under a name.
    ///
    /// # Errors
    /// When encryption fails.
    pub fn seal(&self, name: &str, content: &[u8]) -> Result<Bytes> {
        let failed = |error: &dyn std::fmt::Display| BackupError::Encrypt(error.to_string());
        let mut plain = Vec::with_capacity(name.len() + 1 + content.len());
        plain.extend_from_slice(name.as_bytes());
        plain.push(b'\n');
        plain.extend_from_slice(content);
        let packed = zstd::bulk::compress(&plain, COMPRESSION_LEVEL).map_err(|error| failed(&error))?;
        drop(plain);
        let mut sealed = age::encrypt(&self.0, &packed).map_err(|error| failed(&error))?;
        let digest = Sha256::digest(&sealed);
        sealed.extend_from_slice(&digest);
        Ok(sealed.into())
    }
}

impl Opener {
    /// A new key.
    #[must_use]
    pub fn generate() -> Self {
        Self(Identity::generate())
    }

    /// The opener for an age identity (`AGE-SECRET-KEY-…`).
    ///
    /// # Errors
    /// When it is none.
    pub fn parse(identity: &Secret) -> Result<Self> {
        Identity::from_str(identity.expose()).map(Self).map_err(|reason| BackupError::Key(reason.to_owned()))
    }

    /// What encrypts for this key.
    #[must_use]
    pub fn sealer(&self) -> Sealer {
        Sealer(self.0.to_public())
    }

    /// The key, encrypted with a passphrase, in hexadecimal digits.
    ///
    /// # Errors
    /// When encryption fails.
    pub fn wrap(&self, passphrase: &Secret) -> Result<String> {
        let mut recipient = age::scrypt::Recipient::new(SecretString::from(passphrase.expose().to_owned()));
        recipient.set_work_factor(SCRYPT_LOG_N);
        let wrapped = age::encrypt(&recipient, self.0.to_string().expose_secret().as_bytes());
        wrapped.map(hex::encode).map_err(|error| BackupError::Encrypt(error.to_string()))
    }

    /// Reverses [`wrap`](Self::wrap).
    ///
    /// # Errors
    /// When the passphrase is another one.
    pub fn unwrap(wrapped: &str, passphrase: &Secret) -> Result<Self> {
        let bytes = hex::decode(wrapped).map_err(|error| BackupError::Key(error.to_string()))?;
        let mut identity = age::scrypt::Identity::new(SecretString::from(passphrase.expose().to_owned()));
        identity.set_max_work_factor(MAX_SCRYPT_LOG_N);
        let text = age::decrypt(&identity, &bytes)
            .map_err(|_| BackupError::Key("the passphrase is not the one it was made with".into()))?;
        Self::parse(&Secret::new(String::from_utf8_lossy(&text).into_owned()))
    }

    /// The content of a file that was stored under a name.
    ///
    /// # Errors
    /// When it is damaged, or the key does not fit.
    pub fn open(&self, name: &str, sealed: &[u8]) -> Result<Vec<u8>> {
        let encrypted = verify(name, sealed)?;
        let packed = age::decrypt(&self.0, encrypted).map_err(|error| match error {
            age::DecryptError::NoMatchingKeys => BackupError::Key("the key is not the one it was made for".into()),
            other => BackupError::damaged(name, other),
        })?;
        let decoder =
            zstd::stream::read::Decoder::with_buffer(&packed[..]).map_err(|error| BackupError::damaged(name, error))?;
        let mut plain = Vec::new();
        decoder.take(MAX_OPENED_BYTES).read_to_end(&mut plain).map_err(|error| BackupError::damaged(name, error))?;
        let own = plain.strip_prefix(name.as_bytes()).and_then(|rest| rest.strip_prefix(b"\n"));
        own.map(<[u8]>::to_vec).ok_or_else(|| BackupError::damaged(name, "it is another file of a backup"))
    }
}

/// Checks the digest at the end of a file, which needs no key; returns what is before it.
///
/// # Errors
/// When it is damaged.
pub fn verify<'a>(name: &str, sealed: &'a [u8]) -> Result<&'a [u8]> {
    let (encrypted, digest) =
        sealed.split_last_chunk::<DIGEST_BYTES>().ok_or_else(|| BackupError::damaged(name, "it is too short"))?;
    match Sha256::digest(encrypted).as_slice() == digest {
        true => Ok(encrypted),
        false => Err(BackupError::damaged(name, "its checksum does not fit")),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn a_damaged_or_exchanged_file_is_refused() {
        let opener = Opener::generate();
        let sealed = opener.sealer().seal("wal/1", b"the bytes of a segment").unwrap();
        for position in 0..sealed.len() {
            let mut damaged = sealed.to_vec();
            damaged[position] ^= 1;
            assert!(matches!(opener.open("wal/1", &damaged), Err(BackupError::Damaged { .. })), "{position}");
        }
        for length in 0..sealed.len() {
            assert!(matches!(opener.open("wal/1", &sealed[..length]), Err(BackupError::Damaged { .. })), "{length}");
        }
        assert!(matches!(opener.open("wal/2", &sealed), Err(BackupError::Damaged { .. })));
        assert!(matches!(Opener::generate().open("wal/1", &sealed), Err(BackupError::Key(_))));
        assert_eq!(opener.open("wal/1", &sealed).unwrap(), b"the bytes of a segment");
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
