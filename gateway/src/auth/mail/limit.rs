//! How often mail may be asked for: by one user who is signed in, and by the project as a whole. Who is not signed in is counted by
//! the address ([`crate::auth::message_request`]).

use sqlx::PgConnection;

use crate::auth::error::{AuthError, Result};
use crate::auth::models::Time;
use crate::auth::settings::{GoDuration, Settings};

const CODE: &str = "over_email_send_rate_limit";

/// Refuses a second mail of a kind to one user within the configured time.
pub(super) fn check_gap(last: Option<Time>, gap: GoDuration) -> Result<()> {
    let Some(last) = last else { return Ok(()) };
    let Ok(gap) = chrono::TimeDelta::from_std(gap.get()) else { return Ok(()) };
    let left = last + gap - chrono::Utc::now();
    if left > chrono::TimeDelta::zero() { Err(too_soon(left.as_seconds_f64())) } else { Ok(()) }
}

pub(crate) fn too_soon(seconds: f64) -> AuthError {
    let message = format!("For security purposes, you can only request this after {} seconds.", seconds.floor());
    AuthError::too_many(CODE, message)
}

/// Counts a mail against the project's hourly allowance, which holds once mail leaves the machine.
pub(crate) async fn take(connection: &mut PgConnection, settings: &Settings) -> Result<()> {
    let sends = settings.email.smtp.as_ref().is_some_and(|smtp| smtp.enabled);
    let allowed = settings.rate_limit.email_sent;
    if !sends || (settings.email_autoconfirm() && allowed > 0) {
        return Ok(());
    }
    let allowed = i32::try_from(allowed).unwrap_or(i32::MAX);
    if allowed > 0 && crate::auth::limits::take(connection, "auth/mail", allowed, 3600.0).await? {
        return Ok(());
    }
    Err(AuthError::too_many(CODE, "email rate limit exceeded"))
}
