//! Rate limits of mails: for a signed-in user, and for the whole project. Requests without a session are counted by address
//! ([`crate::auth::flow::message_request`]).

use sqlx::PgConnection;

use crate::auth::error::{AuthError, Result};
use crate::auth::model::Time;
use crate::auth::settings::{GoDuration, Settings};

const RATE_LIMIT_CODE: &str = "over_email_send_rate_limit";

/// Refuses a second mail of the same kind to a user within the configured interval.
pub(crate) fn check_gap(last: Option<Time>, gap: GoDuration) -> Result<()> {
    let Some(last) = last else { return Ok(()) };
    let Ok(gap) = chrono::TimeDelta::from_std(gap.get()) else {
        return Ok(());
    };
    let left = last + gap - chrono::Utc::now();
    if left > chrono::TimeDelta::zero() { Err(too_soon(left.as_seconds_f64())) } else { Ok(()) }
}

pub(crate) fn too_soon(seconds: f64) -> AuthError {
    let message = format!("For security purposes, you can only request this after {} seconds.", seconds.floor());
    AuthError::too_many(RATE_LIMIT_CODE, message)
}

/// Counts a mail against the project's hourly limit (`[auth.rate_limit] email_sent`), which applies once an SMTP server is configured.
pub(crate) async fn take(connection: &mut PgConnection, settings: &Settings) -> Result<()> {
    let sends = settings.email.smtp.as_ref().is_some_and(|smtp| smtp.enabled);
    let allowed = settings.rate_limit.email_sent;
    if !sends || (settings.email_autoconfirm() && allowed > 0) {
        return Ok(());
    }
    let allowed = i32::try_from(allowed).unwrap_or(i32::MAX);
    if allowed > 0 && crate::auth::flow::rate_limit::take(connection, "auth/mail", allowed, 3600.0).await? {
        return Ok(());
    }
    Err(AuthError::too_many(RATE_LIMIT_CODE, "email rate limit exceeded"))
}
