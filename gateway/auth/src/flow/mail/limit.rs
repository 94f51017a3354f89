//! Rate limits of mails: a minimum interval between two mails to a signed-in user, and an hourly limit of the project. Requests without a
//! session are counted by e-mail address ([`crate::flow::message_request`]).

use crate::client::Client;
use crate::error::{AuthError, Result};
use crate::flow::message_count::MessageCount;
use crate::model::Time;
use crate::settings::{GoDuration, Settings};
use crate::state::AuthState;

const RATE_LIMIT_CODE: &str = "over_email_send_rate_limit";
/// Window of the project's mail limit (`email_sent`) in seconds.
const WINDOW_SECONDS: f64 = 3600.0;
/// If the project's hourly mail limit is at least this number, one network (IPv4 address or IPv6 /64) may use only half of the limit. If
/// the limit is smaller, one network may use all of it.
const MIN_SHARED: u32 = 4;

/// Refuses a mail if the user received a mail of the same kind less than `gap` ago.
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

/// Counts a mail against the project's hourly mail limit (`[auth.rate_limit] email_sent`). Refuses the mail with status 429 if the limit is
/// reached. Returns the count, so that it can be removed if the mail is not sent. The limit applies only if an SMTP server is configured.
pub(crate) async fn take(state: &AuthState) -> Result<MessageCount> {
    match allowed(state.settings()) {
        Some(allowed) => take_of(state, "auth/mail".to_owned(), allowed).await,
        None => Ok(MessageCount::default()),
    }
}

/// Counts a mail against the project's hourly mail limit as [`take`] does, for a client that is not signed in. Also refuses the mail if the
/// client's network (IPv4 address or IPv6 /64) has used half of the limit. Otherwise, one network could block the mails for all other
/// networks.
pub(crate) async fn take_for(state: &AuthState, client: &Client) -> Result<MessageCount> {
    // Loopback addresses are exempt, because they may belong to a local proxy that forwards the requests of many clients.
    let is_shared = |allowed: &u32| *allowed >= MIN_SHARED && !client.address.is_loopback();
    if let Some(allowed) = allowed(state.settings()).filter(is_shared) {
        let _counted = take_of(state, format!("auth/mail/{}", client.address.network()), allowed / 2).await?;
    }
    take(state).await
}

/// Returns the project's hourly mail limit. `None` if the limit does not apply: no SMTP server is configured, or the project does not
/// require confirmed e-mail addresses. A limit of zero applies even if the project does not require confirmed addresses.
fn allowed(settings: &Settings) -> Option<u32> {
    let sends = settings.email.smtp.as_ref().is_some_and(|smtp| smtp.enabled);
    let allowed = settings.rate_limit.email_sent;
    let is_counted = sends && (!settings.email_autoconfirm() || allowed == 0);
    is_counted.then_some(allowed)
}

async fn take_of(state: &AuthState, subject: String, allowed: u32) -> Result<MessageCount> {
    let counted = MessageCount::take(state, subject, allowed, WINDOW_SECONDS).await?;
    counted.ok_or_else(|| AuthError::too_many(RATE_LIMIT_CODE, "email rate limit exceeded"))
}
