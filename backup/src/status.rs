//! What the running server says about its backup, in `backup/status.json` of the data folder, where `cloch backup status` and /health read
//! it; and the state that outlives it.

use std::fs;
use std::io;
use std::path::Path;

use chrono::{DateTime, Utc};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The state that outlives the program: which target and series it writes to.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct State {
    /// The id of the target.
    pub target: Option<String>,
    /// The series.
    pub series: Option<String>,
    /// The number of the last point of the series that is in the target; `None` where that is not signed yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub point: Option<u64>,
    /// What verifies the target's files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verifier: Option<String>,
}

/// What the running server says about its backup.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// The target.
    pub target: String,
    /// The last moment that can be restored, with all files.
    pub restorable_until: Option<DateTime<Utc>>,
    /// The first moment that can be restored in one run.
    pub restorable_from: Option<DateTime<Utc>>,
    /// Blobs that wait for their copy.
    pub waiting_files: usize,
    /// Bytes of the log that wait for their copy.
    pub waiting_log_bytes: u64,
    /// Another server that writes into the same target, as `backup list` names it.
    #[serde(default)]
    pub other_run: Option<String>,
    /// The id of the target that the drills below are of.
    #[serde(default)]
    pub target_id: Option<String>,
    /// When the last base backup was completed.
    pub last_base: Option<DateTime<Utc>>,
    /// Whether a base backup is being made.
    pub base_running: bool,
    /// Why the last base backup failed, and when.
    pub base_failure: Option<Failure>,
    /// Why shipping does not work at the moment, and since when.
    pub failure: Option<Failure>,
    /// Whether that is because something in the target is not what this server left there: nothing is written before that is settled.
    #[serde(default)]
    pub is_tampered: bool,
    /// The last drill.
    pub last_drill: Option<Drill>,
    /// When the last drill ended that found everything.
    #[serde(default)]
    pub last_good_drill: Option<DateTime<Utc>>,
    /// Since when there is something to drill with.
    #[serde(default)]
    pub drills_since: Option<DateTime<Utc>>,
    /// When the operators were last told of drills that are missing or fail.
    #[serde(default)]
    pub drill_mailed: Option<DateTime<Utc>>,
    /// Whether a drill runs.
    #[serde(default)]
    pub drill_running: bool,
    /// When this was written.
    pub written: Option<DateTime<Utc>>,
}

/// Something that does not work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Since when.
    pub since: DateTime<Utc>,
    /// Why.
    pub reason: String,
}

/// The outcome of a drill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Drill {
    /// When it ended.
    pub ended: DateTime<Utc>,
    /// Why the restored copy is not what it should be; `None` where it is.
    pub failure: Option<String>,
}

impl Status {
    /// Reads what the server said last.
    #[must_use]
    pub fn read(folder: &Path) -> Option<Self> {
        read(&folder.join("status.json"))
    }

    pub(crate) fn write(&self, folder: &Path) -> io::Result<()> {
        write(&folder.join("status.json"), self)
    }

    /// Notes which target this is about; what is known of another one is forgotten. True where it was another one.
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
    /// Reads it; of nothing where there is none.
    #[must_use]
    pub fn read(folder: &Path) -> Self {
        read(&folder.join("state.json")).unwrap_or_default()
    }

    pub(crate) fn write(&self, folder: &Path) -> io::Result<()> {
        write(&folder.join("state.json"), self)
    }
}

/// Lets the next start begin a new series in the same target: the log of another cluster does not continue the old one.
///
/// # Errors
/// When the state cannot be written.
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
    fs::write(&draft, serde_json::to_vec_pretty(value)?)?;
    fs::rename(&draft, path)
}
