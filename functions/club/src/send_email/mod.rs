//! `send-email` {to, subject, message, name, attachments}: sends the mails of the website's forms and of the administrators' export.
//!
//! A visitor (a caller without a session) may write only to the configured addresses of the club, so the function is no open relay. An administrator
//! may write to any address. The message is queued in the same transaction that counts the message for the rate limit.
//!
//! With `submission`, the call sends the mail that the database has queued for a stored record. The server composes this mail from the
//! record, so that the club reads what is stored. Only the recipients in the call are checked; the text in the call is not used.

mod attachments;
mod input;

use std::sync::Arc;

use cloch_core::workers::Workers;
use cloch_functions::limits::{Limits, RateLimit, take};
use cloch_functions::{Call, Function, FunctionError, FunctionResponse};
use cloch_mail::{Address, Message};
use cloch_sql::caller::{ANON, AUTHENTICATED, SERVICE_ROLE};
use http::StatusCode;
use serde_json::json;
use uuid::Uuid;

use crate::admin::is_admin;
use crate::email_html;
use crate::mail_jobs;
use crate::settings::{Options, Recipients};

pub(crate) use input::Input;
use input::Letter;

/// Maximum size in bytes of a message from a visitor (a caller without a session): ten times the size of the longest form.
const MAX_VISITOR_MESSAGE_BYTES: usize = 100_000;
/// Maximum size in bytes of a message from an administrator: enough for the export of all submissions.
const MAX_ADMIN_MESSAGE_BYTES: usize = 1_000_000;
/// Default limit on the messages per hour of all administrators together. Messages of other callers are limited by the limits on calls.
const DEFAULT_MAILS_HOURLY: u32 = 200;
/// Maximum number of messages per hour that callers without a session may send from one network (an IPv4 address or an IPv6 /64). Mails of
/// stored records are not counted. The number of records per network has its own limit, and all pupils of a class may use the same network.
const VISITOR_MESSAGES_HOURLY: u32 = 20;

pub(crate) struct SendEmail {
    pub(crate) options: Options,
    /// Worker threads that sanitise the HTML of messages.
    pub(crate) html: Workers,
    /// Addresses for the mails of stored records.
    pub(crate) recipients: Arc<Recipients>,
}

impl Function for SendEmail {
    type Input = Input;

    fn name(&self) -> &'static str {
        "send-email"
    }

    fn roles(&self) -> &'static [&'static str] {
        &[ANON, AUTHENTICATED, SERVICE_ROLE]
    }

    fn limits(&self) -> Limits {
        Limits {
            body_bytes: 2 * 1024 * 1024,
            per_address_hourly: Some(320),
            visitors_hourly: Some(2000),
            ..Limits::default()
        }
    }

    async fn call(&self, call: Call, input: Input) -> Result<FunctionResponse, FunctionError> {
        let mut letter = Letter::parse(input)?;
        let is_admin = is_admin(&call).await?;
        if !is_admin {
            let own = if letter.submission.is_some() { self.recipients.all() } else { Vec::new() };
            only_listed(&letter.to, &self.options.allowed_recipients, &own)?;
        }
        if let Some(key) = letter.submission {
            let id = mail_jobs::announce(call.shared_services(), Arc::clone(&self.recipients), key).await?;
            return Ok(FunctionResponse::Json(json!({ "success": true, "queued": true, "id": id })));
        }
        if call.caller().role() == ANON {
            let subject = format!("send-email/messages/{}", call.network());
            take(call.database().admin(), &subject, RateLimit::hourly(VISITOR_MESSAGES_HOURLY)).await?;
        }
        let html = clean(&self.html, std::mem::take(&mut letter.message), is_admin).await?;
        let attached =
            attachments::gather(&call, self.options.attachment_bucket.as_deref(), &letter.attachments, is_admin)
                .await?;
        let (note, sender) = (attached.note(), call.caller().user_id());
        let message = self.html.run(move || compose(letter, html, &note, sender)).await??;
        let message = attached.files.into_iter().fold(message, Message::with_attachment);

        let mut transaction = cloch_sql::transaction::begin(call.database().admin()).await?;
        if is_admin {
            let hourly = RateLimit::hourly(self.options.mails_hourly.unwrap_or(DEFAULT_MAILS_HOURLY));
            take(&mut *transaction, "send-email/mails", hourly).await?;
        }
        let id = call.mailer().queue(&mut *transaction, &message).await?;
        transaction.commit().await?;
        Ok(FunctionResponse::Json(json!({ "success": true, "queued": true, "id": id })))
    }
}

/// Returns an error if a recipient is in neither of two lists: `listed`, the configured list, and `own`, additional addresses that this
/// call may write to. Not called for administrators.
fn only_listed(to: &[Address], listed: &[Address], own: &[Address]) -> Result<(), FunctionError> {
    let is_listed = |address: &Address| listed.iter().chain(own).any(|other| other.is_same(address));
    match to.iter().all(is_listed) {
        true => Ok(()),
        false => Err(FunctionError::forbidden("Messages can be sent to the club only")),
    }
}

/// Sanitises the HTML of the message on a worker thread.
async fn clean(html: &Workers, message: String, is_admin: bool) -> Result<String, FunctionError> {
    let max_bytes = if is_admin { MAX_ADMIN_MESSAGE_BYTES } else { MAX_VISITOR_MESSAGE_BYTES };
    if message.len() > max_bytes {
        let message = format!("message: at most {} KB", max_bytes / 1000);
        return Err(FunctionError::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message));
    }
    let cleaned = html.run(move || email_html::clean(&message)).await??;
    cleaned.ok_or_else(|| FunctionError::bad_input("message: must not be empty"))
}

/// Composes the mail. The function is CPU-intensive, because the plain text part is generated from the HTML.
fn compose(letter: Letter, html: String, note: &str, sender: Option<Uuid>) -> Result<Message, FunctionError> {
    let mut body = html;
    body.push_str(note);
    if let Some(name) = &letter.name {
        body.push_str(&format!(
            "\n<hr><p><small>Sent through the website by {}.</small></p>",
            email_html::escape(name)
        ));
    }
    let html = email_html::document(&letter.subject, &body);
    let message = Message::new("send-email", letter.to, &letter.subject, html)?.requested_by(sender);
    Ok(match letter.reply_to {
        Some(address) => message.with_reply_to(address),
        None => message,
    })
}
