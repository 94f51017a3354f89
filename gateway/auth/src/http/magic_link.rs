//! POST /otp and POST /magiclink: sign-in by a link or code, without a password.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::request::Incoming;
use super::{captcha, min_response_time};
use crate::contact::{self, Contact};
use crate::error::{AuthError, Context, Result};
use crate::flow::mail::send;
use crate::flow::message_request::{CountedRequest, MessageRequest};
use crate::flow::rate_limit::{self, Limit};
use crate::flow::register::{Registration, register};
use crate::flow::{accounts, sms};
use crate::model::audit::{self, Action};
use crate::model::user::{self, User};
use crate::model::{Metadata, flow_state};
use crate::pkce::{Challenge, ChallengeParams};
use crate::state::AuthState;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Params {
    email: String,
    phone: String,
    create_user: Option<bool>,
    data: Metadata,
    channel: String,
    #[serde(flatten)]
    challenge: ChallengeParams,
}

pub(crate) async fn otp(State(state): State<AuthState>, incoming: Incoming) -> Result<Json<Value>> {
    rate_limit::check(&state, Limit::Otp, &incoming.client).await?;
    captcha::check(&state, &incoming).await?;
    let params: Params = incoming.json()?;
    if !params.email.is_empty() && !params.phone.is_empty() {
        return Err(AuthError::validation("Only an email address or phone number should be provided"));
    }
    if !params.email.is_empty() && !params.channel.is_empty() {
        return Err(AuthError::validation("Channel should only be specified with Phone OTP"));
    }
    let challenge = params.challenge.check()?;
    if params.create_user == Some(false) && !is_known(&state, &incoming, &params).await? {
        return Err(AuthError::unprocessable("otp_disabled", "Signups not allowed for otp"));
    }
    match (params.email.is_empty(), params.phone.is_empty()) {
        (false, _) => by_email(&state, &incoming, params, challenge.as_ref()).await,
        (true, false) => by_phone(&state, &incoming, params).await,
        (true, true) => Err(AuthError::validation("One of email or phone must be set")),
    }
}

pub(crate) async fn magic_link(State(state): State<AuthState>, incoming: Incoming) -> Result<Json<Value>> {
    rate_limit::check(&state, Limit::MagicLink, &incoming.client).await?;
    captcha::check(&state, &incoming).await?;
    check_email_enabled(&state)?;
    let params: Params = incoming.json()?;
    if params.email.is_empty() {
        return Err(AuthError::unprocessable("validation_failed", "Password recovery requires an email"));
    }
    contact::email(&params.email)?;
    let challenge = params.challenge.check()?;
    by_email(&state, &incoming, params, challenge.as_ref()).await
}

fn check_email_enabled(state: &AuthState) -> Result<()> {
    if state.settings().email.enable_signup {
        Ok(())
    } else {
        Err(AuthError::unprocessable("email_provider_disabled", "Email logins are disabled"))
    }
}

/// Whether a user has the e-mail address or phone number of the request. For a malformed address or number, returns false.
async fn is_known(state: &AuthState, incoming: &Incoming, params: &Params) -> Result<bool> {
    let aud = incoming.audience();
    let mut connection = state.connection().await?;
    let found = if !params.email.is_empty() {
        let Ok(email) = contact::email(&params.email) else {
            return Ok(false);
        };
        user::by_email(&mut connection, &email, &aud).await
    } else if !params.phone.is_empty() {
        let Ok(phone) = contact::phone(&params.phone) else {
            return Ok(false);
        };
        user::by_phone(&mut connection, &phone, &aud).await
    } else {
        return Ok(true);
    };
    Ok(found.context("Database error finding user")?.is_some())
}

/// Sends a magic link to an e-mail address. If the address has no confirmed account, signs up an account; the link then confirms this
/// account.
async fn by_email(
    state: &AuthState,
    incoming: &Incoming,
    params: Params,
    challenge: Option<&Challenge>,
) -> Result<Json<Value>> {
    check_email_enabled(state)?;
    let email = contact::email(&params.email)?;
    let counted =
        CountedRequest::count(state, MessageRequest::OneTimeCode, &Contact::Email(email.clone()), &incoming.client)
            .await?;
    let begun = Instant::now();
    let sent = send_link(state, incoming, &email, params.data, challenge).await;
    counted.settle(state, sent).await?;
    min_response_time::wait(begun).await;
    Ok(Json(json!({})))
}

