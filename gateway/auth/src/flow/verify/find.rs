//! Finds the user of a one-time token or code, and checks that the token is valid and has not expired.

use sqlx::PgConnection;

use super::{Pending, Purpose};
use crate::error::{AuthError, Context, Result};
use crate::flow::{code_guesses, one_time_code, sms};
use crate::model::one_time_token::{self, Kind};
use crate::model::user::{self, User};
use crate::state::AuthState;

pub(crate) struct ValidToken {
    pub(crate) user: User,
    pub(crate) purpose: Purpose,
    /// Whether an e-mail address change was confirmed from the current address. False if it was confirmed from the new address.
    pub(crate) by_current: bool,
    /// The stored hash that matches the token or code. `None` for the fixed code of a test number.
    hash: Option<String>,
    /// The phone number that received the code. Empty for links.
    pub(crate) phone: String,
}

/// A code that the user typed, and the address or number to which the code was sent.
pub(crate) struct Code<'a> {
    pub(crate) purpose: Option<Purpose>,
    pub(crate) address: &'a str,
    pub(crate) digits: &'a str,
    pub(crate) aud: &'a str,
}

const LINK_EXPIRED: &str = "Email link is invalid or has expired";

pub(crate) async fn by_hash(
    state: &AuthState,
    connection: &mut PgConnection,
    purpose: Option<Purpose>,
    hash: &str,
) -> Result<ValidToken> {
    let expired = || AuthError::forbidden("otp_expired", LINK_EXPIRED);
    let kinds: &[Kind] = match purpose {
        Some(Purpose::Email) => &[Kind::ConfirmationToken, Kind::RecoveryToken],
        Some(Purpose::Signup | Purpose::Invite) => &[Kind::ConfirmationToken],
        Some(Purpose::Recovery | Purpose::MagicLink) => &[Kind::RecoveryToken],
        Some(Purpose::EmailChange) => &[Kind::EmailChangeTokenCurrent, Kind::EmailChangeTokenNew],
        Some(Purpose::Sms | Purpose::PhoneChange) | None => {
            return Err(AuthError::validation("Invalid email verification type"));
        }
    };
    let message = "Database error finding user from email link";
    let found = one_time_token::find(connection, hash, kinds).await.context(message)?.ok_or_else(expired)?;
    let user = user::by_id_locked(connection, found.user_id).await.context(message)?.ok_or_else(expired)?;
    // The token is searched again, because a concurrent request may have used it while this request waited for the row lock.
    if one_time_token::find(connection, hash, kinds).await.context(message)?.is_none() {
        return Err(expired());
    }
    check_ban(&user)?;
    let (purpose, sent_at) = match (found.kind, purpose) {
        (Kind::ConfirmationToken, Some(Purpose::Email)) => (Purpose::Signup, user.confirmation_sent_at),
        (Kind::RecoveryToken, Some(Purpose::Email)) => (Purpose::MagicLink, user.recovery_sent_at),
        (Kind::ConfirmationToken, Some(purpose)) => (purpose, user.confirmation_sent_at),
        (Kind::RecoveryToken, Some(purpose)) => (purpose, user.recovery_sent_at),
        (_, purpose) => (purpose.unwrap_or(Purpose::EmailChange), user.email_change_sent_at),
    };
    // The kind of the stored token determines the expiry. The type in the link does not, because anyone can edit a link.
    let invited = found.kind == Kind::ConfirmationToken && user.was_invited_last();
    let expiry = if invited { state.invitation_expiry() } else { state.settings().email.otp_expiry };
    if !(Pending { hash: &user.confirmation_token, sent_at, expiry }).is_in_time() {
        return Err(expired());
    }
    let by_current = found.kind == Kind::EmailChangeTokenCurrent;
    Ok(ValidToken { user, purpose, by_current, hash: Some(hash.to_owned()), phone: String::new() })
}

