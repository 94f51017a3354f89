//! `send-email` {to, subject, message, name, attachments}: the site's forms, and the admins' export.
//!
//! A visitor may write to the club's configured addresses and nobody else, so this is no open relay; an admin to anyone. The message
//! is queued in the transaction that counts it.

mod attachments;
mod input;

use cloch_mail::{Address, Message};
use cloch_sql::caller::{ANON, AUTHENTICATED, SERVICE_ROLE};
use http::StatusCode;
use serde_json::json;
use uuid::Uuid;

use crate::limits::{Allowance, Limits, take};
use crate::{Answer, Call, Function, Refusal, email_html};

pub(crate) use input::Input;
use input::Letter;

/// Bytes of a visitor's message: the longest form's is a tenth of it.
const VISITOR_MESSAGE_BYTES: usize = 100_000;
/// Bytes of an admin's message: the export of all submissions.
const ADMIN_MESSAGE_BYTES: usize = 1_000_000;
/// Messages of all admins together in an hour, unless the configuration says otherwise. Visitors' are counted as calls.
const MAILS_HOURLY: u32 = 200;

/// See the module.
pub(crate) struct SendEmail;

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
            per_address_hourly: Some(20),
            visitors_hourly: Some(2000),
            ..Limits::default()
        }
    }

    async fn call(&self, call: Call, input: Input) -> Result<Answer, Refusal> {
        let mut letter = Letter::parse(input)?;
        let is_admin = call.is_admin().await?;
        if !is_admin {
            only_listed(&letter.to, &call.options().allowed_recipients)?;
        }
        let html = clean(&call, std::mem::take(&mut letter.message), is_admin).await?;
        let attached = attachments::gather(&call, &letter.attachments, is_admin).await?;
        let (note, sender) = (attached.note(), call.caller().user_id());
        let message = call.state.html.run(move || compose(letter, html, &note, sender)).await??;
        let message = attached.files.into_iter().fold(message, Message::with_attachment);

        let mut transaction = call.database().admin().begin().await?;
        if is_admin {
            let hourly = Allowance::hourly(call.options().mails_hourly.unwrap_or(MAILS_HOURLY));
            take(&mut *transaction, "send-email/mails", hourly).await?;
        }
        let id = call.mailer().queue(&mut *transaction, &message).await?;
        transaction.commit().await?;
        Ok(Answer::Json(json!({ "success": true, "queued": true, "id": id })))
    }
}

/// Who is no admin writes to the club.
fn only_listed(to: &[Address], listed: &[Address]) -> Result<(), Refusal> {
    let is_listed = |address: &Address| listed.iter().any(|other| other.is_same(address));
    match to.iter().all(is_listed) {
        true => Ok(()),
        false => Err(Refusal::forbidden("Messages can be sent to the club only")),
    }
}

/// The message's HTML as a mail may have it.
async fn clean(call: &Call, message: String, is_admin: bool) -> Result<String, Refusal> {
    let max_bytes = if is_admin { ADMIN_MESSAGE_BYTES } else { VISITOR_MESSAGE_BYTES };
    if message.len() > max_bytes {
        let message = format!("message: at most {} KB", max_bytes / 1000);
        return Err(Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message));
    }
    let html = call.state.html.run(move || email_html::clean(&message)).await??;
    html.ok_or_else(|| Refusal::bad_input("message: must not be empty"))
}

/// The mail around a cleaned body. A computation: its text part is made from its HTML.
fn compose(letter: Letter, html: String, note: &str, sender: Option<Uuid>) -> Result<Message, Refusal> {
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
