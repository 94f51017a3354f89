//! The backup service of the running server: ships WAL, files and settings continuously, and makes base backups on schedule or on request.
//!
//! Shipping runs on a separate thread with normal priority. If the machine is lost, the data that was not shipped yet is lost, so shipping
//! must not be delayed. It is little work and holds no locks that requests wait for. Base backups and the steps after base backups run with
//! a lower priority.

mod bases;
mod drills;
mod others;

pub use bases::REQUEST_FILE;

use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use self::bases::Made;
use crate::commit_base_backup::{self, Covered};
use crate::damage::Damage;
use crate::drill;
use crate::error::{BackupError, Result};
use crate::inventory::{Inventory, Unreadable};
use crate::other_runs::OtherRuns;
use crate::repository::Repository;
use crate::restore::Restored;
use crate::session::Session;
use crate::settings::Settings;
use crate::status::{Drill, Failure, Status};

/// Time between the starts of two shipping steps, each of which copies new data to the backup target.
const TICK: Duration = Duration::from_millis(400);
/// Minimum pause between two shipping steps.
const MIN_PAUSE: Duration = Duration::from_millis(50);
/// Pause between two attempts during the first ten seconds (`ALARM_AFTER`) of a failure of the backup target or the database.
const FIRST_RETRY: Duration = Duration::from_millis(200);
/// Pause between two attempts after the first ten seconds (`ALARM_AFTER`) of a failure of the backup target or the database.
const RETRY: Duration = Duration::from_secs(1);
/// Duration of a failure of the backup target or the database before the failure is logged as an error.
const ALARM_AFTER: Duration = Duration::from_secs(10);
/// Minimum time between two log messages about the same failure of the backup.
const ALARM_AGAIN: Duration = Duration::from_secs(600);
/// Timeout of the last shipping step when the server stops.
const LAST_COPY_TIMEOUT: Duration = Duration::from_secs(10);
/// Runs the backup service on a separate thread until `shutdown` is cancelled.
pub async fn run(settings: Settings, shutdown: CancellationToken) {
    let (ended, end) = tokio::sync::oneshot::channel::<()>();
    let thread = move || {
        match tokio::runtime::Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime.block_on(Service::new(settings, shutdown).run()),
            Err(error) => {
                tracing::error!(%error, "backup: starting the backup thread failed, no backups are made until the next start")
            }
        }
        drop(ended);
    };
    if let Err(error) = std::thread::Builder::new().name("backup".to_owned()).spawn(thread) {
        tracing::error!(%error, "backup: starting the backup thread failed, no backups are made until the next start");
    }
    // The sender is dropped when the backup thread ends, which completes this future.
    let _ = end.await;
}

/// Makes one base backup while no server runs, then restores the backup into a temporary copy and verifies the copy. Returns `None` if the
/// backup is encrypted to an age recipient and cannot be verified here.
///
/// # Errors
/// If the base backup fails, or cannot be restored.
pub async fn make_once(settings: Settings) -> Result<Option<Restored>> {
    let mut status = Status::default();
    let mut session = Session::open(&settings, None, false).await?;
    session.tick(&settings, &mut status).await?;
    let mut manifest =
        commit_base_backup::copy(&settings, &session.repository, session.cluster.as_ref(), &session.series, true)
            .await?;
    manifest.settings = session.project_archive();
    // Write the last recovery point before the manifest, because a restore needs a recovery point that covers the base backup.
    session.end(&settings, &mut status).await?;
    commit_base_backup::publish(&session.repository, &session.series, &manifest).await?;
    drill::try_now(&settings).await
}

struct Service {
    settings: Settings,
    shutdown: CancellationToken,
    status: Status,
    failing: Option<Instant>,
    alarmed: Option<Instant>,
    base: Option<JoinHandle<Result<Made>>>,
    covered: watch::Sender<Covered>,
    base_failed: Option<Instant>,
    drill: Option<JoinHandle<Result<Option<Drill>>>>,
    mail: Option<JoinHandle<Result<()>>>,
    /// Backup target of the last backup session.
    repository: Option<Repository>,
    /// Backup series of the last backup session. Set only if no part except the database has failed since then. If the next session
    /// continues this series, it does not read the list of base backups again.
    known_series: Option<String>,
    /// Detects other servers that write into the backup target. `None` if an external provider hosts the database, because in this case every
    /// node of the project may write into the target.
    other_runs: Option<OtherRuns>,
}

impl Service {
    fn new(settings: Settings, shutdown: CancellationToken) -> Self {
        let old = Status::read(&settings.folder()).unwrap_or_default();
        let status = Status {
            target: settings.to.clone(),
            restorable_until: old.restorable_until,
            restorable_from: old.restorable_from,
            last_base: old.last_base,
            last_drill: old.last_drill,
            last_good_drill: old.last_good_drill,
            drills_since: old.drills_since,
            drill_mailed: old.drill_mailed,
            target_id: old.target_id,
            ..Status::default()
        };
        Self {
            settings,
            shutdown,
            status,
            failing: None,
            alarmed: None,
            base: None,
            covered: watch::Sender::default(),
            base_failed: None,
            drill: None,
            mail: None,
            repository: None,
            known_series: None,
            other_runs: None,
        }
    }

