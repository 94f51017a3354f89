//! POST /factors/{id}/verify: verifies a challenge of a second factor.

use axum::extract::{Path, State};
use serde::Deserialize;
use sqlx::PgConnection;
use uuid::Uuid;

use super::{CHALLENGE_LIFETIME, phone, raise, webauthn};
use crate::error::{AuthError, Context, Result};
use crate::flow::code_guesses::{self, GuessLimits};
use crate::flow::issue_session::TokenResponse;
use crate::flow::rate_limit::{self, Limit};
use crate::flow::{sms, totp};
use crate::http::authn::SignedIn;
use crate::http::request::Incoming;
use crate::model::factor::{self, Challenge, Factor, PHONE, WEBAUTHN};
use crate::state::AuthState;

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Params {
    pub(super) challenge_id: Uuid,
    code: String,
    pub(super) webauthn: Option<webauthn::Params>,
}

/// Verifies a code or a security key's response, raises the session to aal2, and ends the user's other sessions at aal1.
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
    if params.code.is_empty() && factor.factor_type != WEBAUTHN {
        return Err(AuthError::validation("Code needs to be non-empty"));
    }
    super::check_verifiable(state.settings(), factor)?;
    raise::session(&signed_in)?;
    match factor.factor_type.as_str() {
        WEBAUTHN => webauthn::verify(&state, &signed_in, factor, &params, &incoming).await,
        _ => verify_code(&state, &signed_in, factor, &params, &incoming).await,
    }
}

async fn verify_code(
    state: &AuthState,
    signed_in: &SignedIn,
    factor: &Factor,
    params: &Params,
    incoming: &Incoming,
) -> Result<TokenResponse> {
    let wrong = if factor.factor_type == PHONE { phone::wrong } else { wrong };
    let mut connection = state.connection().await?;
    check_challenge(&mut connection, params, factor, signed_in).await?;
    let step = proof(&mut connection, factor, params).await?;
    drop(connection);
    let judge = async || match factor.factor_type.as_str() {
        PHONE => match sms::provider_approves(state, &factor.phone, &params.code).await {
            Some(is_right) => is_right.then_some(None).ok_or_else(wrong),
            None => step.ok_or_else(wrong),
        },
        _ => step.ok_or_else(wrong),
    };
    let judged = code_guesses::check_code(state, &GuessLimits::of_one(&factor.id.to_string()), wrong, judge).await;
    raise::call_hook(state, signed_in, factor, judged.is_ok()).await?;
    let step = judged?;
    // Checks the challenge again and locks its row, so that only one of two concurrent requests with the same challenge succeeds. Also
    // marks the time step of a TOTP code as used, because another session may have used the code for another challenge.
    let mut tx = state.begin().await?;
    check_challenge(&mut tx, params, factor, signed_in).await?;
    if let Some(step) = step
        && !factor::spend_step(&mut tx, factor.id, step).await?
    {
        return Err(wrong());
    }
    let granted = raise::complete(state, &mut tx, signed_in, factor, params.challenge_id, &incoming.client).await?;
    tx.commit().await?;
    Ok(granted)
}

/// Checks the code of a phone or authenticator app. Returns `None` for a wrong code, `Some(None)` for a phone's correct code, and the time
/// step of an authenticator app's correct code.
async fn proof(connection: &mut PgConnection, factor: &Factor, params: &Params) -> Result<Option<Option<i64>>> {
    if factor.factor_type == PHONE {
        let expected = factor::expected_code(connection, params.challenge_id).await?;
        return Ok(phone::is_right(factor, expected.as_deref(), &params.code).then_some(None));
    }
    let secret = factor::secret(connection, factor.id).await.context("Database error verifying MFA TOTP secret")?;
    Ok(secret.and_then(|secret| totp::step_of(secret.expose(), &params.code)).map(Some))
}

fn wrong() -> AuthError {
    AuthError::unprocessable("mfa_verification_failed", "Invalid TOTP code entered")
}

/// Checks that the challenge belongs to the second factor and can still be verified.
async fn check_challenge(
    connection: &mut PgConnection,
    params: &Params,
    factor: &Factor,
    signed_in: &SignedIn,
) -> Result<()> {
    let challenge = factor::find_challenge(connection, params.challenge_id, factor.id)
        .await
        .context("Database error finding Challenge")?
        .ok_or_else(unknown_challenge)?;
    check_open(&challenge, signed_in)
}

/// Returns the error for a challenge that does not belong to the second factor or was already used.
pub(super) fn unknown_challenge() -> AuthError {
    AuthError::unprocessable("mfa_factor_not_found", "MFA factor with the provided challenge ID not found")
}

/// Checks that a challenge was not verified before, has not expired, and was created from the client address of the current request.
pub(super) fn check_open(challenge: &Challenge, signed_in: &SignedIn) -> Result<()> {
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
