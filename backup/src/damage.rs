//! What `cloch backup check` has found, in `backup/damage.json` of the data folder: the running server repairs what it can of it with the next
//! base backup that is asked for, and `cloch backup status` tells of it until then.

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

/// What is damaged or missing, which decides what repairs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A file of the project.
    File,
    /// A base backup.
    Base,
    /// The log.
    Log,
    /// An archive of secrets and the project's folder.
    Project,
    /// The key of the target, and whose it is.
    Key,
    /// What somebody else than the server has put there.
    Forged,
}

impl Kind {
    /// The kind of a file of the target by its name.
    #[must_use]
    pub fn of(name: &str) -> Self {
        match name {
            _ if name.starts_with(layout::BLOBS) => Self::File,
            _ if name.contains("/wal/") => Self::Log,
            _ if name.contains("/settings/") => Self::Project,
            _ => Self::Base,
        }
    }

    /// What it is, for the operator.
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

    /// What the operator does.
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

/// Something that is damaged or missing.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Problem {
    /// What it is.
    pub kind: Kind,
    /// Its name in the target; of a missing file its key, of missing log the segment.
    pub name: String,
    /// A sentence for the operator.
    pub text: String,
}

impl Problem {
    pub(crate) fn new(kind: Kind, name: &str, text: String) -> Self {
        Self { kind, name: name.to_owned(), text }
    }
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Damage {
    /// When.
    pub found: DateTime<Utc>,
    /// What of it is left.
    pub problems: Vec<Problem>,
    /// When the server repaired what it could.
    #[serde(default)]
    pub repaired: Option<DateTime<Utc>>,
}

impl Damage {
    /// What the last check found, in the backup's folder of the data folder; `None` where all was whole.
    #[must_use]
    pub fn read(folder: &Path) -> Option<Self> {
        status::read(&folder.join(FILE))
    }

    /// Notes what was found; nothing removes what was noted before.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        match self.problems.is_empty() {
            true => Self::forget(folder),
            false => status::write(&folder.join(FILE), self),
        }
    }

    /// Notes what was found beside what was noted before.
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

    /// Removes what was noted.
    pub(crate) fn forget(folder: &Path) -> io::Result<()> {
        match fs::remove_file(folder.join(FILE)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

/// Whether a file of the target is there and not what was written.
///
/// # Errors
/// When the target does not answer.
pub(crate) async fn is_damaged(repository: &Repository, name: &str) -> Result<bool> {
    let Some(sealed) = repository.target.get(name).await? else { return Ok(false) };
    match repository.check_bytes(name, &sealed) {
        Ok(()) => Ok(false),
        Err(BackupError::Damaged { .. } | BackupError::NotAuthentic { .. }) => Ok(true),
        Err(error) => Err(error),
    }
}

/// What is damaged, forged or lost of the root file and its copy.
///
/// # Errors
/// When the target does not answer.
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
            // Targets of before have no copy until their server starts again.
            Ok(None) if name == COPY_FILE => continue,
            Ok(None) => (Kind::Key, format!("{name} is missing")),
            Err(BackupError::Damaged { name, reason }) => (Kind::Key, format!("{name} is damaged: {reason}")),
            Err(error) => return Err(error),
        };
        problems.push(Problem::new(kind, name, text));
    }
    Ok(problems)
}
