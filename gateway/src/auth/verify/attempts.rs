//! How often a code may be guessed.

use sha2::{Digest, Sha256};

use crate::auth::error::{AuthError, Result};
use crate::auth::limits;
use crate::auth::state::AuthState;

/// Wrong codes for one address within [`WINDOW`]: six digits would take years.
const TRIES: i32 = 10;
/// Seconds.
const WINDOW: f64 = 600.0;

/// Judges a code unless too many wrong ones came for this subject, which is answered like one more wrong code. `subject` is an
/// address, whether it has an account or not, or a factor.
pub(crate) async fn guarded<T>(
    state: &AuthState,
    subject: &str,
    refusal: fn() -> AuthError,
    judge: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let subject = format!("auth/code/{}", hex::encode(Sha256::digest(subject.as_bytes())));
    let mut connection = state.connection().await?;
    if !limits::take(&mut connection, &subject, TRIES, WINDOW).await? {
        return Err(refusal());
    }
    let judged = judge();
    if judged.is_ok() {
        limits::give_back(&mut connection, &subject).await?;
    }
    judged
}

pub(crate) fn wrong() -> AuthError {
    AuthError::forbidden("otp_expired", "Token has expired or is invalid")
}
