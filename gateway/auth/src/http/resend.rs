//! POST /resend: sends the confirmation of a sign-up or of an address change again.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::Value;
use sqlx::PgConnection;
use tokio::time::Instant;

use super::request::Incoming;
use super::{captcha, min_response_time};
use crate::contact::{self, Contact};
use crate::error::{AuthError, Context, Result};
use crate::flow::mail::send;
use crate::flow::message_request::{CountedRequest, MessageRequest};
use crate::flow::rate_limit::{self, Limit};
use crate::flow::sms;
use crate::model::audit::{self, Action};
use crate::model::flow_state;
use crate::model::one_time_token::{self, Kind};
use crate::model::user::{self, User};
use crate::pkce::{Challenge, ChallengeParams};
use crate::state::AuthState;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Params {
    r#type: String,
    email: String,
    phone: String,
    #[serde(flatten)]
    challenge: ChallengeParams,
}

/// Sends a confirmation again if the user has not used its link or code yet. The response is the same whether a confirmation is pending or
/// not.
pub(crate) async fn resend(State(state): State<AuthState>, incoming: Incoming) -> Result<Json<Value>> {
    rate_limit::check(&state, Limit::Resend, &incoming.client).await?;
    captcha::check(&state, &incoming).await?;
    let params: Params = incoming.json()?;
    let challenge = check_type(&params)?;
    let contact = contact(&state, &params)?;
    let asking = if params.r#type.ends_with("_change") { MessageRequest::Change } else { MessageRequest::SignUp };
    let counted = CountedRequest::count(&state, asking, &contact, &incoming.client).await?;
    let begun = Instant::now();
    let sent = send_again(&state, &params, &contact, challenge.as_ref(), &incoming).await;
    let message_id = counted.settle(&state, sent).await?;
    min_response_time::wait(begun).await;
    Ok(super::message_id::message_id(message_id))
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
        // For `email_change` and `phone_change`, either field may be present, because the request contains the user's current e-mail
        // address or phone number.
        _ => return Ok(challenge),
    };
    Err(AuthError::validation(why))
}

fn contact(state: &AuthState, params: &Params) -> Result<Contact> {
    if params.email.is_empty() {
        if !state.settings().sms.enable_signup {
            return Err(AuthError::bad_request("phone_provider_disabled", "Phone logins are disabled"));
        }
        contact::phone(&params.phone).map(Contact::Phone)
    } else {
        if !state.settings().email.enable_signup {
            return Err(AuthError::bad_request("email_provider_disabled", "Email logins are disabled"));
        }
        contact::email(&params.email).map(Contact::Email)
    }
}

async fn send_again(
    state: &AuthState,
    params: &Params,
    contact: &Contact,
    challenge: Option<&Challenge>,
    incoming: &Incoming,
) -> Result<Option<&'static str>> {
    let mut tx = state.begin_sending().await?;
    let aud = incoming.audience();
    let found = match contact {
        Contact::Email(email) => user::by_email(&mut tx, email, &aud).await,
        Contact::Phone(phone) => user::by_phone(&mut tx, phone, &aud).await,
    };
    let found = match found.context("Unable to process request")? {
        None => asker_of_change(&mut tx, params, contact, &aud).await.context("Unable to process request")?,
        found => found,
    };
    let Some(user) = found else {
        return Ok(None);
    };
    let message_id = send_pending(state, &mut tx, &user, params, challenge, incoming).await?;
    tx.commit().await?;
    Ok(message_id)
}

/// Returns the user who requested a change to the address or number in the request. Needed because a user without a current address can
/// only send the new address. `None` if several users have requested a change to it: the recipient of the mail could otherwise confirm the
/// change of an unknown user.
async fn asker_of_change(
    tx: &mut PgConnection,
    params: &Params,
    contact: &Contact,
    aud: &str,
) -> sqlx::Result<Option<User>> {
    let (kind, address) = match (params.r#type.as_str(), contact) {
        ("email_change", Contact::Email(email)) => (Kind::EmailChangeTokenNew, email),
        ("phone_change", Contact::Phone(phone)) => (Kind::PhoneChangeToken, phone),
        _ => return Ok(None),
    };
    match one_time_token::asker_of_change(tx, kind, address).await? {
        Some(id) => Ok(user::by_id(tx, id).await?.filter(|user| user.aud == aud && !user.is_sso_user)),
        None => Ok(None),
    }
}

async fn send_pending(
    state: &AuthState,
    tx: &mut PgConnection,
    user: &User,
    params: &Params,
    challenge: Option<&Challenge>,
    incoming: &Incoming,
) -> Result<Option<&'static str>> {
    let (target, pkce) = (incoming.target(state), challenge.is_some());
    let mail = send::MailContext { user, client: &incoming.client, target: &target, pkce, counted: true };
    match params.r#type.as_str() {
        "signup" if !user.is_confirmed() => {
            audit::by_user(tx, user, Action::CONFIRMATION_REQUESTED, "", None).await?;
            if let Some(challenge) = challenge {
                flow_state::begin(tx, "email/signup", "email/signup", challenge, user.id).await?;
            }
            send::confirmation(state, tx, &mail).await?;
            Ok(None)
        }
        "email_change" if !user.email_change.is_empty() => {
            if let Some(challenge) = challenge {
                flow_state::begin(tx, "email_change", "email_change", challenge, user.id).await?;
            }
            let _was_counted = send::email_change(state, tx, &mail, &user.email_change).await?;
            Ok(None)
        }
        "sms" if !user.is_phone_confirmed() => {
            audit::by_user(tx, user, Action::RECOVERY_REQUESTED, "", None).await?;
            let purpose = sms::Purpose::Confirmation;
            let code = sms::CodeMessage { state, user, phone: &user.phone, purpose, client: &incoming.client };
            code.send_counted(tx).await
        }
        "phone_change" if !user.phone_change.is_empty() => {
            let purpose = sms::Purpose::Change;
            let code = sms::CodeMessage { state, user, phone: &user.phone_change, purpose, client: &incoming.client };
            code.send_counted(tx).await
        }
        _ => Ok(None),
    }
}
