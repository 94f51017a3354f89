//! `send-email` {to, subject, message, name, attachments}: the site's forms, and the admins' export.
//!
//! A visitor may write to the club's configured addresses and nobody else, so this is no open relay; an admin to anyone. The message
//! is queued in the transaction that counts it.

mod attachments;
mod input;

use cloch_mail::{Address, Message};
use cloch_sql::caller::{ANON, AUTHENTICATED, SERVICE_ROLE};
use serde_json::json;

use crate::limits::{Allowance, Limits, take};
use crate::{Answer, Call, Function, Refusal, email_html};

use attachments::Attached;
pub(crate) use input::Input;
use input::Letter;

/// Messages of everybody together in an hour, unless the configuration says otherwise.
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
        // An admin's export of all submissions is the largest message.
        Limits { body_bytes: 2 * 1024 * 1024, per_address_hourly: 20, visitors_hourly: 300, ..Limits::default() }
    }

    async fn call(&self, call: Call, input: Input) -> Result<Answer, Refusal> {
        let letter = Letter::parse(input)?;
        let is_admin = call.is_admin().await?;
        if !is_admin {
            only_listed(&letter.to, &call.options().allowed_recipients)?;
        }
        let attached = attachments::gather(&call, &letter.attachments, is_admin).await?;
        let message = compose(&call, letter, attached)?;

        let mut transaction = call.database().admin().begin().await?;
        let hourly = Allowance::hourly(call.options().mails_hourly.unwrap_or(MAILS_HOURLY));
        take(&mut *transaction, "send-email/mails", hourly).await?;
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

fn compose(call: &Call, letter: Letter, attached: Attached) -> Result<Message, Refusal> {
    let mut body = letter.html;
    body.push_str(&attached.note());
    if let Some(name) = &letter.name {
        body.push_str(&format!(
            "\n<hr><p><small>Sent through the website by {}.</small></p>",
            email_html::escape(name)
        ));
    }
    let html = email_html::document(&letter.subject, &body);
    let mut message =
        Message::new("send-email", letter.to, &letter.subject, html)?.requested_by(call.caller().user_id());
    if let Some(address) = letter.reply_to {
        message = message.with_reply_to(address);
    }
    Ok(attached.files.into_iter().fold(message, Message::with_attachment))
}
