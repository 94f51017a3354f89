//! The form of every file in the target: its name and bytes, compressed (zstd), encrypted (age), followed by the server's signature, and by the
//! SHA-256 of all that. So a damaged or truncated file is noticed without a key, a forged one with the key that verifies, and one file cannot
//! stand in for another.

use std::io::Read;
use std::str::FromStr;

use age::secrecy::{ExposeSecret, SecretString};
use age::x25519::{Identity, Recipient};
use bytes::Bytes;
use cloch_core::Secret;
use sha2::{Digest, Sha256};

use crate::error::{BackupError, Result};
use crate::signature::{Place, Proof, SIGNATURE_BYTES, Signer};

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

    /// The form in which a file is stored under a name in the target of an id.
    ///
    /// # Errors
    /// When encryption fails.
    pub fn seal(&self, signer: &Signer, target: &str, name: &str, content: &[u8]) -> Result<Bytes> {
        let failed = |error: &dyn std::fmt::Display| BackupError::Encrypt(error.to_string());
        let mut plain = Vec::with_capacity(name.len() + 1 + content.len());
        plain.extend_from_slice(name.as_bytes());
        plain.push(b'\n');
        plain.extend_from_slice(content);
        let packed = zstd::bulk::compress(&plain, COMPRESSION_LEVEL).map_err(|error| failed(&error))?;
        drop(plain);
        let mut sealed = age::encrypt(&self.0, &packed).map_err(|error| failed(&error))?;
        // Hashed once: the signature is of the digest up to it, and the last digest goes on from there.
        let mut hash = Sha256::new_with_prefix(&sealed);
        let signature = signer.sign(Place::File { target, name }, &hash.clone().finalize().into());
        hash.update(signature);
        sealed.extend_from_slice(&signature);
        sealed.extend_from_slice(&hash.finalize());
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

    /// The key's own text form, from which the signing key follows.
    pub(crate) fn identity(&self) -> Secret {
        Secret::new(self.0.to_string().expose_secret())
    }

    /// The content of a file that was stored under a name; `encrypted` is what [`split`] returns.
    ///
    /// # Errors
    /// When it is damaged, or the key does not fit.
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

/// Checks the digest at the end of a file, which needs no key; returns what is encrypted, and what proves who wrote it.
///
/// # Errors
/// When it is damaged.
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

/// What is encrypted of a file of before, which has no signature.
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
        // Whoever knows the recipient can encrypt, and make a digest.
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
