//! Mails that the database asks for: rows of `club.mail_jobs`, written in the transaction of what they tell of.
//!
//! The worker writes a row's mail into the outbox and closes the row in one transaction: a kill leaves the row waiting, or the mail
//! queued once. What cannot be written now (the store is away, an address is not configured) is tried again, later each time.

mod entry;
mod letter;
mod queue;
mod receipt;
mod record;

use std::sync::Arc;
use std::time::Duration;

use cloch_core::supervise;
use cloch_functions::{FunctionError, Services};
use cloch_mail::{Message, notifications, worker};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::settings::Recipients;
use queue::Job;

/// Jobs at work at once: each holds the files of one entry in memory.
const TASKS: usize = 2;
const POLL_INTERVAL: Duration = Duration::from_secs(10);
/// How long a worker may hold a job before another takes it.
const LEASE: Duration = Duration::from_mins(5);
const SWEEP_INTERVAL: Duration = Duration::from_hours(1);

/// What mails are written from.
#[derive(Clone)]
struct Writer {
    services: Arc<Services>,
    recipients: Arc<Recipients>,
}

/// Writes mails until `shutdown` is cancelled.
pub async fn run(services: Arc<Services>, recipients: Recipients, shutdown: CancellationToken) {
    let (wake, _) = watch::channel(());
    let writer = Writer { services, recipients: Arc::new(recipients) };
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..TASKS {
        let (writer, waker, stop) = (writer.clone(), wake.clone(), shutdown.clone());
        let start = move || writing_task(writer.clone(), waker.subscribe(), stop.clone());
        tasks.spawn(supervise("mails of entries", shutdown.clone(), start));
    }
    let (sweeper, stop) = (writer.clone(), shutdown.clone());
    tasks.spawn(supervise("old mail jobs", shutdown.clone(), move || sweep(sweeper.clone(), stop.clone())));
    let (database, stop) = (writer.services.database.clone(), shutdown.clone());
    tasks.spawn(supervise("notifications of mail jobs", shutdown, move || {
        notifications::forward(database.clone(), queue::CHANNEL, wake.clone(), stop.clone())
    }));
    while tasks.join_next().await.is_some() {}
}

/// Writes one mail after the other, then waits.
async fn writing_task(writer: Writer, mut wake: watch::Receiver<()>, shutdown: CancellationToken) {
    while !shutdown.is_cancelled() {
        match writer.next().await {
            Ok(true) => continue,
            Ok(false) => {}
            Err(error) => tracing::error!(error = %error, "reading mail jobs failed"),
        }
        tokio::select! {
            () = shutdown.cancelled() => {}
            () = tokio::time::sleep(POLL_INTERVAL) => {}
            Ok(()) = wake.changed() => {}
        }
    }
}

async fn sweep(writer: Writer, shutdown: CancellationToken) {
    while !shutdown.is_cancelled() {
        if let Err(error) = queue::sweep(writer.services.database.admin()).await {
            tracing::warn!(error = %error, "deleting old mail jobs failed");
        }
        tokio::select! { () = shutdown.cancelled() => {}, () = tokio::time::sleep(SWEEP_INTERVAL) => {} }
    }
}

impl Writer {
    /// Takes and does one job; false when none is due.
    async fn next(&self) -> sqlx::Result<bool> {
        let pool = self.services.database.admin();
        let Some(job) = queue::claim(pool, LEASE).await? else { return Ok(false) };
        let written = match job.kind.as_str() {
            "receipt" => receipt::write(self, &job).await,
            _ => self.write(&job).await,
        };
        let Err(error) = written else { return Ok(true) };
        let reason = format!("{error:?}");
        let delay = (job.attempts < worker::MAX_ATTEMPTS).then(|| worker::delay_after(job.attempts));
        tracing::error!(job.id = %job.id, job.kind, job.attempts, reason, "writing a mail failed");
        queue::put_back(pool, job.id, &reason, delay).await?;
        Ok(true)
    }

    /// Queues a job's mail and closes the job, or neither.
    async fn write(&self, job: &Job) -> Result<(), FunctionError> {
        let message = self.message(job).await?;
        let mut transaction = cloch_sql::transaction::begin(self.services.database.admin()).await?;
        let id = match &message {
            Some(message) => Some(self.services.mailer.queue(&mut *transaction, message).await?),
            None => None,
        };
        // Another worker has done it meanwhile: its mail is the one.
        if !queue::finish(&mut *transaction, job.id, id).await? {
            return Ok(transaction.rollback().await?);
        }
        Ok(transaction.commit().await?)
    }

    /// The mail that a job asks for; `None` where the entry does not exist any more.
    async fn message(&self, job: &Job) -> Result<Option<Message>, FunctionError> {
        match job.kind.as_str() {
            "entry" => entry::message(self, job).await,
            other => Err(FunctionError::internal(&format!("there is no mail of the kind {other}"))),
        }
    }
}
