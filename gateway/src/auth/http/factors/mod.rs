//! /factors: second factors. Authenticator apps (TOTP) work; phones and security keys answer that they are switched off.

mod challenge;
mod enroll;
mod unenroll;
mod verify;

use super::authn::SignedIn;
use crate::auth::error::{AuthError, Result};
use crate::auth::model::factor::Factor;
use crate::auth::settings::Settings;

pub(crate) use challenge::challenge;
pub(crate) use enroll::enroll;
pub(crate) use unenroll::unenroll;
pub(crate) use verify::verify;

/// How long a challenge can be answered.
pub(crate) const CHALLENGE_LIFETIME: chrono::TimeDelta = chrono::TimeDelta::seconds(300);

/// The method a factor's proof adds to a session.
pub(crate) fn method(factor: &Factor) -> &'static str {
    match factor.factor_type.as_str() {
        "phone" => "mfa/phone",
        "webauthn" => "mfa/webauthn",
        _ => "totp",
    }
}

/// Anonymous users have no first factor, and so no second.
fn check_not_anonymous(signed_in: &SignedIn) -> Result<()> {
    if signed_in.user.is_anonymous {
        return Err(AuthError::forbidden("no_authorization", "Anonymous user not allowed to perform these actions"));
    }
    Ok(())
}

/// The factor of a path, if it is the user's own.
pub(crate) fn find<'a>(factors: &'a [Factor], id: &str) -> Result<&'a Factor> {
    let id: uuid::Uuid =
        id.parse().map_err(|_| AuthError::not_found("validation_failed", "factor_id must be an UUID"))?;
    factors
        .iter()
        .find(|factor| factor.id == id)
        .ok_or_else(|| AuthError::not_found("mfa_factor_not_found", "Factor not found"))
}

/// Whether a factor of this kind may be proved here.
fn check_verifiable(settings: &Settings, factor: &Factor) -> Result<()> {
    match factor.factor_type.as_str() {
        "totp" if settings.mfa.totp.verify_enabled => Ok(()),
        "totp" => Err(AuthError::unprocessable("mfa_totp_verify_not_enabled", "MFA verification is disabled for TOTP")),
        "phone" => {
            Err(AuthError::unprocessable("mfa_phone_verify_not_enabled", "MFA verification is disabled for Phone"))
        }
        _ => Err(AuthError::unprocessable(
            "mfa_webauthn_verify_not_enabled",
            "MFA verification is disabled for WebAuthn",
        )),
    }
}
