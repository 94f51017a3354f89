//! POST /resend: the pending confirmation once more.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};
use sqlx::PgConnection;
use tokio::time::Instant;

use super::error::{AuthError, Doing, Result};
use super::limits::{self, Limit};
use super::mail::send;
use super::models::audit::{self, Action};
use super::models::flow_state;
use super::models::user::{self, User};
use super::pkce::{Challenge, ChallengeParams};
use super::request::Incoming;
use super::state::AuthState;
use super::{address, captcha, pace, sms};

#[derive(Default, Deserialize)]
#[serde(default)]
struct Params {
    r#type: String,
    email: String,
    phone: String,
    #[serde(flatten)]
    challenge: ChallengeParams,
}

/// Says nothing about whether anything was pending.
pub(crate) async fn resend(State(state): State<AuthState>, incoming: Incoming) -> Result<Json<Value>> {
    limits::check(&state, Limit::Resend, &incoming.client).await?;
    captcha::check(&state, &incoming).await?;
    let params: Params = incoming.json()?;
    let challenge = check_type(&params)?;
    let begun = Instant::now();
    let mut tx = state.begin().await?;
    let Some(user) = find(&state, &mut tx, &params, &incoming.audience()).await? else {
        drop(tx);
        pace::even_out(begun).await;
        return Ok(Json(json!({})));
    };
    let message_id = send_again(&state, &mut tx, &user, &params, challenge.as_ref(), &incoming).await?;
    tx.commit().await?;
    pace::even_out(begun).await;
    Ok(super::message_id(message_id))
}

fn check_type(params: &Params) -> Result<Option<Challenge>> {
    let challenge = match params.r#type.as_str() {
        "signup" | "email_change" => params.challenge.check()?,
        "sms" | "phone_change" => None,
        _ => {
            return Err(AuthError::validation("Missing one of these types: signup, email_change, sms, phone_change"));
        }
    };
    let why = match (params.r#type.as_str(), params.email.is_empty(), params.phone.is_empty()) {
        ("signup", true, _) => "Type provided requires an email address",
        ("sms", _, true) => "Type provided requires a phone number",
        (_, false, false) => "Only an email address or phone number should be provided.",
        (_, true, true) => "Missing email address or phone number",
        // A pending change is found by either of the user's own addresses.
        _ => return Ok(challenge),
    };
    Err(AuthError::validation(why))
}

async fn find(state: &AuthState, tx: &mut PgConnection, params: &Params, aud: &str) -> Result<Option<User>> {
    let found = if params.email.is_empty() {
        if !state.settings().sms.enable_signup {
            return Err(AuthError::bad_request("phone_provider_disabled", "Phone logins are disabled"));
        }
        user::by_phone(tx, &address::phone(&params.phone)?, aud).await
    } else {
        if !state.settings().email.enable_signup {
            return Err(AuthError::bad_request("email_provider_disabled", "Email logins are disabled"));
        }
        user::by_email(tx, &address::email(&params.email)?, aud).await
    };
    found.doing("Unable to process request")
}

async fn send_again(
    state: &AuthState,
    tx: &mut PgConnection,
    user: &User,
    params: &Params,
    challenge: Option<&Challenge>,
    incoming: &Incoming,
) -> Result<Option<&'static str>> {
    let target = incoming.target(state);
    let occasion = send::Occasion { user, client: &incoming.client, target: &target, pkce: challenge.is_some() };
    match params.r#type.as_str() {
        "signup" if !user.is_confirmed() => {
            audit::by_user(tx, user, Action::CONFIRMATION_REQUESTED, "", None).await?;
            if let Some(challenge) = challenge {
                flow_state::begin(tx, "email/signup", "email/signup", challenge, user.id).await?;
            }
            send::confirmation(state, tx, &occasion).await?;
            Ok(None)
        }
        "email_change" if !user.email_change.is_empty() => {
            if let Some(challenge) = challenge {
                flow_state::begin(tx, "email_change", "email_change", challenge, user.id).await?;
            }
            send::email_change(state, tx, &occasion, &user.email_change).await?;
            Ok(None)
        }
        "sms" if !user.is_phone_confirmed() => {
            audit::by_user(tx, user, Action::RECOVERY_REQUESTED, "", None).await?;
            sms::send(state, tx, user, &user.phone, sms::Purpose::Confirmation, &incoming.client).await
        }
        "phone_change" if !user.phone_change.is_empty() => {
            sms::send(state, tx, user, &user.phone_change, sms::Purpose::Change, &incoming.client).await
        }
        _ => Ok(None),
    }
}
