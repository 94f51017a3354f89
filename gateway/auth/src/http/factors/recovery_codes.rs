//! /factors/recovery-codes: recovery codes. A user who has lost the second factor can reach aal2 with a recovery code. auth-js:
//! `mfa.recoveryCodes`.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};
use sqlx::PgConnection;
use uuid::Uuid;

use super::raise;
use crate::error::{AuthError, Context, Result};
use crate::flow::code_guesses::{self, GuessLimits};
use crate::flow::issue_session::TokenResponse;
use crate::flow::mail::send;
use crate::flow::rate_limit::{self, Limit};
use crate::flow::recovery_codes;
use crate::http::authn::SignedIn;
use crate::http::request::Incoming;
use crate::mail_templates::MailKind;
use crate::model::audit::{self, Action};
use crate::model::factor::{self, Factor, RECOVERY_CODE};
use crate::model::user::{self, User};
use crate::model::{recovery_code, session};
use crate::state::AuthState;

const DEFAULT_NAME: &str = "Recovery codes";
const MAX_NAME_CHARS: usize = 120;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Params {
    friendly_name: String,
    code: String,
}

/// GET: returns the total number of the user's recovery codes, and the number of unused codes.
pub(crate) async fn status(State(state): State<AuthState>, signed_in: SignedIn) -> Result<Json<Value>> {
    super::check_not_anonymous(&signed_in)?;
    let set = of_user(&signed_in.user)?;
    let count = recovery_code::count(&mut *state.connection().await?, set.id).await?;
    Ok(Json(json!({ "id": set.id, "type": RECOVERY_CODE, "total": count.total, "remaining": count.remaining })))
}

/// POST: creates the user's set of recovery codes. Only this response contains the codes; the database stores their hashes.
pub(crate) async fn generate(
    State(state): State<AuthState>,
    signed_in: SignedIn,
    incoming: Incoming,
) -> Result<Json<Value>> {
    check_may_enroll(&state, &signed_in)?;
    let params: Params = if incoming.has_body() { incoming.json()? } else { Params::default() };
    let name = if params.friendly_name.is_empty() { DEFAULT_NAME } else { &params.friendly_name };
    if name.chars().count() > MAX_NAME_CHARS {
        return Err(AuthError::validation(format!("friendly_name must be at most {MAX_NAME_CHARS} characters")));
    }
    let mut tx = state.begin().await?;
    let user = user::by_id_exclusive(&mut tx, signed_in.user.id).await?.ok_or(sqlx::Error::RowNotFound)?;
    check_room(&user, name)?;
    let id = Uuid::new_v4();
    recovery_code::insert(&mut tx, id, user.id, name).await.context("Database error creating factor")?;
    let codes = renew(&mut tx, id).await?;
    let address = signed_in.client.address.0.to_string();
    let traits = json!({ "factor_id": id, "factor_type": RECOVERY_CODE });
    audit::by_user(&mut tx, &user, Action::FACTOR_IN_PROGRESS, &address, Some(traits)).await?;
    let more = [("FactorType", RECOVERY_CODE)];
    send::notification(&state, &mut tx, MailKind::MfaFactorEnrolled, &user, &user.email, &more, &incoming.client).await;
    tx.commit().await?;
    Ok(Json(set(id, name, &codes)))
}

/// POST …/regenerate: replaces all recovery codes of the user by new codes, and resets the counter of wrong codes.
pub(crate) async fn regenerate(State(state): State<AuthState>, signed_in: SignedIn) -> Result<Json<Value>> {
    check_may_enroll(&state, &signed_in)?;
    let found = of_user(&signed_in.user)?;
    let mut tx = state.begin().await?;
    let codes = renew(&mut tx, found.id).await?;
    GuessLimits::of_one(&found.id.to_string()).forget(&mut tx).await?;
    let address = signed_in.client.address.0.to_string();
    let traits = json!({ "factor_id": found.id, "factor_type": RECOVERY_CODE, "regenerated": true });
    audit::by_user(&mut tx, &signed_in.user, Action::FACTOR_UPDATED, &address, Some(traits)).await?;
    tx.commit().await?;
    Ok(Json(set(found.id, found.friendly_name.as_deref().unwrap_or_default(), &codes)))
}

