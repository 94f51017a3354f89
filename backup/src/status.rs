//! The status that the running server writes to `backup/status.json` in the data folder, read by `cloch backup status` and /health; and the
//! persistent state in `backup/state.json`.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use chrono::{DateTime, Utc};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The persistent state (`state.json`): the target and series in use.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct State {
    /// Id of the target.
    pub target: Option<String>,
    /// Name of the series.
    pub series: Option<String>,
    /// Number of the last recovery point of the series in the target. `None` if that recovery point is not signed yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub point: Option<u64>,
    /// Public key that verifies the target's files, in text form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verifier: Option<String>,
}

/// The status of the backup (`status.json`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// URL or path of the target.
    pub target: String,
    /// Last restorable moment, including all files.
    pub restorable_until: Option<DateTime<Utc>>,
    /// First moment from which every later moment of the current series can be restored.
    pub restorable_from: Option<DateTime<Utc>>,
    /// Number of blobs that are not copied yet.
    pub waiting_files: usize,
    /// Number of WAL bytes that are not copied yet.
    pub waiting_log_bytes: u64,
    /// Description of another server that writes into the same target, as in `backup list`.
    #[serde(default)]
    pub other_run: Option<String>,
    /// Id of the target that this status is about.
    #[serde(default)]
    pub target_id: Option<String>,
    /// Time when the last base backup was completed.
    pub last_base: Option<DateTime<Utc>>,
    /// Whether a base backup is in progress.
    pub base_running: bool,
    /// Reason and time of the last base backup's failure; `None` if it succeeded.
    pub base_failure: Option<Failure>,
    /// Reason and start of the current failure of shipping; `None` if shipping works.
    pub failure: Option<Failure>,
    /// Whether the failure is a file in the target that this server did not write. Nothing is written until the operator has resolved it.
    #[serde(default)]
    pub is_tampered: bool,
    /// The last drill.
    pub last_drill: Option<Drill>,
    /// Time of the last successful drill.
    #[serde(default)]
    pub last_good_drill: Option<DateTime<Utc>>,
    /// Time since which a drill is possible: the first base backup seen by this status.
    #[serde(default)]
    pub drills_since: Option<DateTime<Utc>>,
    /// Time of the last mail about missing or failed drills.
    #[serde(default)]
    pub drill_mailed: Option<DateTime<Utc>>,
    /// Whether a drill is in progress.
    #[serde(default)]
    pub drill_running: bool,
    /// Time when this status was written.
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

/// The outcome of a drill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Drill {
    /// Time when the drill ended.
    pub ended: DateTime<Utc>,
    /// Reason of the failure; `None` if the drill succeeded.
    pub failure: Option<String>,
}

impl Status {
    /// Reads the last status that the server wrote.
    #[must_use]
    pub fn read(folder: &Path) -> Option<Self> {
        read(&folder.join("status.json"))
    }

    pub(crate) fn write(&self, folder: &Path) -> io::Result<()> {
        write(&folder.join("status.json"), self)
    }

    /// Records the target that this status is about. For a new target, resets the values of the old one and returns `true`.
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
    /// Reads the state. Returns an empty state if the file is missing or unreadable.
    #[must_use]
    pub fn read(folder: &Path) -> Self {
        read(&folder.join("state.json")).unwrap_or_default()
    }

    pub(crate) fn write(&self, folder: &Path) -> io::Result<()> {
        write(&folder.join("state.json"), self)
    }
}

/// Makes the next start begin a new series in the same target. Required after an upgrade to another major version of PostgreSQL, because the WAL
/// of another cluster does not continue the old series.
///
/// # Errors
/// If the state cannot be written.
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
    // Without this, a power loss can leave an empty file after the rename, and the next start would begin a new series.
    file.sync_all()?;
    fs::rename(&draft, path)?;
    path.parent().map_or(Ok(()), |folder| fs::File::open(folder)?.sync_all())
}
