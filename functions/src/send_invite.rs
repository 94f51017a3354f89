//! `send-invite` {email}: an invitation to administer the club.
//!
//! Anybody may have the addresses on the configured list of first admins invited (that is what the /setup-admin page does); an admin
//! anyone. The database grants the role in the transaction that creates the account. What a visitor is answered says nothing
//! about who has an account.

use cloch_mail::Address;
use cloch_sql::caller::{ANON, AUTHENTICATED, SERVICE_ROLE};
use serde::Deserialize;
use serde_json::json;

use crate::limits::{Allowance, Limits, take};
use crate::{Answer, Call, Function, Refusal, auth_api};

/// Invitations to one address in an hour: its owner is not to be flooded.
const PER_RECIPIENT_HOURLY: u32 = 5;

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

/// Notes the invitation and sends what fits the account's state. Without `invited_by` it is an open one.
async fn invite(call: &Call, email: &Address, invited_by: Option<uuid::Uuid>) -> Result<(), Refusal> {
    let mut transaction = call.database().admin().begin().await?;
    take(&mut *transaction, &format!("send-invite/to/{email}"), Allowance::hourly(PER_RECIPIENT_HOURLY)).await?;
    let next = sqlx::query_scalar!(r#"select club.invite_admin($1, $2) as "next!""#, email.as_str(), invited_by)
        .fetch_one(&mut *transaction)
        .await?;
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
