//! The root file `cloch-backup.json` of a backup target, which contains the project id and the encryption key. Without it, no other file of
//! the target can be read. Therefore the target also contains a copy of it. The contents are used only after the signature is verified.

use serde::{Deserialize, Serialize};

use crate::checked_json;
use crate::error::{BackupError, Result};
use crate::signature::{Place, Proof, Signer, Verifier};
use crate::target::{COPY_FILE, ROOT_FILE, Target};

/// Format version of the signed backup layout.
pub(crate) const FORMAT: u32 = 2;
/// Format version of the older, unsigned backup layout.
pub(crate) const UNSIGNED_FORMAT: u32 = 1;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Root {
    pub(crate) format: u32,
    /// Id of the backup target. A different disk that is mounted at the same path has a different id.
    pub(crate) id: String,
    pub(crate) project_id: String,
    /// The age recipient for which the backup files are encrypted.
    pub(crate) recipient: String,
    /// The age identity that decrypts the backup files, encrypted with the passphrase. `None` if the operator configured a recipient.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) identity: Option<String>,
}

impl Root {
    /// Reads the root file `cloch-backup.json`, or its copy if the root file is damaged or missing. Returns `None` if both files are missing.
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

    /// Writes the root file `cloch-backup.json` and its copy if their stored contents differ from this header.
    pub(crate) async fn write(&self, target: &Target, signer: &Signer) -> Result<()> {
        let text = checked_json::signed(ROOT_FILE, self, Place::Root, signer)?;
        for name in [ROOT_FILE, COPY_FILE] {
            if target.get(name).await?.is_none_or(|found| found != text.as_bytes()) {
                target.put(name, text.clone().into()).await?;
            }
        }
        Ok(())
    }

    /// Verifies the signature of the root file `cloch-backup.json`.
    pub(crate) fn verify(&self, name: &str, proof: &Proof, verifier: Verifier) -> Result<()> {
        verifier.verify(Place::Root, name, &proof.digest, proof.signature.as_ref().map(|signature| &signature[..]))
    }
}
