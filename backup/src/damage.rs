//! Stores the problems that `cloch backup check` found, in `backup/damage.json` of the data folder. When the next base backup is requested,
//! the running server also repairs these problems where possible. Until then, `cloch backup status` reports them.

use std::fs;
use std::io;
use std::path::Path;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::error::{BackupError, Result};
use crate::repository::Repository;
use crate::repository_header::Root;
use crate::signature::Verifier;
use crate::target::{COPY_FILE, ROOT_FILE, Target};
use crate::{checked_json, layout, status};

const FILE: &str = "damage.json";

/// Kind of a damaged or missing part of a backup. The kind decides how the part is repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A file (blob) of the project.
    File,
    /// A base backup, with its manifest and list of blobs.
    Base,
    /// A piece of the write-ahead log.
    Log,
    /// An archive of the secrets and the project's folder.
    Project,
    /// The root file (`cloch-backup.json`) or its copy, which contain the backup target's key and project id.
    Key,
    /// A file that was not written by the project's server.
    Forged,
}

impl Kind {
    /// Returns the kind of a backup file by the file's name in the backup target.
    #[must_use]
    pub fn of(name: &str) -> Self {
        match name {
            _ if name.starts_with(layout::BLOBS) => Self::File,
            _ if name.contains("/wal/") => Self::Log,
            _ if name.contains("/settings/") => Self::Project,
            _ => Self::Base,
        }
    }

    /// Returns the name of the kind for the operator.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::File => "files",
            Self::Base => "base backups",
            Self::Log => "log",
            Self::Project => "secrets and project",
            Self::Key => "key",
            Self::Forged => "not authentic",
        }
    }

    /// Returns advice for the operator: how to repair this kind of damage.
    #[must_use]
    pub fn repair(self) -> &'static str {
        match self {
            Self::File => {
                "`cloch backup now` where the server runs copies again what the project still has; what was deleted or replaced since is lost for \
                 older moments, which `cloch restore --allow-missing` restores without it"
            }
            Self::Base => {
                "`cloch backup now` where the server runs makes a new base backup, and sets a damaged one aside; moments that only that one covers \
                 are lost"
            }
            Self::Log => {
                "the log cannot be copied again: moments from there to the next base backup are lost, and `cloch backup now` where the server runs \
                 makes that base backup"
            }
            Self::Project => {
                "`cloch backup now` where the server runs writes secrets and the project's folder anew, and deletes the damaged archive"
            }
            Self::Key => {
                "`cloch backup now` where the server runs writes it again; a restore needs either of cloch-backup.json and cloch-backup.copy.json"
            }
            Self::Forged => {
                "somebody who can write to the target has changed it: find out who and how, and take that away from them. `cloch backup now` where \
                 the server runs replaces files of the project; anything else is deleted by hand, or the backup begun anew in another target"
            }
        }
    }
}

/// A damaged or missing part of the backup.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Problem {
    /// Kind of the damaged or missing part of the backup.
    pub kind: Kind,
    /// Name of the file in the backup target. For a missing blob, the blob's key. For missing WAL, the name of the segment.
    pub name: String,
    /// Description of the problem for the operator.
    pub text: String,
}

impl Problem {
    pub(crate) fn new(kind: Kind, name: &str, text: String) -> Self {
        Self { kind, name: name.to_owned(), text }
    }
}

/// The problems found by a check of the backup target, as stored in `damage.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Damage {
    /// Time of the check of the backup target.
    pub found: DateTime<Utc>,
    /// Problems of the backup target that are not repaired yet.
    pub problems: Vec<Problem>,
    /// Time of the last repair by the server; `None` if there was none.
    #[serde(default)]
    pub repaired: Option<DateTime<Utc>>,
}

impl Damage {
    /// Reads `damage.json` from the backup folder of the data folder. Returns `None` if no problem is recorded.
    #[must_use]
    pub fn read(folder: &Path) -> Option<Self> {
        status::read(&folder.join(FILE))
    }

    /// Writes the problems to `damage.json`. If there are no problems, deletes the file.
    ///
    /// # Errors
    /// If the file cannot be written or deleted.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        match self.problems.is_empty() {
            true => Self::forget(folder),
            false => status::write(&folder.join(FILE), self),
        }
    }

    /// Adds problems to the problems that are already stored in `damage.json`.
    pub(crate) fn add(folder: &Path, problems: impl Iterator<Item = Problem>) -> io::Result<()> {
        let mut damage =
            Self::read(folder).unwrap_or_else(|| Self { found: Utc::now(), problems: Vec::new(), repaired: None });
        let before = damage.problems.len();
        for problem in problems {
            if !damage.problems.contains(&problem) {
                damage.problems.push(problem);
            }
        }
        if damage.problems.len() == before {
            return Ok(());
        }
        damage.repaired = None;
        damage.write(folder)
    }

    pub(crate) fn forget(folder: &Path) -> io::Result<()> {
        match fs::remove_file(folder.join(FILE)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

/// Whether a file exists in the backup target and is damaged or not authentic.
pub(crate) async fn is_damaged(repository: &Repository, name: &str) -> Result<bool> {
    let Some(sealed) = repository.target.get(name).await? else { return Ok(false) };
    match repository.check_bytes(name, &sealed) {
        Ok(()) => Ok(false),
        Err(BackupError::Damaged { .. } | BackupError::NotAuthentic { .. }) => Ok(true),
        Err(error) => Err(error),
    }
}

/// Returns the problems of the root file `cloch-backup.json` and its copy: damaged, forged or missing.
pub(crate) async fn of_root(target: &Target, verifier: Option<Verifier>) -> Result<Vec<Problem>> {
    let mut problems = Vec::new();
    for name in [ROOT_FILE, COPY_FILE] {
        let (kind, text) = match checked_json::read::<Root>(target, name).await {
            Ok(Some((root, proof))) => match verifier.map(|verifier| root.verify(name, &proof, verifier)) {
                Some(Err(BackupError::NotAuthentic { reason, .. })) => {
                    (Kind::Forged, format!("{name} is not authentic: {reason}"))
                }
                _ => continue,
            },
            // A backup target that has the unsigned format of older Cloch versions has no copy of the root file, until the server that
            // writes it restarts.
            Ok(None) if name == COPY_FILE => continue,
            Ok(None) => (Kind::Key, format!("{name} is missing")),
            Err(BackupError::Damaged { name, reason }) => (Kind::Key, format!("{name} is damaged: {reason}")),
            Err(error) => return Err(error),
        };
        problems.push(Problem::new(kind, name, text));
    }
    Ok(problems)
}
