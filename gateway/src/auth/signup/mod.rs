//! POST /signup.

mod anonymous;
mod answer;
mod register;

use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;
use tokio::time::Instant;

use super::error::{AuthError, Result};
use super::limits::{self, Limit};
use super::message_request::{Asking, Turn};
use super::models::Metadata;
use super::pkce::ChallengeParams;
use super::request::Incoming;
use super::state::AuthState;
use super::{address, captcha, pace, password, sms};

pub(crate) use answer::Registered;
pub(crate) use register::{Contact, Registration, register};

#[derive(Default, Deserialize)]
#[serde(default)]
struct Params {
    email: String,
    phone: String,
    password: String,
    data: Metadata,
    channel: String,
    #[serde(flatten)]
    challenge: ChallengeParams,
}

/// Makes an account, or sends its confirmation again.
pub(crate) async fn signup(State(state): State<AuthState>, incoming: Incoming) -> Result<Response> {
    captcha::check(&state, &incoming).await?;
    let params: Params = incoming.json()?;
    if params.email.is_empty() && params.phone.is_empty() {
        return anonymous::sign_up(&state, &incoming, params.data).await;
    }
    limits::check(&state, Limit::Signup, &incoming.client).await?;
    check_open(&state)?;
    if params.password.is_empty() {
        return Err(AuthError::validation("Signup requires a valid password"));
    }
    password::check(state.settings(), &params.password)?;
    if !params.email.is_empty() && !params.phone.is_empty() {
        return Err(AuthError::validation("Only an email address or phone number should be provided on signup."));
    }
    if params.email.is_empty() {
        sms::check_channel(&params.channel)?;
        if !params.challenge.code_challenge.is_empty() {
            return Err(AuthError::validation("PKCE not supported for phone signups"));
        }
    }
    let challenge = params.challenge.check()?;
    let contact = if params.email.is_empty() {
        Contact::Phone(phone(&state, &params.phone)?)
    } else {
        Contact::Email(email(&state, &params.email)?)
    };
    // Who is confirmed at once is sent nothing.
    let mailed = match &contact {
        Contact::Email(_) => !state.settings().email_autoconfirm(),
        Contact::Phone(_) => !state.settings().phone_autoconfirm(),
    };
    let turn = if mailed { Some(Turn::take(&state, Asking::SignUp, &contact, &incoming.client).await?) } else { None };
    let registration = Registration {
        contact,
        password: Some(&params.password),
        data: params.data,
        challenge: challenge.as_ref(),
        aud: &incoming.audience(),
        target: &incoming.target(&state),
        client: &incoming.client,
    };
    let begun = Instant::now();
    let registered = register(&state, registration).await;
    let registered = match turn {
        Some(turn) => turn.settle(&state, registered).await?,
        None => registered?,
    };
    pace::even_out(begun).await;
    registered.into_answer(&state)
}

/// Whether the project takes new users.
pub(crate) fn check_open(state: &AuthState) -> Result<()> {
    if state.settings().enable_signup {
        Ok(())
    } else {
        Err(AuthError::unprocessable("signup_disabled", "Signups not allowed for this instance"))
    }
}

fn email(state: &AuthState, text: &str) -> Result<String> {
    if !state.settings().email.enable_signup {
        return Err(AuthError::bad_request("email_provider_disabled", "Email signups are disabled"));
    }
    address::email(text)
}

fn phone(state: &AuthState, text: &str) -> Result<String> {
    if !state.settings().sms.enable_signup {
        return Err(AuthError::bad_request("phone_provider_disabled", "Phone signups are disabled"));
    }
    address::phone(text)
}
