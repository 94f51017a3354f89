//! Raises a session to authenticator assurance level 2 (aal2) after a second factor of any type was verified.

use serde_json::{Value, json};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::client::Client;
use crate::error::{AuthError, Context, Result};
use crate::flow::issue_session::{self, TokenResponse};
use crate::flow::mail::send;
use crate::flow::{hooks, refresh};
use crate::http::authn::SignedIn;
use crate::mail_templates::MailKind;
use crate::model::audit::{self, Action};
use crate::model::factor::{self, Factor};
use crate::model::session::Session;
use crate::model::{Metadata, session, user_update};
use crate::state::AuthState;

/// Returns the session that is named in the access token of the request. The verified factor raises this session to aal2.
pub(super) fn session(signed_in: &SignedIn) -> Result<&Session> {
    signed_in
        .session
        .as_ref()
        .ok_or_else(|| AuthError::internal("Cannot read SessionId claim as UUID", "the token belongs to no session"))
}

/// Marks the challenge as verified, and raises the session to aal2.
pub(super) async fn complete(
    state: &AuthState,
    tx: &mut PgConnection,
    signed_in: &SignedIn,
    factor: &Factor,
    challenge: Uuid,
    client: &Client,
) -> Result<TokenResponse> {
    let address = client.address.0.to_string();
    let traits = json!({ "factor_id": factor.id, "challenge_id": challenge, "factor_type": factor.factor_type });
    audit::by_user(tx, &signed_in.user, Action::VERIFICATION_ATTEMPTED, &address, Some(traits)).await?;
    factor::answered(tx, challenge).await?;
    factor::verified(tx, factor, signed_in.user.id).await.context("Error removing unverified factors.")?;
    raise(state, tx, signed_in, factor, client).await
}

/// Raises the session to aal2, ends the user's other sessions at aal1, and issues a new access token and refresh token.
pub(super) async fn raise(
    state: &AuthState,
    tx: &mut PgConnection,
    signed_in: &SignedIn,
    factor: &Factor,
    client: &Client,
) -> Result<TokenResponse> {
    let session = session(signed_in)?;
    let method = super::method(factor);
    session::add_proof(tx, session.id, method).await?;
    let next = refresh::rotate_active(tx, session, signed_in.user.id).await?;
    audit::by_user(tx, &signed_in.user, Action::TOKEN_REVOKED, "", None).await?;
    session::raise(tx, session.id, signed_in.user.id, factor.id).await.context("Failed to update sessions.")?;
    let user = user_update::reload(tx, signed_in.user.id).await?;
    let session = session::by_id(tx, session.id).await?.ok_or(sqlx::Error::RowNotFound)?;
    if !factor.is_verified() {
        let more = [("FactorType", factor.factor_type.as_str())];
        send::notification(state, tx, MailKind::MfaFactorEnrolled, &user, &user.email, &more, client).await;
    }
    issue_session::issue_tokens(state, tx, user, &session, method, next, client).await
}

/// Calls the project's `mfa_verification_attempt` hook. If the hook rejects the attempt, all sessions of the user end.
pub(super) async fn call_hook(state: &AuthState, signed_in: &SignedIn, factor: &Factor, right: bool) -> Result<()> {
    let hook = &state.settings().hook.mfa_verification_attempt;
    if !hook.enabled {
        return Ok(());
    }
    let mut input = Metadata::new();
    input.insert("user_id".into(), signed_in.user.id.to_string().into());
    input.insert("factor_id".into(), factor.id.to_string().into());
    input.insert("factor_type".into(), factor.factor_type.as_str().into());
    input.insert("valid".into(), right.into());
    let output = hooks::call(state, None, hook, "mfa-verification", &signed_in.client, input).await?;
    if !hooks::rejects(&output)? {
        return Ok(());
    }
    let mut tx = state.begin().await?;
    session::delete_all(&mut tx, signed_in.user.id).await?;
    tx.commit().await?;
    let message = output.get("message").and_then(Value::as_str).filter(|message| !message.is_empty());
    let message = message.unwrap_or("Further MFA verification attempts will be rejected.").to_owned();
    Err(AuthError::forbidden("mfa_verification_rejected", message))
}
