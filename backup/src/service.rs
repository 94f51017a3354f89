//! The running server's backup: ships log, files and settings all the time, and makes base backups by schedule or when asked.
//!
//! Shipping is little work, runs on a thread of its own at the priority of requests, since it decides how much the loss of the machine costs,
//! and holds nothing that a request waits for. Base backups and what follows them run at a lower one.

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

/// Time between the beginnings of two copies of what is new.
const TICK: Duration = Duration::from_millis(400);
/// Time between the end of a copy and the next one, at least.
const MIN_PAUSE: Duration = Duration::from_millis(50);
/// Time between two attempts when the target or the database does not answer, at first and later.
const FIRST_RETRY: Duration = Duration::from_millis(200);
const RETRY: Duration = Duration::from_secs(1);
/// Time after which a failure is logged as an alarm, and again.
const ALARM_AFTER: Duration = Duration::from_secs(10);
const ALARM_AGAIN: Duration = Duration::from_secs(600);
/// Time that the last copy may take when the server stops.
const LAST_COPY_TIMEOUT: Duration = Duration::from_secs(10);
/// Runs until `shutdown`, on a thread of its own.
pub async fn run(settings: Settings, shutdown: CancellationToken) {
    let (ended, end) = tokio::sync::oneshot::channel::<()>();
    let thread = move || {
        match tokio::runtime::Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime.block_on(Service::new(settings, shutdown).run()),
            Err(error) => tracing::error!(%error, "starting the backup failed"),
        }
        drop(ended);
    };
    if let Err(error) = std::thread::Builder::new().name("backup".to_owned()).spawn(thread) {
        tracing::error!(%error, "starting the backup failed");
    }
    // The sender is dropped when the thread ends.
    let _ = end.await;
}

/// Copies what is new and makes a base backup, while no server runs that does; then tries it as a drill does. `None` where only an age
/// identity can read it.
///
/// # Errors
/// When it cannot be made, or not be restored.
pub async fn make_once(settings: Settings) -> Result<Option<Restored>> {
    let mut status = Status::default();
    let mut session = Session::open(&settings, None, false).await?;
    session.tick(&settings, &mut status).await?;
    let mut manifest =
        commit_base_backup::copy(&settings, &session.repository, session.cluster.as_ref(), &session.series, true)
            .await?;
    manifest.settings = session.project_archive();
    // With the point behind the base backup, from which a restore begins.
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
    /// The target of the last session.
    repository: Option<Repository>,
    /// The last session's series, if that session ended by a failure of the database alone.
    known_series: Option<String>,
    /// None where the database is its provider's: there every node may write.
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
        // Before the target has answered: who asks in the first seconds is told that a backup is on its way.
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
            // It ends by itself now, and its copy of the database is stopped and removed.
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
                    // The base backups are what they were.
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

    /// Notes damaged manifests and points, so that the next base backup sets aside what they belong to.
    fn note_unreadable(&self, inventory: &Inventory) -> Result<()> {
        for unreadable in &inventory.unreadable {
            tracing::error!(file = %unreadable.name, reason = %unreadable.reason, "damaged backup file (run `cloch backup check`)");
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

    /// Notes the outcome of a step, and logs what the operator has to know.
    fn report(&mut self, outcome: Result<()>) {
        match outcome {
            Ok(()) => {
                if self.alarmed.take().is_some() {
                    tracing::info!("the backup works again");
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
                // A restarting database is no reason for an alarm; a refused target is one at once.
                let is_tampered = matches!(error, BackupError::NotAuthentic { .. });
                let is_final = is_tampered || matches!(error, BackupError::Refused(_));
                if is_tampered && !self.status.is_tampered {
                    // Told at once.
                    self.status.drill_mailed = None;
                }
                // A database that is away for a moment settles nothing.
                let is_still = self.status.is_tampered && matches!(error, BackupError::Database(_));
                self.status.is_tampered = is_tampered || is_still;
                let is_due = self.alarmed.is_none_or(|last| last.elapsed() >= ALARM_AGAIN);
                if is_due && (began.elapsed() >= ALARM_AFTER || (is_new && is_final)) {
                    tracing::error!(%error, "backup interrupted, it resumes when the cause is gone");
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
            tracing::debug!(%error, "the backup's status cannot be written");
        }
    }
}

fn continuous_from(inventory: &Inventory, series: &str) -> Option<DateTime<Utc>> {
    inventory.first_continuous(series).map(|base| base.manifest.completed)
}
