//! How often a code may be guessed.
//!
//! Six digits hold against a few guesses, and so guesses end. They end apart for whoever asked for the code (its network) and for
//! everybody else: a stranger's guesses do not block the code of whoever waits for it.

use sha2::{Digest, Sha256};

use crate::auth::error::{AuthError, Result};
use crate::auth::limits;
use crate::auth::request::Client;
use crate::auth::state::AuthState;

/// Wrong codes within [`WINDOW`], before every further one is refused, right or wrong.
const TRIES: i32 = 10;
/// Seconds.
const WINDOW: f64 = 600.0;
/// Wrong codes within [`ALL_ASKERS_WINDOW`] from all networks together that have asked for a code.
const ALL_ASKERS_TRIES: i32 = 60;
/// Seconds.
const ALL_ASKERS_WINDOW: f64 = 3600.0;

/// What wrong codes are counted by: a name, how many, in how many seconds.
pub(crate) struct Attempts(Vec<(String, i32, f64)>);

impl Attempts {
    /// Of what only one signed-in user can try: a factor, a proof of presence.
    pub(crate) fn of_one(subject: &str) -> Self {
        Self(vec![(format!("auth/code/{}", digest(subject)), TRIES, WINDOW)])
    }

    /// Of a code that was sent to an address, whether it has an account or not.
    pub(crate) async fn of_address(state: &AuthState, address: &str, client: &Client) -> Result<Self> {
        let mut connection = state.connection().await?;
        if !limits::is_noted(&mut connection, &asker(address, client)).await? {
            return Ok(Self::of_one(address));
        }
        let address = digest(address);
        Ok(Self(vec![
            (format!("auth/code/{address}/{}", client.address.network()), TRIES, WINDOW),
            (format!("auth/code/{address}/askers"), ALL_ASKERS_TRIES, ALL_ASKERS_WINDOW),
        ]))
    }
}

/// Remembers for as long as a code holds that this client asked for one.
pub(crate) async fn note_asker(state: &AuthState, address: &str, client: &Client, seconds: u64) -> Result<()> {
    let mut connection = state.connection().await?;
    limits::note(&mut connection, &asker(address, client), seconds).await.map_err(AuthError::from)
}

fn asker(address: &str, client: &Client) -> String {
    format!("auth/code-asked/{}/{}", digest(address), client.address.network())
}

pub(crate) fn digest(subject: &str) -> String {
    hex::encode(Sha256::digest(subject.as_bytes()))
}

/// Judges a code unless too many wrong ones came, which is answered like one more wrong code.
pub(crate) async fn guarded<T>(
    state: &AuthState,
    attempts: &Attempts,
    refusal: fn() -> AuthError,
    judge: impl AsyncFnOnce() -> Result<T>,
) -> Result<T> {
    for (subject, allowed, seconds) in &attempts.0 {
        if !limits::take(&mut *state.connection().await?, subject, *allowed, *seconds).await? {
            return Err(refusal());
        }
    }
    let judged = judge().await;
    if judged.is_ok() {
        for (subject, ..) in &attempts.0 {
            limits::give_back(&mut *state.connection().await?, subject).await?;
        }
    }
    judged
}

pub(crate) fn wrong() -> AuthError {
    AuthError::forbidden("otp_expired", "Token has expired or is invalid")
}
