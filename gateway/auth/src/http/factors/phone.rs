//! Phones as second factors: the user verifies a challenge with a code received by text message.

use serde::Deserialize;
use sqlx::PgConnection;
use subtle::ConstantTimeEq;

use crate::contact;
use crate::error::{AuthError, Context, Result};
use crate::flow::{one_time_code, sms};
use crate::http::request::Incoming;
use crate::model::factor::{self, Factor, PHONE};
use crate::model::user::User;
use crate::settings::Settings;
use crate::state::AuthState;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Params {
    channel: String,
}

/// Validates the phone number of a new second factor. Returns an empty string if enrollment of phones is disabled, because the calling
/// function then refuses the request with a more specific error.
pub(super) fn number(settings: &Settings, text: &str) -> Result<String> {
    if !settings.mfa.phone.enroll_enabled {
        return Ok(String::new());
    }
    if text.is_empty() {
        return Err(AuthError::validation("Phone number required to enroll Phone factor"));
    }
    contact::phone(text)
}

/// Deletes the user's unverified phone factors with this number. Returns whether a factor was deleted, or an error if a verified factor has
/// this number.
pub(super) async fn make_room(tx: &mut PgConnection, user: &User, number: &str) -> Result<bool> {
    let mut is_changed = false;
    let same = |factor: &&Factor| factor.factor_type == PHONE && factor.phone == number;
    for factor in user.factors().iter().filter(same) {
        if factor.is_verified() {
            return Err(AuthError::unprocessable(
                "mfa_verified_factor_exists",
                "A verified phone factor already exists, unenroll the existing factor to continue",
            ));
        }
        factor::delete(tx, factor.id).await.context("Database error deleting unverified phone factors")?;
        is_changed = true;
    }
    Ok(is_changed)
}

/// Sends a code to the phone number of a second factor. Returns the hash of the code, which is stored with the challenge.
pub(super) async fn send(
    state: &AuthState,
    tx: &mut PgConnection,
    user: &User,
    factor: &Factor,
    incoming: &Incoming,
) -> Result<String> {
    let params: Params = incoming.json()?;
    sms::check_channel(state.settings(), &params.channel)?;
    let code = one_time_code::generate(state.settings().mfa.phone.otp_length);
    sms::send_for_factor(state, tx, user, &factor.phone, &code, &incoming.client).await?;
    Ok(hash(factor, &code))
}

pub(super) fn is_right(factor: &Factor, expected: Option<&str>, code: &str) -> bool {
    expected.is_some_and(|expected| expected.as_bytes().ct_eq(hash(factor, code).as_bytes()).into())
}

fn hash(factor: &Factor, code: &str) -> String {
    one_time_code::hash(&factor.id.to_string(), code)
}

pub(super) fn wrong() -> AuthError {
    AuthError::unprocessable("mfa_verification_failed", "Invalid MFA Phone code entered")
}
