//! Temporary copy of the project's database as it was at an earlier point in time, restored from a backup. Owners restore deleted or
//! changed rows from this copy. At most one copy exists on a node.

use std::path::PathBuf;
use std::time::Duration;

use chrono::{DateTime, Utc};
use cloch_backup::Settings;
use cloch_backup::read_copy::{self, Progress};
use cloch_backup::restore::Step;
use cloch_backup::stored_files::StoredFiles;
use serde_json::{Value, json};
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use tokio::sync::{Mutex, watch};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::ApiError;

/// Maximum number of connections to a copy.
const CONNECTIONS: u32 = 4;
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(10);

/// Prepares, reads and deletes the temporary copy of the database, which is restored from a backup.
#[derive(Debug)]
pub struct RowCopy {
    backup: Option<Settings>,
    data: PathBuf,
    shutdown: CancellationToken,
    current: Mutex<Option<Current>>,
}

/// A copy that is being prepared or in use, or whose preparation has failed.
#[derive(Debug)]
struct Current {
    progress: watch::Receiver<Progress>,
    stop: CancellationToken,
    task: JoinHandle<cloch_backup::Result<()>>,
    /// Connections to the copy. `None` before the first read.
    pool: Option<PgPool>,
}

impl RowCopy {
    /// Creates the state without a copy. `backup` is `None` if no backup is configured.
    #[must_use]
    pub fn new(backup: Option<Settings>, data: PathBuf, shutdown: CancellationToken) -> Self {
        Self { backup, data, shutdown, current: Mutex::default() }
    }

    /// Deletes a copy that a killed server has left in the data folder. Then waits until this server stops, and deletes the copy that
    /// exists at that time.
    pub async fn run(&self) {
        {
            // `sweep` would also delete a copy that is being prepared. While this lock is held, no copy can be prepared.
            let _current = self.current.lock().await;
            let data = self.data.clone();
            if let Ok(Err(error)) = tokio::task::spawn_blocking(move || read_copy::sweep(&data)).await {
                tracing::warn!(%error, "dashboard: deleting a temporary database that a previous run left behind failed, it still uses disk space");
            }
        }
        self.shutdown.cancelled().await;
        self.remove().await;
    }

    pub(super) fn is_configured(&self) -> bool {
        self.backup.is_some()
    }

    /// Returns the reason why this server cannot restore its own backup: it lacks the decryption key, or the backup contains no database.
    /// `None` if it can restore the backup, or if no backup is configured.
    pub(super) fn problem(&self) -> Option<String> {
        self.backup.as_ref().and_then(|settings| read_copy::key(settings).err()).map(|error| error.to_string())
    }

    /// Begins to prepare a copy of the database as it was at the point in time `to`; `None` for the latest point in time that the backup
    /// contains.
    pub(super) async fn begin(&self, to: Option<DateTime<Utc>>) -> Result<(), ApiError> {
        let Some(settings) = &self.backup else {
            return Err(ApiError::conflict("This server makes no backup")
                .with_hint("Set [backup] to in cloch.toml and start the server again"));
        };
        if let Some(problem) = self.problem() {
            return Err(ApiError::conflict(problem));
        }
        let mut current = self.current.lock().await;
        if current.as_ref().is_some_and(|copy| !copy.task.is_finished()) {
            return Err(ApiError::conflict("There is a copy already").with_hint("Remove it first"));
        }
        let (sender, progress) = watch::channel(Progress::Preparing { step: Step::Base, done: 0, total: 0 });
        let stop = self.shutdown.child_token();
        let task = read_copy::start(settings.clone(), to, sender, stop.clone());
        *current = Some(Current { progress, stop, task, pool: None });
        Ok(())
    }

    /// Deletes the copy, even if it is still being prepared. Returns after the copy was deleted.
    pub(super) async fn remove(&self) {
        let mut current = self.current.lock().await;
        if let Some(copy) = current.as_mut() {
            copy.stop.cancel();
            // The error of a panicked task is ignored: the preparation of the next copy deletes files that the task has left.
            let _ = (&mut copy.task).await;
        }
        *current = None;
    }

    /// Returns the state of the copy for the dashboard; null if there is no copy.
    pub(super) async fn show(&self) -> Value {
        let current = self.current.lock().await;
        let Some(copy) = current.as_ref() else { return Value::Null };
        // `is_finished` must be called before the progress is read: if the task has finished by now, the progress contains its result.
        let has_ended = copy.task.is_finished();
        let progress = copy.progress.borrow().clone();
        match progress {
            Progress::Preparing { .. } if has_ended => {
                json!({ "state": "failed", "message": "The preparation was stopped; the server's log says why" })
            }
            Progress::Preparing { step, done, total } => {
                json!({ "state": "preparing", "step": name(step), "done": done, "total": total })
            }
            Progress::Ready { moment, .. } => json!({ "state": "ready", "moment": moment }),
            Progress::Failed(message) => json!({ "state": "failed", "message": message }),
            Progress::Deleted => Value::Null,
        }
    }

    /// Opens the backup target, to read the content of files.
    pub(super) async fn stored_files(&self) -> Result<StoredFiles, ApiError> {
        let settings = self.backup.as_ref().ok_or_else(|| ApiError::conflict("This server makes no backup"))?;
        let opened = StoredFiles::open(settings).await;
        opened.map_err(|error| ApiError::conflict("The backup cannot be read").with_hint(error.to_string()))
    }

    /// Returns a pool of connections to the prepared copy, with the login of the project's owner. Also returns the point in time whose
    /// state the copy contains.
    pub(super) async fn connect(&self) -> Result<(PgPool, DateTime<Utc>), ApiError> {
        let missing =
            || ApiError::conflict("There is no copy to read").with_hint("Prepare one; it is kept for an hour");
        let mut current = self.current.lock().await;
        let copy = current.as_mut().ok_or_else(missing)?;
        let progress = copy.progress.borrow().clone();
        let Progress::Ready { login, moment } = progress else { return Err(missing()) };
        let options = PgPoolOptions::new().max_connections(CONNECTIONS).acquire_timeout(ACQUIRE_TIMEOUT);
        let pool = copy.pool.get_or_insert_with(|| login.pool(options, "cloch restore rows"));
        Ok((pool.clone(), moment))
    }
}

/// Returns the name that the dashboard's API uses for a step of the preparation.
fn name(step: Step) -> &'static str {
    match step {
        Step::Base => "base",
        Step::Log => "log",
        Step::Replay => "replay",
        Step::Files | Step::Check => "check",
    }
}
