//! Sends codes by text message: through the project's `send_sms` hook, else through the provider of config.toml. Test numbers have fixed
//! codes.

use serde_json::json;
use sqlx::PgConnection;

use super::one_time_code::{self, Code};
use super::{code_guesses, hooks, rate_limit};
use crate::auth::client::Client;
use crate::auth::error::{AuthError, Context, Result};
use crate::auth::model::user::User;
use crate::auth::model::{Metadata, one_time_token};
use crate::auth::settings::Settings;
use crate::auth::sms_provider;
use crate::auth::state::AuthState;

const RATE_LIMIT_CODE: &str = "over_sms_send_rate_limit";

/// The purpose of a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Confirmation,
    Change,
    Reauthentication,
}

impl Purpose {
    /// As upstream names it in errors.
    const fn name(self) -> &'static str {
        match self {
            Self::Confirmation => "confirmation",
            Self::Change => "phone_change",
            Self::Reauthentication => "reauthentication",
        }
    }
}

/// Checks the channel: a hook may have any, the providers here have `sms` only.
pub(crate) fn check_channel(settings: &Settings, channel: &str) -> Result<()> {
    if settings.hook.send_sms.enabled || matches!(channel, "" | "sms") {
        Ok(())
    } else {
        Err(AuthError::validation("Invalid channel, the supported value is 'sms'"))
    }
}

/// The fixed code of a test number.
pub(crate) fn test_code<'a>(state: &'a AuthState, phone: &str) -> Option<&'a str> {
    state.settings().sms.test_otp.get(phone).map(cloch_sql::Secret::expose)
}

pub(crate) fn too_soon(seconds: f64) -> AuthError {
    let message = format!("For security purposes, you can only request this after {} seconds.", seconds.floor());
    AuthError::too_many(RATE_LIMIT_CODE, message)
}

/// Whether the provider made the code that was sent to a number, and says that this is it. None if codes are made here.
pub(crate) async fn provider_approves(state: &AuthState, phone: &str, code: &str) -> Option<bool> {
    let sender = state.sms_sender().filter(|_| test_code(state, phone).is_none())?;
    sender.approves(state.http(), phone, code).await
}

/// Counts a message against the project's hourly limit.
pub(crate) async fn take(connection: &mut PgConnection, settings: &Settings) -> Result<()> {
    let allowed = i32::try_from(settings.rate_limit.sms_sent).unwrap_or(i32::MAX);
    if !settings.phone_autoconfirm() && !rate_limit::take(connection, "auth/sms", allowed, 3600.0).await? {
        return Err(over_limit());
    }
    Ok(())
}

fn over_limit() -> AuthError {
    AuthError::too_many(RATE_LIMIT_CODE, "SMS rate limit exceeded")
}

/// Sends the code of a second factor to its number. It counts against the project's hourly limit, and against the gap between two codes
/// that a user has sent to one number, which a factor that is enrolled anew does not end.
pub(crate) async fn send_for_factor(
    state: &AuthState,
    tx: &mut PgConnection,
    user: &User,
    phone: &str,
    code: &str,
    client: &Client,
) -> Result<()> {
    let settings = state.settings();
    let gap = settings.mfa.phone.max_frequency.get();
    let subject = format!("auth/factor-sms/{}/{}", user.id, code_guesses::digest(phone));
    if !gap.is_zero()
        && let Some(seconds) = rate_limit::take_turn(tx, &subject, gap).await?
    {
        return Err(too_soon(seconds));
    }
    let allowed = i32::try_from(settings.rate_limit.sms_sent).unwrap_or(i32::MAX);
    if !rate_limit::take(tx, "auth/sms", allowed, 3600.0).await? {
        return Err(over_limit());
    }
    let message = Message { phone, code, template: &settings.mfa.phone.template, kind: Some("mfa") };
    deliver(state, tx, user, &message, client)
        .await?
        .map_err(|error| AuthError::internal("error sending message", error))
}

/// Sends a code to `phone` for a signed-in user. Returns the message's id, if there is one.
pub(crate) async fn send(
    state: &AuthState,
    tx: &mut PgConnection,
    user: &User,
    phone: &str,
    purpose: Purpose,
    client: &Client,
) -> Result<Option<&'static str>> {
    let last = match purpose {
        Purpose::Confirmation => user.confirmation_sent_at,
        Purpose::Change => user.phone_change_sent_at,
        Purpose::Reauthentication => user.reauthentication_sent_at,
    };
    let gap = chrono::TimeDelta::from_std(state.settings().sms.max_frequency.get()).unwrap_or_default();
    let left = last.map_or(chrono::TimeDelta::zero(), |last| last + gap - chrono::Utc::now());
    if left > chrono::TimeDelta::zero() {
        return Err(too_soon(left.as_seconds_f64()));
    }
    if test_code(state, phone).is_none() {
        take(tx, state.settings()).await?;
    }
    send_counted(state, tx, user, phone, purpose, client).await
}

/// As [`send`], for a request that was already counted by its phone number.
pub(crate) async fn send_counted(
    state: &AuthState,
    tx: &mut PgConnection,
    user: &User,
    phone: &str,
    purpose: Purpose,
    client: &Client,
) -> Result<Option<&'static str>> {
    let (code, message_id) = match test_code(state, phone) {
        Some(fixed) => (Code { digits: fixed.to_owned(), hash: one_time_code::hash(phone, fixed) }, Some("test-otp")),
        None => {
            let code = Code::new(state.settings().sms.code_digits(), phone, false);
            let message = Message { phone, code: &code.digits, template: &state.settings().sms.template, kind: None };
            deliver(state, tx, user, &message, client).await?.map_err(|error| {
                let message = format!("Error sending {} OTP to provider: {error}", purpose.name());
                AuthError::unprocessable("sms_send_failed", message)
            })?;
            (code, None)
        }
    };
    let noted = match purpose {
        Purpose::Confirmation => one_time_token::sent_confirmation(tx, user.id, &code.hash, phone, false).await,
        Purpose::Change => one_time_token::sent_phone_change(tx, user.id, phone, &code.hash).await,
        Purpose::Reauthentication => one_time_token::sent_reauthentication(tx, user.id, &code.hash, phone).await,
    };
    noted.context("error creating one time token")?;
    Ok(message_id)
}

struct Message<'a> {
    phone: &'a str,
    code: &'a str,
    template: &'a str,
    /// What the hook is told that the message is for.
    kind: Option<&'static str>,
}

/// Passes a message to the hook or to the provider; the inner error is the provider's.
async fn deliver(
    state: &AuthState,
    tx: &mut PgConnection,
    user: &User,
    message: &Message<'_>,
    client: &Client,
) -> Result<Result<(), String>> {
    let hook = &state.settings().hook.send_sms;
    if hook.enabled {
        let mut sms = Metadata::new();
        sms.insert("otp".into(), message.code.into());
        sms.insert("phone".into(), message.phone.into());
        if let Some(kind) = message.kind {
            sms.insert("sms_type".into(), kind.into());
        }
        let mut input = Metadata::new();
        input.insert("user".into(), json!(user));
        input.insert("sms".into(), sms.into());
        return hooks::call(state, Some(tx), hook, "send-sms", client, input).await.map(|_| Ok(()));
    }
    let Some(sender) = state.sms_sender() else {
        return Ok(Err("no provider is configured".to_owned()));
    };
    match sms_provider::render(message.template, message.code) {
        Ok(text) => Ok(sender.send(state.http(), message.phone, &text).await),
        Err(error) => Err(AuthError::internal("error generating sms template", error)),
    }
}
