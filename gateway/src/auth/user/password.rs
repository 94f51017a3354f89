//! A new password: what must be proved before it is taken.

use chrono::{TimeDelta, Utc};
use cloch_sql::Secret;

use crate::auth::authn::SignedIn;
use crate::auth::error::{AuthError, Result};
use crate::auth::models::user_proof;
use crate::auth::state::AuthState;
use crate::auth::verify::attempts::{self, Attempts};
use crate::auth::{otp, sms};

/// A session younger than this needs no fresh proof.
const FRESH: TimeDelta = TimeDelta::hours(24);

/// The hash to store, once the old password, a code or a young session has been shown as the project demands.
pub(super) async fn admit(state: &AuthState, signed_in: &SignedIn, password: &str, nonce: &str) -> Result<Secret> {
    let (user, session) = (&signed_in.user, signed_in.session.as_ref());
    let settings = state.settings();
    let fresh = session.is_some_and(|session| Utc::now() < session.created_at + FRESH);
    if settings.email.secure_password_change && !fresh {
        if nonce.is_empty() {
            return Err(AuthError::bad_request("reauthentication_needed", "Password update requires reauthentication"));
        }
        spend_nonce(state, signed_in, nonce).await?;
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

/// Takes the code that GET /reauthenticate sent. It is spent even where the password is refused afterwards.
async fn spend_nonce(state: &AuthState, signed_in: &SignedIn, nonce: &str) -> Result<()> {
    let user = &signed_in.user;
    let (address, expiry) = if user.email.is_empty() {
        (user.phone.as_str(), sms::EXPIRY)
    } else {
        (user.email.as_str(), state.settings().email.otp_expiry)
    };
    let expected = crate::auth::verify::Pending {
        hash: &user.reauthentication_token,
        sent_at: user.reauthentication_sent_at,
        expiry,
    };
    let judge = async || expected.is_met_by(&otp::hash(address, nonce)).then_some(()).ok_or_else(invalid);
    // Counted by the account: only who is signed in to it can guess, and guesses at /verify are not theirs.
    let counted = Attempts::of_one(&format!("reauthentication/{}", user.id));
    attempts::guarded(state, &counted, invalid, judge).await?;
    let mut tx = state.begin().await?;
    user_proof::spend_reauthentication(&mut tx, user.id).await?;
    tx.commit().await?;
    Ok(())
}

fn invalid() -> AuthError {
    AuthError::unprocessable("reauthentication_not_valid", "Nonce has expired or is invalid")
}
