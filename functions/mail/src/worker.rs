//! Delivers the messages in the mail outbox. A notification or the poll interval wakes the worker. The poll interval is required because a
//! pooler in transaction mode forwards no notifications.
//!
//! A worker claims a message for a limited time. During the SMTP dialogue, the row of the message is not locked; if a worker dies, its
//! claim expires. The outcome for each recipient is stored separately, so a retry never sends a message to a recipient who already has it.

use std::time::Duration;

use cloch_core::supervise;
use rand::RngExt;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::outbox::{self, Entry};
use crate::smtp::{Outcome, Transport};
use crate::{MailError, Mailer, Settings, compose, metrics, notifications};

/// Number of messages that are delivered concurrently.
const DELIVERY_TASKS: usize = 3;
/// Maximum number of delivery attempts for a message. Twenty attempts with the delays of [`delay_after`] take two days.
pub const MAX_ATTEMPTS: i32 = 20;
const FIRST_RETRY_DELAY: Duration = Duration::from_secs(15);
const MAX_RETRY_DELAY: Duration = Duration::from_hours(4);
const POLL_INTERVAL: Duration = Duration::from_secs(10);
const SWEEP_INTERVAL: Duration = Duration::from_hours(1);

/// Delivers mail until `shutdown` is cancelled, then finishes the running deliveries.
pub async fn run(mailer: Mailer, shutdown: CancellationToken) {
    let (sender, stop) = (mailer.clone(), shutdown.clone());
    let upkeep = supervise("mail upkeep", shutdown.clone(), move || sweep(sender.clone(), stop.clone()));
    let mut changes = mailer.changes();
    let delivery = async {
        while !shutdown.is_cancelled() {
            changes.mark_unchanged();
            let stop = shutdown.child_token();
            let (by_smtp, tasks) = (mailer.uses_smtp(), deliver_until(&mailer, &stop));
            let mode_changed = async {
                while changes.changed().await.is_ok() && mailer.uses_smtp() == by_smtp {}
                stop.cancel();
            };
            tokio::join!(tasks, shutdown.run_until_cancelled(mode_changed));
        }
    };
    tokio::join!(upkeep, delivery);
}

/// Delivers mail over SMTP until `stop` is cancelled. If no mail server is configured, delivers the queued mail to the built-in inbox once and
/// returns.
async fn deliver_until(mailer: &Mailer, stop: &CancellationToken) {
    if !mailer.uses_smtp() {
        if let Err(error) = outbox::deliver_queued(mailer.pool()).await {
            tracing::error!(error = %error, "mail: moving queued mail to the built-in inbox failed, retrying within 1 hour");
        }
        return;
    }
    let (wake, _) = watch::channel(());
    let mut tasks = JoinSet::new();
    for _ in 0..DELIVERY_TASKS {
        let (sender, waker, end) = (mailer.clone(), wake.clone(), stop.clone());
        let start = move || delivery_task(sender.clone(), waker.subscribe(), end.clone());
        tasks.spawn(supervise("mail delivery", stop.clone(), start));
    }
    let (database, end) = (mailer.database().clone(), stop.clone());
    tasks.spawn(supervise("mail notifications", stop.clone(), move || {
        notifications::forward(database.clone(), "cloch_mail", wake.clone(), end.clone())
    }));
    while tasks.join_next().await.is_some() {}
}

/// Delivers messages until no message is due, then waits for a notification or for the end of the poll interval.
async fn delivery_task(mailer: Mailer, mut wake: watch::Receiver<()>, shutdown: CancellationToken) {
    while !shutdown.is_cancelled() {
        match next(&mailer).await {
            Ok(true) => continue,
            Ok(false) => {}
            Err(error) => {
                tracing::error!(error = %error, "mail: reading the outbox (queue of unsent mail) failed, retrying within 10 s")
            }
        }
        tokio::select! {
            () = shutdown.cancelled() => {}
            () = tokio::time::sleep(POLL_INTERVAL) => {}
            Ok(()) = wake.changed() => {}
        }
    }
}

/// Claims and delivers one message. Returns `false` if no message is due.
async fn next(mailer: &Mailer) -> Result<bool, MailError> {
    let delivery = mailer.delivery();
    let Some(transport) = &delivery.transport else { return Ok(false) };
    // The lease of a message is longer than the delivery to one recipient, and is renewed after each recipient.
    let lease = delivery.settings.smtp.as_ref().map_or(POLL_INTERVAL, |smtp| smtp.timeout) * 2 + Duration::from_mins(1);
    let Some(entry) = outbox::claim(mailer.pool(), mailer.seal_key(), lease).await? else { return Ok(false) };
    deliver(mailer, &delivery.settings, transport, &entry, lease).await?;
    Ok(true)
}

