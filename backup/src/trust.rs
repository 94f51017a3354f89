//! Keys of a backup target: the keys that encrypt and decrypt files, and the keys that sign and verify files. The keys are derived from the
//! operator's passphrase, age recipient or age identity.

use cloch_core::Secret;

use crate::encryption::Opener;
use crate::error::{BackupError, Result, blocking};
use crate::repository_header::Root;
use crate::signature::{Signer, Verifier};
use crate::target::ROOT_FILE;

/// Encryption of backups, as configured in `[backup] encrypt_to`.
#[derive(Clone, Debug)]
pub enum Encryption {
    /// An age recipient (`age1…`). With it, the server cannot decrypt its own backups.
    Recipient {
        /// The age recipient.
        recipient: String,
        /// The server's signing key, in hexadecimal digits.
        signing_key: Secret,
    },
    /// A passphrase. It encrypts the age identity in the root file `cloch-backup.json`; the signing key is derived from that identity.
    Passphrase(Secret),
}

impl Encryption {
    /// Parses an age recipient or a passphrase. With a recipient, the server signs files with `signing_key`.
    #[must_use]
    pub fn parse(text: &Secret, signing_key: &Secret) -> Self {
        match Self::is_recipient(text) {
            true => Self::Recipient { recipient: text.expose().to_owned(), signing_key: signing_key.clone() },
            false => Self::Passphrase(text.clone()),
        }
    }

    /// Whether the text is an age recipient.
    #[must_use]
    pub fn is_recipient(text: &Secret) -> bool {
        text.expose().starts_with("age1")
    }
}

/// Keys that decide which files of a backup target are authentic when the target is read.
#[derive(Clone, Debug, Default)]
pub struct Trust {
    /// Passphrase or age identity. If the backup is encrypted with a passphrase, the verification key is derived from the passphrase.
    pub key: Option<Secret>,
    /// Public key that verifies the files that the server signed.
    pub verifier: Option<Verifier>,
    /// Whether to verify nothing: for unsigned backups of older versions, or if the verification key is lost.
    pub allow_unauthenticated: bool,
}

impl Trust {
    /// Returns a [`Trust`] that accepts only files that were signed with the key derived from `key`, a passphrase or an age identity.
    #[must_use]
    pub fn of_key(key: &Secret) -> Self {
        Self { key: Some(key.clone()), ..Self::default() }
    }
}

/// Data about the backup target that the server used before.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// Id of the backup target.
    pub id: &'a str,
    /// Whether the server has signed the files that it wrote to the backup target.
    pub is_signed: bool,
}

/// Adds advice about the setting `backup_signing_key` to a signature error if backups are encrypted to an age recipient. Only in this case
/// are files signed with the key in this setting.
pub(crate) fn name_own_key(error: BackupError, encryption: &Encryption) -> BackupError {
    match (error, encryption) {
        (BackupError::NotAuthentic { name, reason }, Encryption::Recipient { .. }) => BackupError::not_authentic(
            &name,
            format!(
                "{reason} (backup_signing_key in secrets.toml: all nodes of a project need the same one, and a server that has a new one needs \
                 another folder or prefix in [backup] to)"
            ),
        ),
        (error, _) => error,
    }
}

/// Prefix of the text form of an age identity.
pub(crate) const IDENTITY_PREFIX: &str = "AGE-SECRET-KEY-";

impl Root {
    /// Returns the key that signs the files of this backup target. `None` if the target is encrypted to another recipient or with another
    /// passphrase.
    pub(crate) async fn signer(&self, encryption: &Encryption) -> Result<Option<Signer>> {
        match (encryption, &self.identity) {
            (Encryption::Recipient { recipient, signing_key }, None) => {
                if *recipient != self.recipient {
                    return Ok(None);
                }
                Signer::parse(signing_key).map(Some)
            }
            (Encryption::Passphrase(passphrase), Some(_)) => {
                let Ok(opener) = self.opener(passphrase).await else { return Ok(None) };
                self.refuse_other_recipient(&opener)?;
                Signer::derive(&opener.identity()).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Returns the key that decrypts the backup, from a passphrase or an age identity.
    pub(crate) async fn opener(&self, key: &Secret) -> Result<Opener> {
        match &self.identity {
            _ if key.expose().starts_with(IDENTITY_PREFIX) => Opener::parse(key),
            Some(wrapped) => {
                let (wrapped, key) = (wrapped.clone(), key.clone());
                blocking(move || Opener::unwrap(&wrapped, &key)).await
            }
            None => Err(BackupError::Key(
                "it is encrypted to an age recipient, and the key given is no age identity".into(),
            )),
        }
    }

    /// Refuses a backup target whose recipient does not belong to the key. Files that are encrypted to another recipient could be decrypted
    /// by another person.
    pub(crate) fn refuse_other_recipient(&self, opener: &Opener) -> Result<()> {
        let own = opener.sealer().recipient();
        if own == self.recipient {
            return Ok(());
        }
        Err(BackupError::not_authentic(
            ROOT_FILE,
            format!(
                "it names the recipient {}, and the key that the passphrase opens is that of {own}: who changed it could read what is backed up \
                 from now on, and the passphrase could not",
                self.recipient
            ),
        ))
    }
}