    async fn run(mut self) {
        // Write the status file before the backup target has responded. Status requests in the first seconds then show that a backup
        // service is starting.
        self.write_status();
        let mut session: Option<Session> = None;
        loop {
            let began = Instant::now();
            let outcome = self.step(&mut session).await;
            self.report(outcome);
            self.tell_operators().await;
            if self.shutdown.is_cancelled() {
                break;
            }
            if let Some(mut open) = session.take() {
                let pause = TICK.saturating_sub(began.elapsed()).max(MIN_PAUSE);
                match open.ship_new_blobs(pause, &self.shutdown).await {
                    Ok(()) => session = Some(open),
                    Err(error) => self.report(Err(error)),
                }
            }
            if session.is_none() {
                let is_new = self.failing.is_none_or(|failing| failing.elapsed() < ALARM_AFTER);
                let pause = if is_new { FIRST_RETRY } else { RETRY };
                let _ = tokio::time::timeout(pause, self.shutdown.cancelled()).await;
            }
        }
        if let Some(base) = self.base.take() {
            base.abort();
        }
        if let Some(drill) = self.drill.take() {
            // The restore drill ends on shutdown: it stops and deletes its copy of the database.
            let _ = drill.await;
        }
        if let Some(mut session) = session {
            let _ = tokio::time::timeout(LAST_COPY_TIMEOUT, session.end(&self.settings, &mut self.status)).await;
        }
        let _ = self.status.write(&self.settings.folder());
    }

    async fn step(&mut self, open: &mut Option<Session>) -> Result<()> {
        let session = match open.take() {
            Some(session) => session,
            None => {
                let known = self.known_series.take();
                let session = Session::open(&self.settings, self.repository.as_ref(), known.is_some()).await?;
                self.repository = Some(session.repository.clone());
                let is_continued = known.as_ref() == Some(&session.series);
                self.known_series = Some(session.series.clone());
                if is_continued {
                    // The backup series is the same as in the last backup session, so the list of base backups is unchanged.
                    return self.ship(session, open).await;
                }
                let inventory = Inventory::read(&session.repository).await?;
                if self.status.turn_to(&session.repository.id) {
                    let folder = self.settings.folder();
                    Damage::forget(&folder).map_err(BackupError::io(&folder))?;
                }
                self.note_unreadable(&inventory)?;
                self.other_runs = session.cluster.as_ref().map(|_| OtherRuns::new(&inventory, &session.series));
                let own = inventory.bases.iter().rfind(|base| base.series == session.series);
                self.status.last_base = own.map(|base| base.manifest.completed);
                self.status.restorable_from = continuous_from(&inventory, &session.series);
                session
            }
        };
        self.ship(session, open).await
    }

    /// Records damaged manifests and recovery points in `damage.json`, so that the affected base backups are removed from the list after the
    /// next base backup.
    fn note_unreadable(&self, inventory: &Inventory) -> Result<()> {
        for unreadable in &inventory.unreadable {
            tracing::error!(
                file = %unreadable.name,
                reason = %unreadable.reason,
                "backup: damaged file in the backup target, run `cloch backup check`"
            );
        }
        let folder = self.settings.folder();
        Damage::add(&folder, inventory.unreadable.iter().map(Unreadable::problem)).map_err(BackupError::io(&folder))
    }

    async fn ship(&mut self, mut session: Session, open: &mut Option<Session>) -> Result<()> {
        session.tick(&self.settings, &mut self.status).await?;
        self.covered.send_replace(Covered { series: session.series.clone(), end: session.covered_end() });
        self.collect_base().await;
        self.start_base(&mut session).await?;
        self.collect_drill().await;
        self.start_drill();
        self.look_for_others(&session.repository).await?;
        *open = Some(session);
        Ok(())
    }

    /// Records the outcome of a backup step in the status, and logs failures for the operator.
    fn report(&mut self, outcome: Result<()>) {
        match outcome {
            Ok(()) => {
                if self.alarmed.take().is_some() {
                    tracing::info!("backup: backup works again after a failure");
                }
                self.failing = None;
                self.status.failure = None;
                self.status.is_tampered = false;
            }
            Err(error) => {
                if !matches!(error, BackupError::Database(_)) {
                    self.known_series = None;
                }
                let reason = error.to_string();
                let since = self.status.failure.as_ref().map_or_else(Utc::now, |failure| failure.since);
                let is_new = self.failing.is_none();
                let began = *self.failing.get_or_insert_with(Instant::now);
                // A short failure of the database is logged only after `ALARM_AFTER`. A refused backup target is reported at once.
                let is_tampered = matches!(error, BackupError::NotAuthentic { .. });
                let is_final = is_tampered || matches!(error, BackupError::Refused(_));
                if is_tampered && !self.status.is_tampered {
                    // Send the mail about the forged file at once.
                    self.status.drill_mailed = None;
                }
                // A failed database query does not show whether the forged file is still in the backup target. Therefore the status remains
                // unchanged.
                let is_still = self.status.is_tampered && matches!(error, BackupError::Database(_));
                self.status.is_tampered = is_tampered || is_still;
                let is_due = self.alarmed.is_none_or(|last| last.elapsed() >= ALARM_AGAIN);
                if is_due && (began.elapsed() >= ALARM_AFTER || (is_new && is_final)) {
                    tracing::error!(%error, "backup: interrupted, new data is not copied to the backup target, retrying every second");
                    self.alarmed = Some(Instant::now());
                }
                self.status.failure = Some(Failure { since, reason });
            }
        }
        self.write_status();
    }

    fn write_status(&mut self) {
        self.status.waiting_files = self.settings.new_blobs.len();
        self.status.written = Some(Utc::now());
        if let Err(error) = self.status.write(&self.settings.folder()) {
            tracing::debug!(%error, "backup: writing the status file failed, `cloch backup status` and /health show the previous status");
        }
    }
}

fn continuous_from(inventory: &Inventory, series: &str) -> Option<DateTime<Utc>> {
    inventory.first_continuous(series).map(|base| base.manifest.completed)
}
