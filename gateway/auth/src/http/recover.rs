//! POST /recover: sends a link with which the user can set a new password.

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
use crate::model::audit::{self, Action};
use crate::model::{flow_state, user};
use crate::pkce::{Challenge, ChallengeParams};
use crate::state::AuthState;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Params {
    email: String,
    #[serde(flatten)]
    challenge: ChallengeParams,
}

/// Sends a recovery link. The response is the same whether the address has an account or not.
pub(crate) async fn recover(State(state): State<AuthState>, incoming: Incoming) -> Result<Json<Value>> {
    rate_limit::check(&state, Limit::Recover, &incoming.client).await?;
    captcha::check(&state, &incoming).await?;
    if !state.settings().email.enable_signup {
        return Err(AuthError::bad_request("email_provider_disabled", "Email logins are disabled"));
    }
    let params: Params = incoming.json()?;
    if params.email.is_empty() {
        return Err(AuthError::validation("Password recovery requires an email"));
    }
    let email = contact::email(&params.email)?;
    let challenge = params.challenge.check()?;
    let counted =
        CountedRequest::count(&state, MessageRequest::Recovery, &Contact::Email(email.clone()), &incoming.client)
            .await?;
    let begun = Instant::now();
    counted.settle(&state, send_link(&state, &incoming, &email, challenge.as_ref()).await).await?;
    min_response_time::wait(begun).await;
    Ok(Json(json!({})))
}

async fn send_link(state: &AuthState, incoming: &Incoming, email: &str, challenge: Option<&Challenge>) -> Result<()> {
    let mut tx = state.begin_sending().await?;
    let found = user::by_email(&mut tx, email, &incoming.audience()).await.context("Unable to process request")?;
    let Some(user) = found else { return Ok(()) };
    if let Some(challenge) = challenge {
        flow_state::begin(&mut tx, "recovery", "recovery", challenge, user.id).await?;
    }
    audit::by_user(&mut tx, &user, Action::RECOVERY_REQUESTED, "", None).await?;
    let mail = send::MailContext {
        user: &user,
        client: &incoming.client,
        target: &incoming.target(state),
        pkce: challenge.is_some(),
        counted: true,
    };
    send::recovery(state, &mut tx, &mail).await?;
    tx.commit().await.map_err(AuthError::from)
}
