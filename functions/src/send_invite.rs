//! `send-invite` {email}: an invitation to administer the club.
//!
//! Anybody may have the addresses on the configured list of first admins invited (that is what the /setup-admin page does); an admin
//! anyone. The database grants the role in the transaction that creates the account. What a visitor is answered says nothing
//! about who has an account.

use std::time::Duration;

use cloch_mail::Address;
use cloch_sql::caller::{ANON, AUTHENTICATED, SERVICE_ROLE};
use serde::Deserialize;
use serde_json::json;
use sqlx::PgConnection;

use crate::limits::{Allowance, Limits, take};
use crate::{Answer, Call, Function, Refusal, auth_api};

/// Invitations to one address in an hour: its owner is not to be flooded.
const PER_RECIPIENT_HOURLY: u32 = 5;

/// How long the auth API's links work where nothing is said.
const INVITATION_LIFE: Duration = Duration::from_hours(1);

/// See the module.
pub(crate) struct SendInvite;

/// `{email}`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    email: String,
}

impl Function for SendInvite {
    type Input = Input;

    fn name(&self) -> &'static str {
        "send-invite"
    }

    fn roles(&self) -> &'static [&'static str] {
        &[ANON, AUTHENTICATED, SERVICE_ROLE]
    }

    fn limits(&self) -> Limits {
        Limits {
            body_bytes: 4096,
            per_address_hourly: Some(10),
            visitors_hourly: Some(60),
            per_user_hourly: Some(100),
            ..Limits::default()
        }
    }

    async fn call(&self, call: Call, input: Input) -> Result<Answer, Refusal> {
        let email: Address = input.email.to_lowercase().parse()?;
        let is_admin = call.is_admin().await?;
        let is_first = call.options().first_admins.iter().any(|first| first.is_same(&email));
        if !is_admin && !is_first {
            return Err(Refusal::forbidden("Only an administrator may invite"));
        }
        let invited_by = if is_admin { call.caller().user_id().or(Some(uuid::Uuid::nil())) } else { None };
        invite(&call, &email, invited_by).await?;
        Ok(Answer::Json(json!({ "success": true, "message": "The invitation has been sent." })))
    }
}

/// Notes the invitation and sends what fits the account's state. Without `invited_by` it is an open one: whoever asks for it may be
/// anybody, so a link on its way is sent once more, and not replaced by another that would end it.
async fn invite(call: &Call, email: &Address, invited_by: Option<uuid::Uuid>) -> Result<(), Refusal> {
    // Visitors do not use up what admins may send.
    let counted = if invited_by.is_some() { "to" } else { "open" };
    let mut transaction = call.database().admin().begin().await?;
    take(&mut *transaction, &format!("send-invite/{counted}/{email}"), Allowance::hourly(PER_RECIPIENT_HOURLY)).await?;
    let next = sqlx::query_scalar!(r#"select club.invite_admin($1, $2) as "next!""#, email.as_str(), invited_by)
        .fetch_one(&mut *transaction)
        .await?;
    if next == "invite"
        && invited_by.is_none()
        && let Some(mail) = pending_mail(call, &mut transaction, email).await?
    {
        call.mailer().repeat(&mut *transaction, mail).await?;
        return Ok(transaction.commit().await?);
    }
    transaction.commit().await?;
    let page = call.options().redirect_to.as_deref().unwrap_or("/auth");
    let redirect_to = call.services().site_url.join(page).map_err(|error| Refusal::internal(&error))?;
    match next.as_str() {
        "invite" => match auth_api::invite(call, email, redirect_to.as_str()).await {
            // Of two invitations at once one creates the account, and the other finds it when it asks again.
            Err(refusal) if refusal.is_dependency() => auth_api::invite(call, email, redirect_to.as_str()).await,
            outcome => outcome,
        },
        "admin" => auth_api::recover(call, email, redirect_to.as_str()).await,
        // A removed admin whom only an admin may invite again: answered like the others.
        _ => Ok(()),
    }
}

/// The mail with the invitation whose link works: the account's token is the one that was sent with it, and has not run out.
async fn pending_mail(
    call: &Call,
    transaction: &mut PgConnection,
    email: &Address,
) -> Result<Option<uuid::Uuid>, Refusal> {
    let life = call.services().settings.invitation_life.unwrap_or(INVITATION_LIFE);
    let seconds = i32::try_from(life.as_secs()).unwrap_or(i32::MAX);
    let mail = sqlx::query_scalar(
        "select mail.id
           from auth.users as account
           join cloch.mail_outbox as mail
             on mail.kind = 'invite' and mail.recipients = array[account.email::text]
            and mail.created_at >= account.confirmation_sent_at - interval '10 seconds'
          where lower(account.email) = $1 and account.email_confirmed_at is null
            and account.confirmation_sent_at > now() - make_interval(secs => $2)
          order by mail.created_at
          limit 1",
    )
    .bind(email.as_str())
    .bind(seconds)
    .fetch_optional(transaction)
    .await?;
    Ok(mail)
}
