//! Composes the mails that an administrator sends with a template: the mail that informs an entrant about the new state of the entry (shortlisted,
//! invited, winner or thanked), and reminders before the last day for entries. PostgreSQL fills in the template, so that the mail is the same
//! as the preview that the administrator saw.

use cloch_functions::FunctionError;
use cloch_mail::{Address, Message};

use super::{Job, Writer};
use crate::email_html;

/// Kind of the job of a reminder. `Job::entry` is then the id of a row of `club.reminder_mails`.
const REMINDER: &str = "reminder";

/// Whether a job of this kind writes a mail with a template.
pub(super) fn has_template(kind: &str) -> bool {
    matches!(kind, "shortlisted" | "invited" | "winner" | "thanked" | REMINDER)
}

/// Error message of a job whose recipient has an address to which no mail can be sent. The address checks of the forms accept such
/// addresses, but `send_state_mails` and `send_reminders` refuse most of them before a job exists.
const NO_ADDRESS: &str = "No mail can be sent to this address. Correct the address.";

#[derive(Debug, sqlx::FromRow)]
struct FilledMail {
    address: String,
    subject: String,
    body: String,
}

/// Composes the mail of a job. Returns `None` if the reason for the mail no longer exists: the entry was withdrawn or deleted after the
/// mail was requested; for a reminder, also if entries have closed or the missing items have arrived.
pub(super) async fn message(writer: &Writer, job: &Job) -> Result<Option<Message>, FunctionError> {
    let Some(mail) = filled(writer, job).await? else { return Ok(None) };
    // With status 400, the worker does not retry the job, because a later attempt would fail in the same way.
    let to = mail.address.parse::<Address>().map_err(|_| FunctionError::bad_input(NO_ADDRESS))?;
    let club = writer.recipients.reply_to()?;
    let html = email_html::document(&mail.subject, &email_html::paragraphs(&mail.body));
    Ok(Some(Message::new(job.kind.as_str(), [to], &mail.subject, html)?.with_reply_to(club.clone())))
}

async fn filled(writer: &Writer, job: &Job) -> sqlx::Result<Option<FilledMail>> {
    let pool = writer.services.database.admin();
    let query = match job.kind.as_str() {
        REMINDER => sqlx::query_as("select address, subject, body from club.reminder_mail($1)").bind(job.entry),
        state => sqlx::query_as("select address, subject, body from club.state_mail($1, $2, $3)")
            .bind(&job.award)
            .bind(job.entry)
            .bind(state),
    };
    query.fetch_optional(pool).await
}
