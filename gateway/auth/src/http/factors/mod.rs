//! /factors: second factors. The types are authenticator apps (TOTP), phones, security keys (WebAuthn) and recovery codes.

mod challenge;
mod enroll;
mod phone;
mod raise;
pub(crate) mod recovery_codes;
mod unenroll;
mod verify;
mod webauthn;

use super::authn::SignedIn;
use crate::error::{AuthError, Result};
use crate::model::factor::{Factor, PHONE, RECOVERY_CODE, WEBAUTHN};
use crate::settings::Settings;

pub(crate) use challenge::challenge;
pub(crate) use enroll::enroll;
pub(crate) use unenroll::unenroll;
pub(crate) use verify::verify;

pub(crate) const CHALLENGE_LIFETIME: chrono::TimeDelta = chrono::TimeDelta::seconds(300);

/// Maximum length in characters of a factor's name, and of the issuer that an authenticator app displays.
const MAX_NAME_CHARS: usize = 255;

/// Returns the authentication method (`amr`) that is added to a session when a second factor of this type is verified.
pub(crate) fn method(factor: &Factor) -> &'static str {
    match factor.factor_type.as_str() {
        PHONE => "mfa/phone",
        WEBAUTHN => "mfa/webauthn",
        RECOVERY_CODE => "mfa/recovery_code",
        _ => "totp",
    }
}

/// Refuses anonymous users, because they have no first factor.
fn check_not_anonymous(signed_in: &SignedIn) -> Result<()> {
    if signed_in.user.is_anonymous {
        return Err(AuthError::forbidden("no_authorization", "Anonymous user not allowed to perform these actions"));
    }
    Ok(())
}

/// Refuses a factor name that is too long for the database index, or an issuer name that is too long for the QR code.
pub(crate) fn check_name(field: &str, name: &str) -> Result<()> {
    if name.chars().count() <= MAX_NAME_CHARS {
        return Ok(());
    }
    let message = format!("{field} must be at most {MAX_NAME_CHARS} characters");
    Err(AuthError::unprocessable("validation_failed", message))
}

pub(crate) fn name_conflict(name: &str) -> AuthError {
    let message = format!("A factor with the friendly name {name:?} for this user already exists");
    AuthError::unprocessable("mfa_factor_name_conflict", message)
}

/// Returns the second factor with the id `id` from the request's path. Refuses an id that is not in the user's own `factors`.
pub(crate) fn find<'a>(factors: &'a [Factor], id: &str) -> Result<&'a Factor> {
    let id: uuid::Uuid =
        id.parse().map_err(|_| AuthError::not_found("validation_failed", "factor_id must be an UUID"))?;
    factors
        .iter()
        .find(|factor| factor.id == id)
        .ok_or_else(|| AuthError::not_found("mfa_factor_not_found", "Factor not found"))
}

fn check_verifiable(settings: &Settings, factor: &Factor) -> Result<()> {
    match factor.factor_type.as_str() {
        "totp" if settings.mfa.totp.verify_enabled => Ok(()),
        "totp" => Err(AuthError::unprocessable("mfa_totp_verify_not_enabled", "MFA verification is disabled for TOTP")),
        PHONE if settings.mfa.phone.verify_enabled => Ok(()),
        PHONE => {
            Err(AuthError::unprocessable("mfa_phone_verify_not_enabled", "MFA verification is disabled for Phone"))
        }
        WEBAUTHN if settings.mfa.web_authn.verify_enabled => Ok(()),
        RECOVERY_CODE => Err(AuthError::validation("Recovery codes are verified without a challenge")),
        _ => Err(AuthError::unprocessable(
            "mfa_webauthn_verify_not_enabled",
            "MFA verification is disabled for WebAuthn",
        )),
    }
}
