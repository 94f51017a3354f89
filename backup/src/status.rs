//! The status that the running server writes to `backup/status.json` in the data folder, for `cloch backup status` and /health. Also the
//! server's persistent backup state in `backup/state.json`.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use chrono::{DateTime, Utc};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The persistent backup state (`state.json`) of a server: the backup target and backup series in use.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct State {
    /// Id of the backup target.
    pub target: Option<String>,
    /// Name of the backup series.
    pub series: Option<String>,
    /// Sequence number of the last recovery point of the server's backup series in the backup target. `None` if no signed recovery point
    /// was written yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub point: Option<u64>,
    /// Public key that verifies the backup target's files, in text form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verifier: Option<String>,
}

/// The status of the backup (`status.json`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// URL or path of the backup target.
    pub target: String,
    /// Last restorable moment, including all files.
    pub restorable_until: Option<DateTime<Utc>>,
    /// First moment from which every later moment of the current backup series can be restored.
    pub restorable_from: Option<DateTime<Utc>>,
    /// Number of blobs that are not copied to the backup target yet.
    pub waiting_files: usize,
    /// Number of WAL bytes that are not copied to the backup target yet.
    pub waiting_log_bytes: u64,
    /// Description of another server that writes into the same backup target, as in `cloch backup list`.
    #[serde(default)]
    pub other_run: Option<String>,
    /// Id of the backup target that this status is about.
    #[serde(default)]
    pub target_id: Option<String>,
    /// Time when the last base backup was completed.
    pub last_base: Option<DateTime<Utc>>,
    /// Whether a base backup is in progress.
    pub base_running: bool,
    /// Reason and time of the last base backup's failure; `None` if it succeeded.
    pub base_failure: Option<Failure>,
    /// The current failure to copy new data to the backup target: its reason, and the time when it began. `None` if copying works.
    pub failure: Option<Failure>,
    /// Whether the current failure was caused by a file in the backup target that this server did not write. The server writes nothing to the
    /// target until the operator has resolved the problem.
    #[serde(default)]
    pub is_tampered: bool,
    /// The last restore drill.
    pub last_drill: Option<Drill>,
    /// Time of the last successful restore drill.
    #[serde(default)]
    pub last_good_drill: Option<DateTime<Utc>>,
    /// Time when a status with a base backup was written for the first time. Restore drills are possible since then.
    #[serde(default)]
    pub drills_since: Option<DateTime<Utc>>,
    /// Time of the last mail about missing or failed restore drills.
    #[serde(default)]
    pub drill_mailed: Option<DateTime<Utc>>,
    /// Whether a restore drill is in progress.
    #[serde(default)]
    pub drill_running: bool,
    /// Time when this status was written to the file.
    pub written: Option<DateTime<Utc>>,
}

/// A failure of the backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Start of the failure.
    pub since: DateTime<Utc>,
    /// Reason of the failure.
    pub reason: String,
}

/// The outcome of a restore drill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Drill {
    /// Time when the restore drill ended.
    pub ended: DateTime<Utc>,
    /// Reason of the failure; `None` if the restore drill succeeded.
    pub failure: Option<String>,
}

impl Status {
    /// Reads the last status that the server wrote into its data folder. `None` if the file is missing or unreadable.
    #[must_use]
    pub fn read(folder: &Path) -> Option<Self> {
        read(&folder.join("status.json"))
    }

    pub(crate) fn write(&self, folder: &Path) -> io::Result<()> {
        write(&folder.join("status.json"), self)
    }

    /// Records the id of the backup target that this status describes. If the id has changed, resets the values of the old target and
    /// returns `true`.
    pub(crate) fn turn_to(&mut self, target_id: &str) -> bool {
        let is_other = self.target_id.as_deref().is_some_and(|before| before != target_id);
        if is_other {
            let Self { target, written, .. } = std::mem::take(self);
            *self = Self { target, written, ..Self::default() };
        }
        self.target_id = Some(target_id.to_owned());
        is_other
    }
}

impl State {
    /// Reads `state.json`. Returns an empty state if the file is missing or unreadable.
    #[must_use]
    pub fn read(folder: &Path) -> Self {
        read(&folder.join("state.json")).unwrap_or_default()
    }

    pub(crate) fn write(&self, folder: &Path) -> io::Result<()> {
        write(&folder.join("state.json"), self)
    }
}

/// Makes the next start of the server begin a new backup series in the same backup target. Required after an upgrade to another major version of
/// PostgreSQL, because the WAL of the upgraded cluster does not continue the old series.
///
/// # Errors
/// If the state file cannot be written.
pub fn forget_series(folder: &Path) -> io::Result<()> {
    match State::read(folder) {
        State { series: None, .. } => Ok(()),
        state => State { series: None, point: None, ..state }.write(folder),
    }
}

pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

pub(crate) fn write(path: &Path, value: &impl Serialize) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    let draft = path.with_extension("json.draft");
    if let Some(folder) = path.parent() {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let mut file = fs::File::create(&draft)?;
    file.write_all(&serde_json::to_vec_pretty(value)?)?;
    // Without this sync, the file could be empty after a power loss, although it was renamed. The next start would then begin a new backup
    // series.
    file.sync_all()?;
    fs::rename(&draft, path)?;
    path.parent().map_or(Ok(()), |folder| fs::File::open(folder)?.sync_all())
}
