//! POST /passkeys/authentication/options and …/verify: sign-in with a passkey, without an e-mail address. auth-js: `signInWithPasskey`.

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};
use uuid::Uuid;

use super::Params;
use crate::error::{AuthError, Result};
use crate::flow::issue_session::{self, TokenResponse};
use crate::flow::passkeys::{self, Purpose};
use crate::flow::rate_limit::{self, Limit};
use crate::flow::webauthn_options;
use crate::http::captcha;
use crate::http::request::Incoming;
use crate::model::audit::{self, Action};
use crate::model::passkey;
use crate::model::user::{self, User};
use crate::state::AuthState;

/// Returns the WebAuthn options of a sign-in. The options contain no credential ids, so they reveal nothing about accounts.
pub(crate) async fn options(State(state): State<AuthState>, incoming: Incoming) -> Result<Json<Value>> {
    rate_limit::check(&state, Limit::Passkey, &incoming.client).await?;
    captcha::check(&state, &incoming).await?;
    let party = super::party(&state);
    let mut tx = state.begin().await?;
    let challenge = passkeys::challenge(&mut tx, None, Purpose::Authentication).await?;
    tx.commit().await?;
    Ok(Json(json!({
        "challenge_id": challenge.id,
        "expires_at": challenge.expires_at.timestamp(),
        "options": webauthn_options::request(&party, &challenge.challenge),
    })))
}

pub(crate) async fn verify(State(state): State<AuthState>, incoming: Incoming) -> Result<TokenResponse> {
    rate_limit::check(&state, Limit::Token, &incoming.client).await?;
    let params: Params = incoming.json()?;
    let response = params.credential()?;
    let mut connection = state.connection().await?;
    let challenge =
        passkeys::take_challenge(&mut connection, &params.challenge_id, None, Purpose::Authentication).await?;
    drop(connection);
    let refused = || AuthError::bad_request("webauthn_verification_failed", "Credential verification failed");
    let handle = response.user_handle().and_then(|handle| String::from_utf8(handle).ok()).ok_or_else(refused)?;
    let owner: Uuid = handle.parse().map_err(|_| refused())?;
    let id = response.id().map_err(passkeys::failed)?;
    let mut tx = state.begin().await?;
    // The passkey's row is locked, so that concurrent sign-ins with a passkey do not overwrite each other's signature counter.
    let stored = passkey::lock_by_credential(&mut tx, owner, &id).await?.ok_or_else(refused)?;
    let used = response
        .authenticate(&super::party(&state), &challenge, &passkeys::of_stored(&stored))
        .map_err(passkeys::failed)?;
    let user = user::by_id(&mut tx, owner).await?.ok_or_else(refused)?;
    check_account(&user)?;
    passkey::used(&mut tx, stored.id, used.sign_count.into(), used.backed_up).await?;
    let address = incoming.client.address.0.to_string();
    audit::by_user(&mut tx, &user, Action::LOGIN, &address, Some(json!({ "passkey_id": stored.id }))).await?;
    let granted = issue_session::open_session(&state, &mut tx, user.id, "passkey", &incoming.client).await?;
    tx.commit().await?;
    Ok(granted)
}

/// Refuses unconfirmed and banned users. Called only after the passkey was verified, so that nobody except the owner of the passkey learns
/// that the account is banned or unconfirmed.
fn check_account(user: &User) -> Result<()> {
    if !user.email.is_empty() && !user.is_confirmed() {
        return Err(AuthError::forbidden("email_not_confirmed", "Email not confirmed"));
    }
    if !user.phone.is_empty() && !user.is_phone_confirmed() {
        return Err(AuthError::forbidden("phone_not_confirmed", "Phone not confirmed"));
    }
    if user.is_banned() {
        return Err(AuthError::forbidden("user_banned", "User is banned"));
    }
    Ok(())
}