/// Finds a one-time token by the code that the user typed. Unknown, wrong, used and expired codes get the same error.
pub(crate) async fn by_code(state: &AuthState, code: &Code<'_>) -> Result<ValidToken> {
    let hash = one_time_code::hash(code.address, code.digits);
    // The user is loaded before the SMS provider is queried, so that no database connection is occupied while the provider responds.
    let found = user_of(&mut *state.connection().await?, code, &hash).await;
    let user = found.context("Database error finding user")?.ok_or_else(code_guesses::wrong)?;
    let purpose = code.purpose.ok_or_else(code_guesses::wrong)?;
    let (mail, text) = (state.settings().email.otp_expiry, state.settings().sms.code_expiry());
    let confirmation = |expiry| Pending { hash: &user.confirmation_token, sent_at: user.confirmation_sent_at, expiry };
    let recovery = Pending { hash: &user.recovery_token, sent_at: user.recovery_sent_at, expiry: mail };
    let change = |hash| Pending { hash, sent_at: user.email_change_sent_at, expiry: mail };
    let phone_change = Pending { hash: &user.phone_change_token, sent_at: user.phone_change_sent_at, expiry: text };
    // If the SMS provider generates the codes itself (Twilio Verify), the code in the message is not the code whose hash this server has
    // stored, so the hash of the typed code does not match. If the provider approves the typed code, the stored hash is used instead.
    let waiting = match purpose {
        Purpose::Sms => Some(confirmation(text)),
        Purpose::PhoneChange => Some(Pending { hash: phone_change.hash, ..phone_change }),
        _ => None,
    };
    let hash = match waiting.filter(|waiting| waiting.is_in_time() && !waiting.hash.expose().is_empty()) {
        Some(waiting) => match sms::provider_approves(state, code.address, code.digits).await {
            Some(true) => waiting.hash.expose().to_owned(),
            Some(false) => return Err(code_guesses::wrong()),
            None => hash,
        },
        None => hash,
    };
    let by_current = change(&user.email_change_token_current).is_met_by(&hash);
    let met = match purpose {
        Purpose::Email if confirmation(mail).is_met_by(&hash) => Some(Purpose::Signup),
        Purpose::Email => recovery.is_met_by(&hash).then_some(Purpose::MagicLink),
        Purpose::Signup | Purpose::Invite => confirmation(mail).is_met_by(&hash).then_some(purpose),
        Purpose::Recovery | Purpose::MagicLink => recovery.is_met_by(&hash).then_some(purpose),
        Purpose::EmailChange => {
            (by_current || change(&user.email_change_token_new).is_met_by(&hash)).then_some(purpose)
        }
        Purpose::Sms => confirmation(text).is_met_by(&hash).then_some(purpose),
        Purpose::PhoneChange => phone_change.is_met_by(&hash).then_some(purpose),
    };
    let by_phone = matches!(purpose, Purpose::Sms | Purpose::PhoneChange);
    let is_test = by_phone && sms::test_code(state, code.address) == Some(code.digits);
    let found = match met {
        Some(purpose) => ValidToken { user, purpose, by_current, hash: Some(hash), phone: code.address.to_owned() },
        None if is_test => ValidToken { user, purpose, by_current: false, hash: None, phone: code.address.to_owned() },
        None => return Err(code_guesses::wrong()),
    };
    // The ban is checked after the code, so that only a client with a valid code learns that the account exists and is banned.
    check_ban(&found.user)?;
    Ok(found)
}

async fn user_of(connection: &mut PgConnection, code: &Code<'_>, hash: &str) -> sqlx::Result<Option<User>> {
    match code.purpose {
        Some(Purpose::PhoneChange) => match by_token(connection, code, hash, &[Kind::PhoneChangeToken]).await? {
            Some(user) => Ok(Some(user)),
            // The fixed code of a test number, and a code that the SMS provider generated, match no stored hash. Such a code belongs to the
            // last user who requested a change to this number.
            None => user::by_phone_change(connection, code.address, code.aud).await,
        },
        Some(Purpose::Sms) => user::by_phone(connection, code.address, code.aud).await,
        Some(Purpose::EmailChange) => {
            by_token(connection, code, hash, &[Kind::EmailChangeTokenCurrent, Kind::EmailChangeTokenNew]).await
        }
        _ => user::by_email(connection, code.address, code.aud).await,
    }
}

/// Finds the user who requested a change of address or number, by the stored token. `None` if no such token is pending. The new address or
/// number cannot identify the user, because no user has it yet and several users may have requested it.
async fn by_token(
    connection: &mut PgConnection,
    code: &Code<'_>,
    hash: &str,
    kinds: &[Kind],
) -> sqlx::Result<Option<User>> {
    for hash in [hash.to_owned(), format!("{}{hash}", crate::pkce::TOKEN_PREFIX)] {
        if let Some(found) = one_time_token::find(connection, &hash, kinds).await? {
            return Ok(user::by_id(connection, found.user_id).await?.filter(|user| user.aud == code.aud));
        }
    }
    Ok(None)
}

/// Locks the user's row and checks that the token is still stored, so that only one of two concurrent uses of the token succeeds.
pub(crate) async fn still_pending(tx: &mut PgConnection, found: ValidToken) -> Result<ValidToken> {
    let gone = || match found.phone.is_empty() {
        true => AuthError::forbidden("otp_expired", LINK_EXPIRED),
        false => code_guesses::wrong(),
    };
    let user = user::by_id_locked(tx, found.user.id).await?.ok_or_else(gone)?;
    let Some(hash) = found.hash.as_deref() else {
        return Ok(ValidToken { user, ..found });
    };
    let columns = [
        &user.confirmation_token,
        &user.recovery_token,
        &user.email_change_token_current,
        &user.email_change_token_new,
        &user.phone_change_token,
    ];
    let marked = format!("{}{hash}", crate::pkce::TOKEN_PREFIX);
    if columns.into_iter().any(|column| column.matches(hash) || column.matches(&marked)) {
        Ok(ValidToken { user, ..found })
    } else {
        Err(gone())
    }
}

fn check_ban(user: &User) -> Result<()> {
    if user.is_banned() { Err(AuthError::forbidden("user_banned", "User is banned")) } else { Ok(()) }
}
