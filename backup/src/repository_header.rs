//! What a target says of itself: whose backups it holds, and the key that they are encrypted with. Without it nothing there can be read, so
//! there is a copy beside it. Nothing of it is believed before its signature is verified.

use serde::{Deserialize, Serialize};

use crate::checked_json;
use crate::error::{BackupError, Result};
use crate::signature::{Place, Proof, Signer, Verifier};
use crate::target::{COPY_FILE, ROOT_FILE, Target};

/// The version of the layout whose files are signed.
pub(crate) const FORMAT: u32 = 2;
/// That of before.
pub(crate) const UNSIGNED_FORMAT: u32 = 1;

/// What the file says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Root {
    /// The version of the layout.
    pub(crate) format: u32,
    /// Identifies the target: another disk that is mounted in its place has another id.
    pub(crate) id: String,
    /// Whose backups they are.
    pub(crate) project_id: String,
    /// The age recipient that they are encrypted to.
    pub(crate) recipient: String,
    /// The age identity, encrypted with the passphrase; `None` where a recipient was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) identity: Option<String>,
}

impl Root {
    /// Reads the file, or its copy where the file is damaged or lost; `None` where both are absent.
    ///
    /// # Errors
    /// When the target does not answer, or what is there is damaged.
    pub(crate) async fn read(target: &Target) -> Result<Option<(Self, Proof)>> {
        match checked_json::read(target, ROOT_FILE).await {
            Ok(Some(root)) => Ok(Some(root)),
            Ok(None) => checked_json::read(target, COPY_FILE).await,
            Err(error @ BackupError::Damaged { .. }) => match checked_json::read(target, COPY_FILE).await {
                Ok(Some(copy)) => Ok(Some(copy)),
                _ => Err(error),
            },
            Err(error) => Err(error),
        }
    }

    /// Writes the file and its copy, those that are not as this is.
    ///
    /// # Errors
    /// When the target does not take them.
    pub(crate) async fn write(&self, target: &Target, signer: &Signer) -> Result<()> {
        let text = checked_json::signed(ROOT_FILE, self, Place::Root, signer)?;
        for name in [ROOT_FILE, COPY_FILE] {
            if target.get(name).await?.is_none_or(|found| found != text.as_bytes()) {
                target.put(name, text.clone().into()).await?;
            }
        }
        Ok(())
    }

    /// Verifies who wrote it.
    ///
    /// # Errors
    /// When it was somebody else.
    pub(crate) fn verify(&self, name: &str, proof: &Proof, verifier: Verifier) -> Result<()> {
        verifier.verify(Place::Root, name, &proof.digest, proof.signature.as_ref().map(|signature| &signature[..]))
    }
}
