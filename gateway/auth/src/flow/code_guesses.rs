//! Rate limits on wrong one-time codes.
//!
//! A one-time code has only six digits, so the number of guesses must be limited. Guesses from networks (IPv4 address or IPv6 /64) that
//! requested a code have counters of their own. The guesses of a stranger from another network therefore do not block the recipient's code.

use sha2::{Digest, Sha256};
use sqlx::PgConnection;

use super::rate_limit;
use crate::client::Client;
use crate::error::{AuthError, Result};
use crate::state::AuthState;

/// Maximum number of wrong one-time codes within [`WINDOW_SECONDS`]. Beyond this number, every code is refused, even a correct code.
const MAX_WRONG_CODES: i32 = 10;
const WINDOW_SECONDS: f64 = 600.0;
/// Maximum number of wrong one-time codes within [`ALL_ASKERS_WINDOW_SECONDS`], counted over all networks (IPv4 address or IPv6 /64) that
/// requested a code for the address.
const MAX_WRONG_CODES_OF_ALL_ASKERS: i32 = 60;
const ALL_ASKERS_WINDOW_SECONDS: f64 = 3600.0;

/// The counters that a wrong one-time code increments. Each entry contains the counter's key, the maximum count, and the window in seconds.
/// The key names the address, user or second factor whose codes are guessed, and for some counters also the network that sent the guess.
pub(crate) struct GuessLimits(Vec<(String, i32, f64)>);

impl GuessLimits {
    /// Returns limits with one counter for all wrong codes of `subject`. `subject` is an e-mail address, a phone number, or the id of a
    /// second factor or user. Used for a code that only one signed-in user can enter (the code of a second factor or of a
    /// reauthentication), and for guesses from networks that requested no code for the address.
    pub(crate) fn of_one(subject: &str) -> Self {
        Self(vec![(format!("auth/code/{}", digest(subject)), MAX_WRONG_CODES, WINDOW_SECONDS)])
    }

    /// Returns the limits of a one-time code that was sent to `address`. The limits do not depend on whether the address has an account.
    pub(crate) async fn of_address(state: &AuthState, address: &str, client: &Client) -> Result<Self> {
        let mut connection = state.connection().await?;
        if !rate_limit::is_noted(&mut connection, &asker(address, client)).await? {
            return Ok(Self::of_one(address));
        }
        let address = digest(address);
        Ok(Self(vec![
            (format!("auth/code/{address}/{}", client.address.network()), MAX_WRONG_CODES, WINDOW_SECONDS),
            (format!("auth/code/{address}/askers"), MAX_WRONG_CODES_OF_ALL_ASKERS, ALL_ASKERS_WINDOW_SECONDS),
        ]))
    }
}

impl GuessLimits {
    /// Resets the counters of wrong one-time codes.
    pub(crate) async fn forget(&self, connection: &mut PgConnection) -> Result<()> {
        for (subject, ..) in &self.0 {
            rate_limit::forget(connection, subject).await?;
        }
        Ok(())
    }
}

/// Records that the client's network (IPv4 address or IPv6 /64) has requested a one-time code for `address`. The record expires after
/// `seconds`, the lifetime of the code.
pub(crate) async fn note_asker(state: &AuthState, address: &str, client: &Client, seconds: u64) -> Result<()> {
    let mut connection = state.counting().await?;
    rate_limit::note(&mut connection, &asker(address, client), seconds).await.map_err(AuthError::from)
}

fn asker(address: &str, client: &Client) -> String {
    format!("auth/code-asked/{}/{}", digest(address), client.address.network())
}

pub(crate) fn digest(subject: &str) -> String {
    hex::encode(Sha256::digest(subject.as_bytes()))
}

/// Runs `check`, which checks a one-time code, and counts the code if it is wrong. If the limit of wrong codes is reached, returns the
/// error `refusal` without running `check`, so that even a correct code is refused.
pub(crate) async fn check_code<T>(
    state: &AuthState,
    limits: &GuessLimits,
    refusal: fn() -> AuthError,
    check: impl AsyncFnOnce() -> Result<T>,
) -> Result<T> {
    for (subject, allowed, seconds) in &limits.0 {
        if !rate_limit::take(&mut *state.connection().await?, subject, *allowed, *seconds).await? {
            return Err(refusal());
        }
    }
    let checked = check().await;
    if checked.is_ok() {
        for (subject, ..) in &limits.0 {
            rate_limit::give_back(&mut *state.connection().await?, subject).await?;
        }
    }
    checked
}

pub(crate) fn wrong() -> AuthError {
    AuthError::forbidden("otp_expired", "Token has expired or is invalid")
}
