//! POST /signup: creates an account.

mod anonymous;
mod response;

use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;
use tokio::time::Instant;

use super::request::Incoming;
use super::{captcha, min_response_time};
use crate::contact::{self, Contact};
use crate::error::{AuthError, Result};
use crate::flow::message_request::{CountedRequest, MessageRequest};
use crate::flow::rate_limit::{self, Limit};
use crate::flow::register::{Registration, register};
use crate::flow::{accounts, sms};
use crate::model::Metadata;
use crate::password;
use crate::pkce::ChallengeParams;
use crate::state::AuthState;

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

/// Creates an account. If an unconfirmed account exists, sends the confirmation again.
pub(crate) async fn signup(State(state): State<AuthState>, incoming: Incoming) -> Result<Response> {
    captcha::check(&state, &incoming).await?;
    let params: Params = incoming.json()?;
    if params.email.is_empty() && params.phone.is_empty() {
        return anonymous::sign_up(&state, &incoming, params.data).await;
    }
    rate_limit::check(&state, Limit::Signup, &incoming.client).await?;
    accounts::check_open(&state)?;
    if params.password.is_empty() {
        return Err(AuthError::validation("Signup requires a valid password"));
    }
    password::check(state.settings(), &params.password)?;
    if !params.email.is_empty() && !params.phone.is_empty() {
        return Err(AuthError::validation("Only an email address or phone number should be provided on signup."));
    }
    if params.email.is_empty() {
        sms::check_channel(state.settings(), &params.channel)?;
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
    // If the address or number is confirmed immediately, no message is sent, so the request is not counted as a request for a message.
    let mailed = match &contact {
        Contact::Email(_) => !state.settings().email_autoconfirm(),
        Contact::Phone(_) => !state.settings().phone_autoconfirm(),
    };
    let counted = if mailed {
        Some(CountedRequest::count(&state, MessageRequest::SignUp, &contact, &incoming.client).await?)
    } else {
        None
    };
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
    let registered = match counted {
        Some(counted) => counted.settle(&state, registered).await?,
        None => registered?,
    };
    min_response_time::wait(begun).await;
    response::response(&state, registered)
}

fn email(state: &AuthState, text: &str) -> Result<String> {
    if !state.settings().email.enable_signup {
        return Err(AuthError::bad_request("email_provider_disabled", "Email signups are disabled"));
    }
    contact::email(text)
}

fn phone(state: &AuthState, text: &str) -> Result<String> {
    if !state.settings().sms.enable_signup {
        return Err(AuthError::bad_request("phone_provider_disabled", "Phone signups are disabled"));
    }
    contact::phone(text)
}
