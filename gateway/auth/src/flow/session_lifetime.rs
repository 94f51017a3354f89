//! Limits of a session's lifetime (`[auth.sessions]` in config.toml).

use chrono::{TimeDelta, Utc};

use crate::model::Time;
use crate::model::session::Session;
use crate::model::user::User;
use crate::settings::{GoDuration, Sessions};
use crate::state::AuthState;

pub(crate) fn last_refreshed(session: &Session, token: Option<Time>) -> Time {
    session.last_refreshed().or(token).unwrap_or(session.created_at).max(session.created_at)
}

/// Whether a session has not expired: it has not reached its fixed end time or a limit of `[auth.sessions]`.
pub(crate) fn is_valid(state: &AuthState, session: &Session, user: &User) -> bool {
    invalidity(&state.settings().sessions, session, user, None).is_none()
}

/// Returns the reason why a session has expired, as the text that follows "Session Expired" in the error message. `None` if the session is
/// valid.
pub(crate) fn invalidity(
    settings: &Sessions,
    session: &Session,
    user: &User,
    token: Option<Time>,
) -> Option<&'static str> {
    let now = Utc::now();
    // A session limit of zero means no limit.
    let after = |from: Time, limit: GoDuration| {
        !limit.get().is_zero() && TimeDelta::from_std(limit.get()).is_ok_and(|limit| now > from + limit)
    };
    if !session.is_open() || settings.timebox.is_some_and(|limit| after(session.created_at, limit)) {
        return Some("");
    }
    if settings.inactivity_timeout.is_some_and(|limit| after(last_refreshed(session, token), limit)) {
        return Some(" (Inactivity)");
    }
    let low = !session.has_aal2() && user.has_verified_factor();
    if low && settings.allow_low_aal.is_some_and(|limit| after(session.created_at, limit)) {
        return Some(" (Low AAL: User Needs MFA Verification)");
    }
    None
}