async fn deliver(
    mailer: &Mailer,
    settings: &Settings,
    transport: &Transport,
    entry: &Entry,
    lease: Duration,
) -> Result<(), MailError> {
    let mut span = mailer.delivery_span(entry.id);
    let pool = mailer.pool();
    if entry.is_lost() {
        metrics::FAILED.inc();
        tracing::error!(mail.id = %entry.id, mail.kind = %entry.kind, "mail: decrypting a queued mail failed, the mail is not sent: the encryption key was replaced");
        return Ok(outbox::put_back(pool, entry.id, "the key that sealed the message was replaced", None).await?);
    }
    let files = outbox::files(pool, entry.id).await?;
    let bytes = match compose::message(settings, entry, files) {
        Ok(message) => message.formatted(),
        Err(error) => {
            metrics::FAILED.inc();
            tracing::error!(mail.id = %entry.id, mail.kind = %entry.kind, error = %error, "mail: composing a queued mail failed, the mail is not sent");
            return Ok(outbox::put_back(pool, entry.id, &error.to_string(), None).await?);
        }
    };
    let mut later = None;
    for recipient in &entry.pending {
        match transport.deliver(&settings.admin_email, recipient, &bytes).await {
            Outcome::Taken(_) => outbox::settle_recipient(pool, entry.id, recipient, None, lease).await?,
            Outcome::Refused(said) => {
                outbox::settle_recipient(pool, entry.id, recipient, Some(&said), lease).await?;
                metrics::ERRORS.inc();
                tracing::warn!(mail.id = %entry.id, reason = without_addresses(&said), "mail: recipient refused by the mail server, delivery to the other recipients continues");
            }
            Outcome::Later(said) => {
                metrics::ERRORS.inc();
                later = Some(said);
            }
        }
    }
    if let (Some(span), Some(_)) = (&mut span, &later) {
        span.fail();
    }
    match later {
        None if outbox::finish(pool, entry.id).await? => {
            metrics::FAILED.inc();
            tracing::error!(mail.id = %entry.id, mail.kind = %entry.kind, "mail: delivery failed permanently, the message is not retried: the mail server refused all recipients");
        }
        None => {
            metrics::SENT.inc();
            tracing::info!(mail.id = %entry.id, mail.kind = %entry.kind, mail.attempts = entry.attempts, "mail: message handed over to the mail server");
        }
        Some(reason) if entry.attempts >= MAX_ATTEMPTS => {
            outbox::put_back(pool, entry.id, &reason, None).await?;
            metrics::FAILED.inc();
            let reason = without_addresses(&reason);
            tracing::error!(
                mail.id = %entry.id,
                mail.kind = %entry.kind,
                mail.attempts = entry.attempts,
                reason,
                "mail: delivery failed permanently, the message is not retried"
            );
        }
        Some(reason) => {
            let delay = delay_after(entry.attempts);
            outbox::put_back(pool, entry.id, &reason, Some(delay)).await?;
            let (reason, delay_s) = (without_addresses(&reason), delay.as_secs());
            tracing::warn!(mail.id = %entry.id, mail.kind = %entry.kind, mail.attempts = entry.attempts, delay_s, reason, "mail: delivery deferred, retrying in {delay_s} s");
        }
    }
    Ok(())
}

/// Removes e-mail addresses from a mail server's reply, for the log. The outbox stores the complete reply.
fn without_addresses(text: &str) -> String {
    let word = |word: &'_ str| if word.contains('@') { "(address)".to_owned() } else { word.to_owned() };
    text.split_whitespace().map(word).collect::<Vec<_>>().join(" ")
}

/// Returns the delay before the next delivery attempt. The delay doubles with each attempt up to a maximum. A random part prevents messages that
/// failed together from being retried together.
#[must_use]
pub fn delay_after(attempts: i32) -> Duration {
    let doublings = u32::try_from(attempts.saturating_sub(1)).unwrap_or(0).min(16);
    let delay = FIRST_RETRY_DELAY.saturating_mul(1 << doublings).min(MAX_RETRY_DELAY);
    delay.mul_f64(rand::rng().random_range(0.8..1.2))
}

async fn sweep(mailer: Mailer, shutdown: CancellationToken) {
    while !shutdown.is_cancelled() {
        if let Err(error) = outbox::sweep(mailer.pool(), mailer.settings().keep_days, MAX_ATTEMPTS).await {
            tracing::warn!(error = %error, "mail: deleting old mail failed, retrying in 1 hour");
        }
        // A transaction may begin while a mail server is configured, and queue its message after the mail server was removed from the
        // settings. Such a message is delivered here.
        if !mailer.uses_smtp()
            && let Err(error) = outbox::deliver_queued(mailer.pool()).await
        {
            tracing::warn!(error = %error, "mail: moving queued mail to the built-in inbox failed, retrying in 1 hour");
        }
        tokio::select! { () = shutdown.cancelled() => {}, () = tokio::time::sleep(SWEEP_INTERVAL) => {} }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_names_no_recipient() {
        let said = "451 4.7.1 <ann@example.org>: Recipient address rejected: greylisted";
        assert_eq!(without_addresses(said), "451 4.7.1 (address) Recipient address rejected: greylisted");
    }

    #[test]
    fn delays_grow_to_a_bound() {
        let within = |attempts, low, high| {
            let seconds = delay_after(attempts).as_secs();
            assert!((low..=high).contains(&seconds), "{attempts}: {seconds}");
        };
        within(1, 12, 18);
        within(2, 24, 36);
        within(5, 192, 288);
        within(20, 11_520, 17_280);
        within(i32::MAX, 11_520, 17_280);
    }
}