/// POST …/verify: raises the session to aal2 with a recovery code, and marks the code as used.
pub(crate) async fn verify(
    State(state): State<AuthState>,
    signed_in: SignedIn,
    incoming: Incoming,
) -> Result<TokenResponse> {
    super::check_not_anonymous(&signed_in)?;
    rate_limit::check(&state, Limit::Factor, &incoming.client).await?;
    if !state.setup.recovery_codes {
        return Err(AuthError::unprocessable(
            "mfa_recovery_codes_verify_not_enabled",
            "MFA verification is disabled for recovery codes",
        ));
    }
    let params: Params = incoming.json()?;
    raise::session(&signed_in)?;
    let found = of_user(&signed_in.user)?;
    let hash = recovery_codes::hash(found.id, &params.code);
    let judge = async || {
        let hash = hash.as_deref().ok_or_else(wrong)?;
        let is_right = recovery_code::is_unused(&mut *state.connection().await?, found.id, hash).await?;
        if is_right { Ok(hash) } else { Err(wrong()) }
    };
    let judged = code_guesses::check_code(&state, &GuessLimits::of_one(&found.id.to_string()), locked, judge).await;
    raise::call_hook(&state, &signed_in, found, judged.is_ok()).await?;
    let hash = judged?;
    let mut tx = state.begin().await?;
    if !recovery_code::spend(&mut tx, found.id, hash).await? {
        return Err(wrong());
    }
    let address = signed_in.client.address.0.to_string();
    let traits = json!({ "factor_id": found.id, "factor_type": RECOVERY_CODE });
    audit::by_user(&mut tx, &signed_in.user, Action::VERIFICATION_ATTEMPTED, &address, Some(traits)).await?;
    let granted = raise::raise(&state, &mut tx, &signed_in, found, &incoming.client).await?;
    tx.commit().await?;
    Ok(granted)
}

pub(crate) async fn unenroll(State(state): State<AuthState>, signed_in: SignedIn) -> Result<Json<Value>> {
    super::check_not_anonymous(&signed_in)?;
    let id = of_user(&signed_in.user)?.id.to_string();
    super::unenroll(State(state), signed_in, axum::extract::Path(id)).await
}

fn of_user(user: &User) -> Result<&Factor> {
    user.factors()
        .iter()
        .find(|factor| factor.is_recovery_code())
        .ok_or_else(|| AuthError::not_found("mfa_factor_not_found", "No recovery codes found"))
}

fn check_may_enroll(state: &AuthState, signed_in: &SignedIn) -> Result<()> {
    super::check_not_anonymous(signed_in)?;
    if !state.setup.recovery_codes {
        return Err(AuthError::unprocessable(
            "mfa_recovery_codes_enroll_not_enabled",
            "MFA enroll is disabled for recovery codes",
        ));
    }
    if raise::session(signed_in)?.has_aal2() {
        Ok(())
    } else {
        Err(AuthError::forbidden("insufficient_aal", "AAL2 required to generate recovery codes"))
    }
}

fn check_room(user: &User, name: &str) -> Result<()> {
    if user.factors().iter().any(Factor::is_recovery_code) {
        return Err(AuthError::unprocessable(
            "mfa_verified_factor_exists",
            "Recovery codes exist already, regenerate them instead",
        ));
    }
    if !user.factors().iter().any(|factor| factor.is_verified()) {
        return Err(AuthError::unprocessable(
            "mfa_recovery_codes_sole_factor",
            "Recovery codes need another verified factor",
        ));
    }
    if user.factors().iter().any(|factor| factor.friendly_name.as_deref() == Some(name)) {
        return Err(super::name_conflict(name));
    }
    Ok(())
}

/// Replaces the recovery codes of a set by new codes. Returns the new codes.
async fn renew(tx: &mut PgConnection, id: Uuid) -> Result<Vec<String>> {
    let codes = recovery_codes::generate();
    let hashes: Vec<Vec<u8>> = codes.iter().filter_map(|code| recovery_codes::hash(id, code)).collect();
    recovery_code::replace(tx, id, &hashes).await.context("Database error creating recovery codes")?;
    Ok(codes)
}

fn set(id: Uuid, name: &str, codes: &[String]) -> Value {
    json!({ "id": id, "type": RECOVERY_CODE, "friendly_name": name, "total": codes.len(), "codes": codes })
}

fn wrong() -> AuthError {
    AuthError::unprocessable("mfa_verification_failed", "Invalid recovery code entered")
}

fn locked() -> AuthError {
    AuthError::too_many("mfa_recovery_codes_locked", "Too many wrong recovery codes, try again later")
}

/// Deletes the user's recovery codes if `removed` is the user's last verified second factor except for the recovery codes. Recovery codes
/// are only a substitute for another factor. The calling function deletes `removed`.
pub(crate) async fn drop_without_factor(tx: &mut PgConnection, user: &User, removed: &Factor) -> Result<()> {
    let others =
        user.factors().iter().any(|other| other.id != removed.id && other.is_verified() && !other.is_recovery_code());
    if let Some(set) = user.factors().iter().find(|factor| factor.is_recovery_code() && factor.id != removed.id)
        && !others
    {
        session::lower(tx, set.id, super::method(set)).await?;
        factor::delete(tx, set.id).await?;
    }
    Ok(())
}
