//! POST /factors/{id}/verify.

use axum::extract::{Path, State};
use serde::Deserialize;
use serde_json::{Value, json};
use sqlx::PgConnection;
use uuid::Uuid;

use super::CHALLENGE_LIFETIME;
use crate::auth::error::{AuthError, Context, Result};
use crate::auth::flow::code_guesses::{self, GuessLimits};
use crate::auth::flow::issue_session::{self, TokenResponse};
use crate::auth::flow::mail::send;
use crate::auth::flow::rate_limit::{self, Limit};
use crate::auth::flow::{hooks, refresh, totp};
use crate::auth::http::authn::SignedIn;
use crate::auth::http::request::Incoming;
use crate::auth::mail_templates::MailKind;
use crate::auth::model::audit::{self, Action};
use crate::auth::model::factor::{self, Factor};
use crate::auth::model::{Metadata, session, user_update};
use crate::auth::state::AuthState;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Params {
    challenge_id: Uuid,
    code: String,
}

/// Verifies a code: raises the session to aal2, and ends the user's other sessions at aal1.
pub(crate) async fn verify(
    State(state): State<AuthState>,
    signed_in: SignedIn,
    Path(id): Path<String>,
    incoming: Incoming,
) -> Result<TokenResponse> {
    super::check_not_anonymous(&signed_in)?;
    let factor = super::find(signed_in.user.factors(), &id)?;
    rate_limit::check(&state, Limit::Factor, &incoming.client).await?;
    let params: Params = incoming.json()?;
    if params.code.is_empty() {
        return Err(AuthError::validation("Code needs to be non-empty"));
    }
    super::check_verifiable(state.settings(), factor)?;
    let Some(session) = &signed_in.session else {
        return Err(AuthError::internal("Cannot read SessionId claim as UUID", "the token belongs to no session"));
    };
    let mut connection = state.connection().await?;
    check_challenge(&mut connection, &params, factor, &signed_in).await?;
    let secret =
        factor::secret(&mut connection, factor.id).await.context("Database error verifying MFA TOTP secret")?;
    drop(connection);
    let judge = async || secret.and_then(|secret| totp::step_of(secret.expose(), &params.code)).ok_or_else(wrong);
    let judged = code_guesses::check_code(&state, &GuessLimits::of_one(&factor.id.to_string()), wrong, judge).await;
    call_hook(&state, &signed_in, factor, judged.is_ok()).await?;
    let step = judged?;
    // The challenge is checked again under a lock, so that only one of two concurrent answers counts. So is the code, which may have been
    // used for another challenge in another session.
    let mut tx = state.begin().await?;
    check_challenge(&mut tx, &params, factor, &signed_in).await?;
    if !factor::spend_step(&mut tx, factor.id, step).await? {
        return Err(wrong());
    }
    let address = signed_in.client.address.0.to_string();
    let traits = json!({
        "factor_id": factor.id, "challenge_id": params.challenge_id, "factor_type": factor.factor_type,
    });
    audit::by_user(&mut tx, &signed_in.user, Action::VERIFICATION_ATTEMPTED, &address, Some(traits)).await?;
    factor::answered(&mut tx, params.challenge_id).await?;
    factor::verified(&mut tx, factor, signed_in.user.id).await.context("Error removing unverified factors.")?;
    let method = super::method(factor);
    session::add_proof(&mut tx, session.id, method).await?;
    let next = refresh::rotate_active(&mut tx, session, signed_in.user.id).await?;
    audit::by_user(&mut tx, &signed_in.user, Action::TOKEN_REVOKED, "", None).await?;
    session::raise(&mut tx, session.id, signed_in.user.id, factor.id).await.context("Failed to update sessions.")?;
    let user = user_update::reload(&mut tx, signed_in.user.id).await?;
    let session = session::by_id(&mut tx, session.id).await?.ok_or(sqlx::Error::RowNotFound)?;
    if !factor.is_verified() {
        let more = [("FactorType", factor.factor_type.as_str())];
        send::notification(&state, &mut tx, MailKind::MfaFactorEnrolled, &user, &user.email, &more, &incoming.client)
            .await;
    }
    let granted = issue_session::issue_tokens(&state, &mut tx, user, &session, method, next, &incoming.client).await?;
    tx.commit().await?;
    Ok(granted)
}

fn wrong() -> AuthError {
    AuthError::unprocessable("mfa_verification_failed", "Invalid TOTP code entered")
}

/// Checks that the challenge belongs to this factor, is unanswered, and was created from the same client address.
async fn check_challenge(
    connection: &mut PgConnection,
    params: &Params,
    factor: &Factor,
    signed_in: &SignedIn,
) -> Result<()> {
    let challenge = factor::find_challenge(connection, params.challenge_id, factor.id)
        .await
        .context("Database error finding Challenge")?
        .ok_or_else(|| {
            AuthError::unprocessable("mfa_factor_not_found", "MFA factor with the provided challenge ID not found")
        })?;
    if challenge.verified_at.is_some() || challenge.ip_address != signed_in.client.address.0.to_string() {
        return Err(AuthError::unprocessable("mfa_ip_address_mismatch", "Challenge and verify IP addresses mismatch."));
    }
    if challenge.created_at + CHALLENGE_LIFETIME < chrono::Utc::now() {
        return Err(AuthError::unprocessable(
            "mfa_challenge_expired",
            format!(
                "MFA challenge {} has expired, verify against another challenge or create a new challenge.",
                challenge.id
            ),
        ));
    }
    Ok(())
}

/// Calls the project's hook. If it rejects the verification, all sessions of the user end.
async fn call_hook(state: &AuthState, signed_in: &SignedIn, factor: &Factor, right: bool) -> Result<()> {
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
    if output.get("decision").and_then(Value::as_str) != Some("reject") {
        return Ok(());
    }
    let mut tx = state.begin().await?;
    session::delete_all(&mut tx, signed_in.user.id).await?;
    tx.commit().await?;
    let message = output.get("message").and_then(Value::as_str).filter(|message| !message.is_empty());
    let message = message.unwrap_or("Further MFA verification attempts will be rejected.").to_owned();
    Err(AuthError::forbidden("mfa_verification_rejected", message))
}
