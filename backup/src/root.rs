//! What a target says of itself: whose backups it holds, and the key that they are encrypted with. Without it nothing there can be read, so
//! there is a copy beside it.

use serde::{Deserialize, Serialize};

use crate::checked_json;
use crate::damage::{Kind, Problem};
use crate::error::{BackupError, Result};
use crate::target::{ROOT_FILE, Target};

/// The copy.
const COPY_FILE: &str = "cloch-backup.copy.json";

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
    /// The age identity, encrypted with the passphrase; none where a recipient was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) identity: Option<String>,
}

impl Root {
    /// Reads the file, or its copy where the file is damaged or lost; none where both are absent.
    ///
    /// # Errors
    /// When the target does not answer, or what is there is damaged.
    pub(crate) async fn read(target: &Target) -> Result<Option<Self>> {
        match checked_json::get(target, ROOT_FILE).await {
            Ok(Some(root)) => Ok(Some(root)),
            Ok(None) => checked_json::get(target, COPY_FILE).await,
            Err(error @ BackupError::Damaged { .. }) => match checked_json::get(target, COPY_FILE).await {
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
    pub(crate) async fn write(&self, target: &Target) -> Result<()> {
        for name in [ROOT_FILE, COPY_FILE] {
            let is_good = matches!(checked_json::get::<Self>(target, name).await, Ok(Some(found)) if found == *self);
            if !is_good {
                checked_json::put(target, name, self).await?;
            }
        }
        Ok(())
    }
}

/// What is damaged of the two, or lost.
///
/// # Errors
/// When the target does not answer.
pub(crate) async fn problems(target: &Target) -> Result<Vec<Problem>> {
    let mut problems = Vec::new();
    for name in [ROOT_FILE, COPY_FILE] {
        let text = match checked_json::get::<Root>(target, name).await {
            Ok(Some(_)) => continue,
            // Targets of before have no copy until their server starts again.
            Ok(None) if name == COPY_FILE => continue,
            Ok(None) => format!("{name} is missing"),
            Err(BackupError::Damaged { name, reason }) => format!("{name} is damaged: {reason}"),
            Err(error) => return Err(error),
        };
        problems.push(Problem::new(Kind::Key, name, text));
    }
    Ok(problems)
}
