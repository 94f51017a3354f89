//! Composes the mail that informs an entrant about the new state of the entry: shortlisted, invited, winner or thanked. PostgreSQL fills in
//! the template, so that the mail is the same as the preview that the administrator saw.

use cloch_functions::FunctionError;
use cloch_mail::{Address, Message};

use super::{Job, Writer};
use crate::email_html;

/// Whether a job of this kind writes a mail about the new state of an entry.
pub(super) fn is_state(kind: &str) -> bool {
    matches!(kind, "shortlisted" | "invited" | "winner" | "thanked")
}

/// Error message of a job whose entry has an address to which no mail can be sent. The address check of the entry form accepts such
/// addresses, but `send_state_mails` refuses most of them before a job exists.
const NO_ADDRESS: &str = "No mail can be sent to the address of this entry. Correct the address.";

#[derive(Debug, sqlx::FromRow)]
struct StateMail {
    address: String,
    subject: String,
    body: String,
}

/// Composes the mail of a job. Returns `None` if the entry was withdrawn or deleted after the mail was requested.
pub(super) async fn message(writer: &Writer, job: &Job) -> Result<Option<Message>, FunctionError> {
    let mail: Option<StateMail> = sqlx::query_as("select address, subject, body from club.state_mail($1, $2, $3)")
        .bind(&job.award)
        .bind(job.entry)
        .bind(&job.kind)
        .fetch_optional(writer.services.database.admin())
        .await?;
    let Some(mail) = mail else { return Ok(None) };
    // With status 400, the worker does not retry the job, because a later attempt would fail in the same way.
    let to = mail.address.parse::<Address>().map_err(|_| FunctionError::bad_input(NO_ADDRESS))?;
    let club = writer.recipients.club_email.as_ref().or(writer.recipients.awards_email.as_ref());
    let club = club.ok_or_else(|| FunctionError::internal(&"cloch.toml: web.settings.clubEmail is not set"))?;
    let html = email_html::document(&mail.subject, &email_html::paragraphs(&mail.body));
    Ok(Some(Message::new(job.kind.as_str(), [to], &mail.subject, html)?.with_reply_to(club.clone())))
}
