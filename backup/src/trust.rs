//! The keys of a target: whom it is encrypted to, what signs and verifies it, and how they follow from what the operator has.

use cloch_core::Secret;

use crate::encryption::Opener;
use crate::error::{BackupError, Result, blocking};
use crate::repository_header::Root;
use crate::signature::{Signer, Verifier};
use crate::target::ROOT_FILE;

/// Whom backups are encrypted to.
#[derive(Clone, Debug)]
pub enum Encryption {
    /// An age recipient (`age1…`): the server cannot read its own backups.
    Recipient {
        /// The recipient.
        recipient: String,
        /// The server's own key, in hexadecimal digits.
        signing_key: Secret,
    },
    /// A passphrase, from whose key the signing key follows.
    Passphrase(Secret),
}

impl Encryption {
    /// An age recipient, with which the server signs by a key of its own, or else a passphrase.
    #[must_use]
    pub fn parse(text: &Secret, signing_key: &Secret) -> Self {
        match Self::is_recipient(text) {
            true => Self::Recipient { recipient: text.expose().to_owned(), signing_key: signing_key.clone() },
            false => Self::Passphrase(text.clone()),
        }
    }

    /// Whether it is an age recipient.
    #[must_use]
    pub fn is_recipient(text: &Secret) -> bool {
        text.expose().starts_with("age1")
    }
}

/// How somebody who reads a target tells what is authentic there.
#[derive(Clone, Debug, Default)]
pub struct Trust {
    /// The passphrase or age identity, from which the verification key follows where the backup has a passphrase.
    pub key: Option<Secret>,
    /// The server's verification key.
    pub verifier: Option<Verifier>,
    /// Whether nothing is verified: for backups of before, which have no signatures, and where that key is lost.
    pub allow_unauthenticated: bool,
}

impl Trust {
    /// In the passphrase or age identity.
    #[must_use]
    pub fn of_key(key: &Secret) -> Self {
        Self { key: Some(key.clone()), ..Self::default() }
    }
}

/// What a server knows of the target that it used before.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// Its id.
    pub id: &'a str,
    /// Whether the server has signed what it wrote there.
    pub is_signed: bool,
}

/// Says which key it is that has not signed a target, where that is the operator's to set.
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

/// What an age identity begins with.
pub(crate) const IDENTITY_PREFIX: &str = "AGE-SECRET-KEY-";

impl Root {
    /// What signs the files of this target; `None` where it is encrypted to another recipient or with another passphrase.
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

    /// The key for reading, from a passphrase or an age identity.
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

    /// Refuses a target that names a recipient which is not the key's: what is encrypted to that one is read by somebody else.
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
