//! `send-invite` {email}: invites a person to become an administrator of the club.
//!
//! Anyone may request an invitation to an address on the configured list of first administrators. The page /setup-admin does this. An
//! administrator may invite any address. The database grants the administrator role in the transaction that creates the account. The
//! response does not reveal whether an account exists.

use std::time::Duration;

use cloch_functions::limits::{Limits, RateLimit, take};
use cloch_functions::{Call, Function, FunctionError, FunctionResponse};
use cloch_mail::Address;
use cloch_sql::caller::{ANON, AUTHENTICATED, SERVICE_ROLE};
use http::StatusCode;
use serde::Deserialize;
use serde_json::json;
use sqlx::PgConnection;

use crate::admin::is_admin;
use crate::auth_api;
use crate::settings::Options;

/// Maximum number of invitations to one address per hour, so that the owner of the address does not receive too many mails.
const INVITATIONS_PER_ADDRESS_HOURLY: u32 = 5;

pub(crate) struct SendInvite {
    pub(crate) options: Options,
    /// Lifetime of the link in an invitation.
    pub(crate) invitation_expiry: Duration,
}

/// Request body of `send-invite`: `{email}`.
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

    async fn call(&self, call: Call, input: Input) -> Result<FunctionResponse, FunctionError> {
        let email: Address = input.email.to_lowercase().parse()?;
        let is_admin = is_admin(&call).await?;
        let is_first = self.options.first_admins.iter().any(|first| first.is_same(&email));
        if !is_admin && !is_first {
            return Err(FunctionError::forbidden("Only an administrator may invite"));
        }
        let invited_by = if is_admin { call.caller().user_id().or(Some(uuid::Uuid::nil())) } else { None };
        self.invite(&call, &email, invited_by).await?;
        Ok(FunctionResponse::Json(json!({ "success": true, "message": "The invitation has been sent." })))
    }
}

impl SendInvite {
    /// Records the invitation and sends a mail. If the account belongs to an administrator with a confirmed address, the mail contains a
    /// link to set a new password; otherwise it is an invitation. If `invited_by` is `None`, the caller may be anyone. In this case the
    /// mail of a pending invitation is sent again, because a new invitation would invalidate the pending link.
    async fn invite(&self, call: &Call, email: &Address, invited_by: Option<uuid::Uuid>) -> Result<(), FunctionError> {
        // Count invitations by administrators separately, so that other callers cannot use up the limit of administrators.
        let counted = if invited_by.is_some() { "to" } else { "open" };
        let mut transaction = cloch_sql::transaction::begin(call.database().admin()).await?;
        take(
            &mut *transaction,
            &format!("send-invite/{counted}/{email}"),
            RateLimit::hourly(INVITATIONS_PER_ADDRESS_HOURLY),
        )
        .await?;
        let next = sqlx::query_scalar!(r#"select club.invite_admin($1, $2) as "next!""#, email.as_str(), invited_by)
            .fetch_one(&mut *transaction)
            .await?;
        if next == "invite"
            && invited_by.is_none()
            && let Some(mail) = pending_mail(&mut transaction, email, self.invitation_expiry).await?
        {
            call.mailer().repeat(&mut transaction, mail).await?;
            return Ok(transaction.commit().await?);
        }
        transaction.commit().await?;
        let page = self.options.redirect_to.as_deref().unwrap_or("/auth");
        let redirect_to = call.services().site_url.join(page).map_err(|error| FunctionError::internal(&error))?;
        match next.as_str() {
            "invite" => match auth_api::invite(call, email, redirect_to.as_str()).await {
                // If two invitations run concurrently, one of them creates the account and the other one fails. Retrying the failed invitation finds
                // the account.
                Err(error) if error.status() == StatusCode::BAD_GATEWAY => {
                    auth_api::invite(call, email, redirect_to.as_str()).await
                }
                outcome => outcome,
            },
            "admin" => auth_api::recover(call, email, redirect_to.as_str()).await,
            // Only an administrator may invite a removed administrator again. The response is the same as for other addresses.
            _ => Ok(()),
        }
    }
}

/// Returns the id of the mail of a pending invitation if its link is still valid. The link is valid if the mail contains the current token
/// of the account, and the token has not expired. Otherwise returns `None`.
async fn pending_mail(
    transaction: &mut PgConnection,
    email: &Address,
    expiry: Duration,
) -> Result<Option<uuid::Uuid>, FunctionError> {
    let seconds = i32::try_from(expiry.as_secs()).unwrap_or(i32::MAX);
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
