//! `send-guest-email` {guestName, guestEmail, guestStatus, customMessage, generateOnly}: sends letters to invited guests. Only
//! administrators may call the function.
//!
//! With `generateOnly`, the function returns a draft, which the administrator edits. Otherwise the function sends `customMessage` with the
//! configured subject and records the letter in `guest_letters`. The guest's name and address are never sent to the language model, because
//! a name could contain instructions to the model. Drafts contain a placeholder instead of the name.

mod draft;
mod events;
mod input;
mod letter;
mod model;
mod prompt;
mod template;

use cloch_core::workers::Workers;
use cloch_functions::limits::{Limits, RateLimit, take};
use cloch_functions::{Call, Function, FunctionError, FunctionResponse};
use cloch_mail::{Address, Message};
use cloch_sql::caller::{AUTHENTICATED, SERVICE_ROLE};
use http::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::admin::require_admin;
use crate::email_html;
use crate::settings::{Ai, Options};

pub(crate) use input::Input;
use input::{Guest, Task};

const DEFAULT_SUBJECT: &str = "Following up on your invitation";
const DEFAULT_CLUB: &str = "the club";
/// Default rate limit: number of letters per hour of all administrators together.
const DEFAULT_MAILS_HOURLY: u32 = 300;

pub(crate) struct SendGuestEmail {
    pub(crate) options: Options,
    pub(crate) ai: Ai,
    /// Worker threads that sanitise the HTML of letters.
    pub(crate) html: Workers,
}

impl Function for SendGuestEmail {
    type Input = Input;

    fn name(&self) -> &'static str {
        "send-guest-email"
    }

    fn roles(&self) -> &'static [&'static str] {
        &[AUTHENTICATED, SERVICE_ROLE]
    }

    fn limits(&self) -> Limits {
        Limits { timeout: std::time::Duration::from_secs(60), ..Limits::default() }
    }

    async fn call(&self, call: Call, input: Input) -> Result<FunctionResponse, FunctionError> {
        require_admin(&call).await?;
        let (guest, task) = input.parse()?;
        match task {
            Task::Draft => draft::answer(self, &call, guest).await,
            Task::Send(text) => self.send(&call, guest, text).await,
        }
    }
}

impl SendGuestEmail {
    async fn send(&self, call: &Call, guest: Guest, text: String) -> Result<FunctionResponse, FunctionError> {
        let address = guest.address()?;
        let subject = self.subject().to_owned();
        let (name, to, title) = (guest.name.clone(), address.clone(), subject.clone());
        let (message, plain) = self.html.run(move || compose(&text, &name, to, &title)).await??;
        let message = message.requested_by(call.caller().user_id());
        let (guest_id, unlinked) = match guest_id(call, guest.written_address()).await {
            Ok(id) => (id, None),
            Err(error) => (None, Some(error.without_url())),
        };

        let mut transaction = cloch_sql::transaction::begin(call.database().admin()).await?;
        let hourly = RateLimit::hourly(self.options.mails_hourly.unwrap_or(DEFAULT_MAILS_HOURLY));
        take(&mut *transaction, "send-guest-email/mails", hourly).await?;
        let id = call.mailer().queue(&mut *transaction, &message).await?;
        sqlx::query!(
            "insert into public.guest_letters (guest_id, guest_name, email, subject, message, sent_by)
             values ((select id from public.invited_guests where id = $1), $2, $3, $4, $5, $6)",
            guest_id,
            guest.name,
            address.as_str(),
            subject,
            plain,
            call.caller().user_id(),
        )
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        if let Some(error) = unlinked {
            tracing::warn!(
                %error,
                mail.id = %id,
                "club: reading table invited_guests failed, the letter is sent but its row in guest_letters is not linked to the guest"
            );
        }
        Ok(FunctionResponse::Json(json!({ "success": true, "queued": true, "id": id })))
    }

    fn subject(&self) -> &str {
        self.options.subject.as_deref().unwrap_or(DEFAULT_SUBJECT)
    }

    fn club(&self) -> &str {
        self.options.club.as_deref().unwrap_or(DEFAULT_CLUB)
    }
}

/// Composes the mail of a letter. Returns the mail, and the letter's plain text for the list of letters. The function is CPU-intensive.
fn compose(text: &str, name: &str, to: Address, subject: &str) -> Result<(Message, String), FunctionError> {
    let body = letter::to_html(text, name)?;
    let message = Message::new("send-guest-email", [to], subject, email_html::document(subject, &body))?;
    Ok((message, cloch_mail::text_from_html(&body)))
}

/// Returns the id of the guest with this address in the guest list, read with the caller's privileges. Returns `None` if no guest has the address or
/// the caller may not read the guest list; the letter is sent in any case.
async fn guest_id(call: &Call, address: &str) -> reqwest::Result<Option<Uuid>> {
    let request = call.rest(Method::GET, "invited_guests");
    let list = request.query(&[("select", "id"), ("email", &format!("eq.{address}")), ("limit", "1")]).send().await;
    let rows: Vec<Value> = serde_json::from_str(&list?.text().await?).unwrap_or_default();
    Ok(rows.first().and_then(|row| row.get("id")?.as_str()?.parse().ok()))
}
