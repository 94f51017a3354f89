//! Checks the request of a signed-in user to change the password.

use chrono::{TimeDelta, Utc};
use cloch_core::Secret;

use crate::error::{AuthError, Result};
use crate::flow::code_guesses::{self, GuessLimits};
use crate::flow::password_guesses::Guess;
use crate::flow::{one_time_code, sms};
use crate::http::authn::SignedIn;
use crate::model::user_confirm;
use crate::state::AuthState;

/// Maximum age of a session in which a password change requires no reauthentication.
const MAX_FRESH_SESSION_AGE: TimeDelta = TimeDelta::hours(24);

/// Checks a password change and returns the hash of the new password. Depending on the settings, requires the current password, and
/// requires a reauthentication code unless the session is recent.
pub(crate) async fn admit(
    state: &AuthState,
    signed_in: &SignedIn,
    password: &str,
    nonce: &str,
    current: &str,
) -> Result<Secret> {
    let (user, session) = (&signed_in.user, signed_in.session.as_ref());
    let settings = state.settings();
    let fresh = session.is_some_and(|session| Utc::now() < session.created_at + MAX_FRESH_SESSION_AGE);
    if settings.email.secure_password_change && !fresh {
        if nonce.is_empty() {
            return Err(AuthError::bad_request("reauthentication_needed", "Password update requires reauthentication"));
        }
        spend_nonce(state, signed_in, nonce).await?;
    }
    if state.setup.require_current_password {
        check_current(state, signed_in, current).await?;
    }
    if password.is_empty() {
        return Ok(Secret::default());
    }
    if user.has_password() && state.passwords.verify(&user.encrypted_password, password).await? {
        return Err(AuthError::unprocessable(
            "same_password",
            "New password should be different from the old password.",
        ));
    }
    state.passwords.hash(password).await
}

/// Checks the current password. Skips the check in a session that was opened by a mailed link or code, because the user may have forgotten
/// the password.
async fn check_current(state: &AuthState, signed_in: &SignedIn, current: &str) -> Result<()> {
    let user = &signed_in.user;
    let by_mail = |method: &str| ["otp", "magiclink", "recovery"].contains(&method);
    let proofs = signed_in.session.iter().flat_map(|session| session.amr.iter());
    if !user.has_password() || proofs.map(|proof| proof.method.as_str()).any(by_mail) {
        return Ok(());
    }
    let refused = |code| AuthError::bad_request(code, "Current password required when setting new password.");
    if current.is_empty() {
        return Err(refused("current_password_required"));
    }
    let login = if user.email.is_empty() { &user.phone } else { &user.email };
    let guess = Guess::count(state, login, Some(user), &signed_in.client).await?;
    if !state.passwords.verify(&user.encrypted_password, current).await? {
        return Err(refused("current_password_invalid"));
    }
    guess.uncount(state).await
}

/// Checks the reauthentication code that GET /reauthenticate sent, and marks the code as used, even if the new password is refused
/// afterwards.
async fn spend_nonce(state: &AuthState, signed_in: &SignedIn, nonce: &str) -> Result<()> {
    let user = &signed_in.user;
    let (address, expiry) = if user.email.is_empty() {
        (user.phone.as_str(), state.settings().sms.code_expiry())
    } else {
        (user.email.as_str(), state.settings().email.otp_expiry)
    };
    let expected = crate::flow::verify::Pending {
        hash: &user.reauthentication_token,
        sent_at: user.reauthentication_sent_at,
        expiry,
    };
    let is_pending = expected.is_in_time() && !expected.hash.expose().is_empty();
    let judge = async || {
        let by_provider = match user.email.is_empty() && is_pending {
            true => sms::provider_approves(state, address, nonce).await,
            false => None,
        };
        let is_right = by_provider.unwrap_or_else(|| expected.is_met_by(&one_time_code::hash(address, nonce)));
        is_right.then_some(()).ok_or_else(invalid)
    };
    // Wrong reauthentication codes are counted by user id, because only the signed-in user can enter this code. Wrong codes at /verify have
    // other counters.
    let counted = GuessLimits::of_one(&format!("reauthentication/{}", user.id));
    code_guesses::check_code(state, &counted, invalid, judge).await?;
    let mut tx = state.begin().await?;
    user_confirm::spend_reauthentication(&mut tx, user.id).await?;
    tx.commit().await?;
    Ok(())
}

fn invalid() -> AuthError {
    AuthError::unprocessable("reauthentication_not_valid", "Nonce has expired or is invalid")
}
