//! The running server's backup: ships log, files and settings all the time, and makes base backups by schedule or when asked.
//!
//! It runs on a thread of its own at a lower priority, so that requests come first, and holds nothing that a request waits for.

use std::fs;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::base::{self, Cluster};
use crate::drill;
use crate::error::{BackupError, Result};
use crate::inventory::Inventory;
use crate::layout::Manifest;
use crate::pair;
use crate::prune;
use crate::repository::Repository;
use crate::restore::Restored;
use crate::session::Session;
use crate::settings::Settings;
use crate::status::{Drill, Failure, Status};

/// The priority of the thread, its file operations and the programs it starts (`nice`).
const NICE: i32 = 5;
/// Time between two copies of what is new.
const TICK: Duration = Duration::from_millis(400);
/// Time between two attempts when the target or the database does not answer.
const RETRY: Duration = Duration::from_secs(1);
/// Time after which a failure is logged as an alarm, and again.
const ALARM_AFTER: Duration = Duration::from_secs(10);
const ALARM_AGAIN: Duration = Duration::from_secs(600);
/// Time between two attempts at a base backup.
const BASE_RETRY: Duration = Duration::from_secs(60);
/// Time that the last copy may take when the server stops.
const LAST_COPY_TIMEOUT: Duration = Duration::from_secs(10);
/// A file in the state's folder that asks for a base backup.
pub const REQUEST_FILE: &str = "now";

/// Runs until `shutdown`, on a thread of its own.
pub async fn run(settings: Settings, shutdown: CancellationToken) {
    let (ended, end) = tokio::sync::oneshot::channel::<()>();
    let thread = move || {
        // On Linux this is the priority of the calling thread, and of the threads and processes that it starts.
        let _ = rustix::process::setpriority_process(None, NICE);
        match tokio::runtime::Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime.block_on(Service::new(settings, shutdown).run()),
            Err(error) => tracing::error!(%error, "the backup cannot be started"),
        }
        drop(ended);
    };
    if let Err(error) = std::thread::Builder::new().name("backup".to_owned()).spawn(thread) {
        tracing::error!(%error, "the backup cannot be started");
    }
    // The sender is dropped when the thread ends.
    let _ = end.await;
}

/// Copies what is new and makes a base backup, while no server runs that does; then tries it as a drill does. None where only an age
/// identity can read it.
///
/// # Errors
/// When it cannot be made, or not be restored.
pub async fn make_once(settings: Settings) -> Result<Option<Restored>> {
    let mut status = Status::default();
    let mut session = Session::open(&settings).await?;
    session.tick(&settings, &mut status).await?;
    make_base(settings.clone(), session.repository.clone(), session.cluster.clone(), session.series.clone(), true)
        .await?;
    // With the point behind the base backup, from which a restore begins.
    session.end(&settings, &mut status).await?;
    drill::try_now(&settings).await
}

struct Service {
    settings: Settings,
    shutdown: CancellationToken,
    status: Status,
    failing: Option<Instant>,
    alarmed: Option<Instant>,
    base: Option<JoinHandle<Result<Manifest>>>,
    base_failed: Option<Instant>,
    drill: Option<JoinHandle<Option<Drill>>>,
}

impl Service {
    fn new(settings: Settings, shutdown: CancellationToken) -> Self {
        let old = Status::read(&settings.folder()).unwrap_or_default();
        let status = Status {
            target: settings.to.clone(),
            last_drill: old.last_drill,
            last_good_drill: old.last_good_drill,
            drills_since: old.drills_since,
            drill_mailed: old.drill_mailed,
            ..Status::default()
        };
        Self { settings, shutdown, status, failing: None, alarmed: None, base: None, base_failed: None, drill: None }
    }