async fn send_link(
    state: &AuthState,
    incoming: &Incoming,
    email: &str,
    data: Metadata,
    challenge: Option<&Challenge>,
) -> Result<()> {
    let aud = incoming.audience();
    let find = async || {
        let mut connection = state.connection().await?;
        user::by_email(&mut connection, email, &aud).await.context("Database error finding user")
    };
    let confirmed = find().await?.filter(User::is_confirmed);
    let user = match confirmed {
        Some(user) => user,
        None => {
            sign_up(state, incoming, Contact::Email(email.to_owned()), data, challenge).await?;
            match find().await?.filter(|_| state.settings().email_autoconfirm()) {
                Some(user) => user,
                None => return Ok(()),
            }
        }
    };
    let mut tx = state.begin_sending().await?;
    if let Some(challenge) = challenge {
        flow_state::begin(&mut tx, "magiclink", "magiclink", challenge, user.id).await?;
    }
    audit::by_user(&mut tx, &user, Action::RECOVERY_REQUESTED, "", None).await?;
    let mail = send::MailContext {
        user: &user,
        client: &incoming.client,
        target: &incoming.target(state),
        pkce: challenge.is_some(),
        counted: true,
    };
    send::magic_link(state, &mut tx, &mail).await?;
    tx.commit().await.map_err(AuthError::from)
}

async fn by_phone(state: &AuthState, incoming: &Incoming, params: Params) -> Result<Json<Value>> {
    if !state.settings().sms.enable_signup {
        return Err(AuthError::bad_request("phone_provider_disabled", "Unsupported phone provider"));
    }
    let phone = contact::phone(&params.phone)?;
    sms::check_channel(state.settings(), &params.channel)?;
    let counted =
        CountedRequest::count(state, MessageRequest::OneTimeCode, &Contact::Phone(phone.clone()), &incoming.client)
            .await?;
    let begun = Instant::now();
    let sent = send_text(state, incoming, &phone, params).await;
    let message_id = counted.settle(state, sent).await?;
    min_response_time::wait(begun).await;
    Ok(super::message_id::message_id(message_id))
}

async fn send_text(
    state: &AuthState,
    incoming: &Incoming,
    phone: &str,
    params: Params,
) -> Result<Option<&'static str>> {
    let aud = incoming.audience();
    let find = async || {
        let mut connection = state.connection().await?;
        user::by_phone(&mut connection, phone, &aud).await.context("Database error finding user")
    };
    let confirmed = find().await?.filter(User::is_phone_confirmed);
    let user = match confirmed {
        Some(user) => user,
        None => {
            sign_up(state, incoming, Contact::Phone(phone.to_owned()), params.data, None).await?;
            match find().await?.filter(|_| state.settings().phone_autoconfirm()) {
                Some(user) => user,
                None => return Ok(None),
            }
        }
    };
    let channel = if params.channel.is_empty() { "sms" } else { &params.channel };
    let mut tx = state.begin_sending().await?;
    audit::by_user(&mut tx, &user, Action::RECOVERY_REQUESTED, "", Some(json!({ "channel": channel }))).await?;
    let purpose = sms::Purpose::Confirmation;
    let code = sms::CodeMessage { state, user: &user, phone, purpose, client: &incoming.client };
    let message_id = code.send_counted(&mut tx).await?;
    tx.commit().await?;
    Ok(message_id)
}

async fn sign_up(
    state: &AuthState,
    incoming: &Incoming,
    contact: Contact,
    data: Metadata,
    challenge: Option<&Challenge>,
) -> Result<()> {
    accounts::check_open(state)?;
    let registration = Registration {
        contact,
        password: None,
        data,
        challenge,
        aud: &incoming.audience(),
        target: &incoming.target(state),
        client: &incoming.client,
    };
    register(state, registration).await.map(drop)
}
