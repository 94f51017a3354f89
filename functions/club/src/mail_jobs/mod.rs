//! Writes mails that the database requests. A request is a row of `club.mail_jobs`, inserted in the same transaction as the event that the
//! mail announces, such as a new entry.
//!
//! The mail job worker writes the mail into the outbox and closes the row in one transaction. If the worker is killed before the commit,
//! the row is still waiting; after the commit, the mail is queued. The mail is never queued twice. If a mail cannot be written now (storage
//! unavailable, address not configured), the worker retries with growing delays. When a form calls `send-email`, the call writes the mail
//! of the form's record in the same way, without waiting for the worker (`submission.rs`).

mod entry;
mod letter;
mod link_mail;
mod queue;
mod receipt;
mod received;
mod record;
mod submission;
mod template_mail;

use std::sync::Arc;
use std::time::Duration;

use cloch_core::supervise;
use cloch_functions::{FunctionError, Services};
use cloch_mail::{Message, notifications, worker};
use http::StatusCode;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::settings::Recipients;
use queue::Job;
pub(crate) use receipt::preview as preview_receipt;
pub(crate) use submission::announce;

/// Number of concurrent mail jobs. Each job holds the files of one entry in memory.
const TASKS: usize = 2;
const POLL_INTERVAL: Duration = Duration::from_secs(10);
/// Time for which a worker claims a job. After this time, another worker may claim the job if the first worker has not finished it.
const LEASE: Duration = Duration::from_mins(5);
const SWEEP_INTERVAL: Duration = Duration::from_hours(1);

/// Services and addresses with which mails are written.
#[derive(Clone)]
struct Writer {
    services: Arc<Services>,
    recipients: Arc<Recipients>,
}

/// Writes the mails that the database requests, until `shutdown` is cancelled.
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

/// Writes mails until no mail job is due, then waits for a notification from PostgreSQL or for the end of the poll interval. Repeats until
/// `shutdown` is cancelled.
async fn writing_task(writer: Writer, mut wake: watch::Receiver<()>, shutdown: CancellationToken) {
    while !shutdown.is_cancelled() {
        match writer.next().await {
            Ok(true) => continue,
            Ok(false) => {}
            Err(error) => {
                tracing::error!(error = %error, "club: reading the queue of mail jobs failed, retrying within 10 s")
            }
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
            tracing::warn!(error = %error, "club: deleting old mail jobs failed, retrying in 1 hour");
        }
        tokio::select! { () = shutdown.cancelled() => {}, () = tokio::time::sleep(SWEEP_INTERVAL) => {} }
    }
}

impl Writer {
    /// Claims and processes one mail job. Returns `false` if no job is due.
    async fn next(&self) -> sqlx::Result<bool> {
        let Some(job) = queue::claim(self.services.database.admin(), LEASE).await? else { return Ok(false) };
        // Ignore a failure to write the mail, because `process` has recorded it in the job.
        let _ = self.process(&job).await?;
        Ok(true)
    }

    /// Writes the mail of a claimed job. The outer result is an error if the database fails. The inner result is an error if the mail
    /// cannot be written. The job is then retried later, up to a maximum number of attempts. A mail with a template is not
    /// retried after status 400.
    async fn process(&self, job: &Job) -> sqlx::Result<Result<(), FunctionError>> {
        let written = match job.kind.as_str() {
            "receipt" => receipt::write(self, job).await,
            link_mail::KIND => link_mail::write(self, job).await,
            _ => self.write(job).await,
        };
        let Err(error) = written else { return Ok(Ok(())) };
        let reason = format!("{error:?}");
        let is_invalid = template_mail::has_template(&job.kind) && error.status() == StatusCode::BAD_REQUEST;
        let delay = (!is_invalid && job.attempts < worker::MAX_ATTEMPTS).then(|| worker::delay_after(job.attempts));
        tracing::error!(
            job.id = %job.id,
            job.kind,
            job.attempts,
            reason,
            retry_in_s = delay.map(|delay| delay.as_secs()),
            "club: creating a mail failed, retrying after retry_in_s seconds (without this field: no retry, the mail is not sent)"
        );
        queue::put_back(self.services.database.admin(), job.id, &reason, delay).await?;
        Ok(Err(error))
    }

    /// Queues the mail of a job and closes the job in one transaction.
    async fn write(&self, job: &Job) -> Result<(), FunctionError> {
        let message = self.message(job).await?;
        let mut transaction = cloch_sql::transaction::begin(self.services.database.admin()).await?;
        let id = match &message {
            Some(message) => Some(self.services.mailer.queue(&mut *transaction, message).await?),
            None => None,
        };
        // A second worker has closed the job in the meantime, so this mail is discarded.
        if !queue::finish(&mut *transaction, job.id, id).await? {
            return Ok(transaction.rollback().await?);
        }
        Ok(transaction.commit().await?)
    }

    /// Composes the mail of a job; returns `None` if the entry was deleted.
    async fn message(&self, job: &Job) -> Result<Option<Message>, FunctionError> {
        match job.kind.as_str() {
            "entry" => entry::message(self, job).await,
            kind if template_mail::has_template(kind) => template_mail::message(self, job).await,
            other => Err(FunctionError::internal(&format!("there is no mail of the kind {other}"))),
        }
    }
}