    async fn run(mut self) {
        let mut session: Option<Session> = None;
        loop {
            let outcome = self.step(&mut session).await;
            self.report(outcome);
            if self.shutdown.is_cancelled() {
                break;
            }
            if let Some(open) = session.take() {
                match open.ship_new_blobs(&self.settings, TICK, &self.shutdown).await {
                    Ok(()) => session = Some(open),
                    Err(error) => self.report(Err(error)),
                }
            }
            if session.is_none() {
                let _ = tokio::time::timeout(RETRY, self.shutdown.cancelled()).await;
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
        let mut session = match open.take() {
            Some(session) => session,
            None => {
                let session = Session::open(&self.settings).await?;
                let inventory = Inventory::read(&session.repository).await?;
                let own = inventory.bases.iter().rfind(|base| base.series == session.series);
                self.status.last_base = own.map(|base| base.manifest.completed);
                self.status.restorable_from = continuous_from(&inventory, &session.series);
                session
            }
        };
        session.tick(&self.settings, &mut self.status).await?;
        self.collect_base(&session).await?;
        self.start_base(&session);
        self.collect_drill().await?;
        self.start_drill();
        *open = Some(session);
        Ok(())
    }

    /// Starts a base backup that is due or asked for.
    fn start_base(&mut self, session: &Session) {
        if self.base.is_some() {
            return;
        }
        let is_asked = fs::remove_file(self.settings.folder().join(REQUEST_FILE)).is_ok();
        let age = |moment: DateTime<Utc>| Utc::now().signed_duration_since(moment).to_std().unwrap_or_default();
        let is_due = self.status.last_base.is_none_or(|last| age(last) >= self.settings.every);
        let may_retry = self.base_failed.is_none_or(|failed| failed.elapsed() >= BASE_RETRY);
        if !(is_asked || (is_due && may_retry)) {
            return;
        }
        let is_urgent = is_asked || self.status.last_base.is_none();
        let (settings, repository, cluster, series) =
            (self.settings.clone(), session.repository.clone(), session.cluster.clone(), session.series.clone());
        self.status.base_running = true;
        self.base = Some(tokio::spawn(make_base(settings, repository, cluster, series, is_urgent)));
    }

    /// Starts a drill that is due or asked for.
    fn start_drill(&mut self) {
        let (Some(_), None, None) = (self.status.last_base, &self.base, &self.drill) else { return };
        self.status.drills_since.get_or_insert_with(Utc::now);
        let is_asked = fs::remove_file(self.settings.folder().join(drill::REQUEST_FILE)).is_ok();
        if is_asked || drill::is_due(self.settings.drill.every, &self.status, Utc::now()) {
            self.status.drill_running = true;
            self.drill = Some(drill::start(self.settings.clone(), self.shutdown.clone()));
        }
    }

    /// Takes a drill's outcome, and mails the operators if it has to be.
    async fn collect_drill(&mut self) -> Result<()> {
        if self.drill.as_ref().is_some_and(JoinHandle::is_finished)
            && let Some(task) = self.drill.take()
        {
            self.status.drill_running = false;
            let Ok(Some(drill)) = task.await else { return Err(BackupError::Stopped) };
            match drill.failure {
                None => self.status.last_good_drill = Some(drill.ended),
                // A new failure is told at once.
                Some(_) => self.status.drill_mailed = None,
            }
            self.status.last_drill = Some(drill);
        }
        let problem = drill::problem(&self.status, self.settings.drill.every, Utc::now());
        if let Some(problem) = problem.filter(|_| drill::mail_is_due(&self.status, Utc::now())) {
            drill::mail(&self.settings, &problem).await?;
            self.status.drill_mailed = Some(Utc::now());
        }
        Ok(())
    }

    async fn collect_base(&mut self, session: &Session) -> Result<()> {
        if !self.base.as_ref().is_some_and(JoinHandle::is_finished) {
            return Ok(());
        }
        let Some(task) = self.base.take() else { return Ok(()) };
        self.status.base_running = false;
        match task.await.map_err(|_| BackupError::Stopped).and_then(|outcome| outcome) {
            Ok(manifest) => {
                let made = if manifest.is_files_only {
                    "the files of this moment were noted"
                } else {
                    "a base backup was made"
                };
                tracing::info!(backup.bytes = manifest.bytes, backup.objects = manifest.objects, "{made}");
                self.base_failed = None;
                self.status.base_failure = None;
                self.status.last_base = Some(manifest.completed);
                let inventory =
                    prune::run(&session.repository, &session.series, self.settings.keep, &self.settings.login).await?;
                self.status.restorable_from = continuous_from(&inventory, &session.series);
            }
            Err(error) => {
                tracing::error!(%error, "no base backup could be made");
                self.base_failed = Some(Instant::now());
                self.status.base_failure = Some(Failure { since: Utc::now(), reason: error.to_string() });
            }
        }
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
            }
            Err(error) => {
                let reason = error.to_string();
                let since = self.status.failure.as_ref().map_or_else(Utc::now, |failure| failure.since);
                let is_new = self.failing.is_none();
                let began = *self.failing.get_or_insert_with(Instant::now);
                // A restarting database is no reason for an alarm; a refused target is one at once.
                let is_final = matches!(error, BackupError::Refused(_));
                let is_due = self.alarmed.is_none_or(|last| last.elapsed() >= ALARM_AGAIN);
                if is_due && (began.elapsed() >= ALARM_AFTER || (is_new && is_final)) {
                    tracing::error!(%error, "nothing is backed up at the moment; it goes on by itself when the cause is gone");
                    self.alarmed = Some(Instant::now());
                }
                self.status.failure = Some(Failure { since, reason });
            }
        }
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

async fn make_base(
    settings: Settings,
    repository: Repository,
    cluster: Option<Cluster>,
    series: String,
    is_urgent: bool,
) -> Result<Manifest> {
    match cluster {
        Some(cluster) => base::make(&settings, &repository, &cluster, &series, is_urgent).await,
        None => pair::make(&settings, &repository, &series).await,
    }
}
