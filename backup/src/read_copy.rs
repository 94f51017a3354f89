//! A temporary copy of the database as it was at a given moment, restored from the backup. If rows are to be restored, the running server
//! reads them from this copy. The copy is prepared on a background thread. It is deleted when it is not needed any more, and at the latest
//! after an hour.

use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::{DateTime, Utc};
use cloch_core::Secret;
use cloch_sql::database::Login;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::background;
use crate::drill;
use crate::error::{BackupError, Result};
use crate::repository::Repository;
use crate::restore::{self, OpenCopy, Request, Step};
use crate::settings::Settings;
use crate::status::State;
use crate::target::Target;
use crate::trust::Trust;

/// Time after which a prepared copy of the database is deleted.
const LIFETIME: Duration = Duration::from_secs(60 * 60);

/// State of a temporary copy of the database.
#[derive(Clone, Debug)]
pub enum Progress {
    /// The copy is being restored from the backup.
    Preparing {
        /// Current step of the restore.
        step: Step,
        /// Completed units of the step.
        done: u64,
        /// Total number of units of the step; 0 before the first step.
        total: u64,
    },
    /// The copy accepts connections.
    Ready {
        /// Login to the copy as the project's owner.
        login: Box<Login>,
        /// Moment to which the copy was restored.
        moment: DateTime<Utc>,
    },
    /// The copy could not be restored. Contains the reason.
    Failed(String),
    /// The copy was deleted, because it is no longer needed or its time limit has expired.
    Deleted,
}

/// Restores a copy of the database at the moment `to` (`None` for the latest restorable moment) on a background thread, and sends the state
/// of the copy to `progress`. The copy is deleted when `stop` is cancelled, at the latest after an hour. The caller must not start a second
/// copy before the returned task has ended.
pub fn start(
    settings: Settings,
    to: Option<DateTime<Utc>>,
    progress: watch::Sender<Progress>,
    stop: CancellationToken,
) -> JoinHandle<Result<()>> {
    background::start("read copy", move || async move {
        hold(&settings, to, &progress, &stop).await;
        Ok(())
    })
}

/// Returns the key that decrypts the backup.
///
/// # Errors
/// If this server cannot restore its own database: it has no key, or an external provider hosts the database.
pub fn key(settings: &Settings) -> Result<&Secret> {
    if settings.cluster.is_none() {
        return Err(BackupError::Refused(
            "the backup contains no rows, because the database is its provider's (CLOCH_DB_URL): let the provider restore a copy, and extract \
             the rows with `cloch restore --only`"
                .to_owned(),
        ));
    }
    drill::key(&settings.encryption).ok_or_else(|| {
        BackupError::Refused(
            "with an age recipient the server cannot read its own backups: run `cloch restore --only` where the identity is".to_owned(),
        )
    })
}

/// Deletes the copy that a killed server has left in a data folder. No copy may be in use.
///
/// # Errors
/// If a folder cannot be read.
pub fn sweep(data: &Path) -> Result<()> {
    restore::sweep(&folder(data))
}

/// Returns the path next to which the temporary folder of a copy is created.
fn folder(data: &Path) -> PathBuf {
    data.join("read-copy")
}

/// Restores a copy of the database and sends its state to `progress`. Deletes the copy when `stop` is cancelled, at the latest after
/// [`LIFETIME`].
async fn hold(
    settings: &Settings,
    to: Option<DateTime<Utc>>,
    progress: &watch::Sender<Progress>,
    stop: &CancellationToken,
) {
    let report = |step: Step, done: u64, total: u64| {
        progress.send_replace(Progress::Preparing { step, done, total });
    };
    match stop.run_until_cancelled(open(settings, to, &report)).await {
        Some(Ok(copy)) => {
            progress.send_replace(Progress::Ready { login: Box::new(copy.login()), moment: copy.moment });
            let _ = tokio::time::timeout(LIFETIME, stop.cancelled()).await;
            progress.send_replace(Progress::Deleted);
            copy.close().await;
        }
        Some(Err(error)) => {
            tracing::warn!(%error, "backup: restoring a temporary database from the backup failed, rows cannot be restored in the dashboard, the backup is unchanged");
            progress.send_replace(Progress::Failed(error.to_string()));
        }
        None => {
            progress.send_replace(Progress::Deleted);
        }
    }
}

async fn open(
    settings: &Settings,
    to: Option<DateTime<Utc>>,
    report: &(dyn Fn(Step, u64, u64) + Sync),
) -> Result<OpenCopy> {
    let key = key(settings)?;
    // Read the saved state (`state.json`) before the backup target. The running server keeps updating both. If the target were read first,
    // it could be older than the saved state, and would then count as replaced.
    let state = State::read(&settings.folder());
    let repository = Repository::existing(Target::open(&settings.to, &settings.s3)?, &Trust::of_key(key)).await?;
    let request = Request {
        data: folder(&settings.data),
        to,
        key: key.clone(),
        binaries: drill::binaries(settings)?,
        is_check: false,
        allow_missing: false,
        run: None,
        database: None,
        drill: None,
        at_least: None,
        state,
    };
    restore::sweep(&request.data)?;
    restore::open_copy(&repository, &request, report).await
}
