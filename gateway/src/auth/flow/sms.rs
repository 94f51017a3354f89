//! Sends codes by text message. Cloch has no SMS provider: the project's `send_sms` hook sends them, and test numbers have fixed codes.

use serde_json::{Value, json};
use sqlx::PgConnection;

use super::one_time_code::{self, Code};
use super::{hooks, rate_limit};
use crate::auth::client::Client;
use crate::auth::error::{AuthError, Context, Result};
use crate::auth::model::one_time_token;
use crate::auth::model::user::User;
use crate::auth::settings::Settings;
use crate::auth::state::AuthState;

const RATE_LIMIT_CODE: &str = "over_sms_send_rate_limit";
/// Digits of a code; config.toml has no key for it.
const CODE_DIGITS: u8 = 6;
/// Lifetime of a code, in seconds; the Supabase CLI's value.
pub(crate) const CODE_EXPIRY_SECONDS: u64 = 6000;

/// The purpose of a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Confirmation,
    Change,
    Reauthentication,
}

/// Checks that the channel is `sms` or empty.
pub(crate) fn check_channel(channel: &str) -> Result<()> {
    if matches!(channel, "" | "sms" | "whatsapp") {
        Ok(())
    } else {
        Err(AuthError::validation(
            "Invalid channel, supported values are 'sms' or 'whatsapp'. 'whatsapp' is only supported if Twilio or Twilio Verify \
             is used as the provider.",
        ))
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

/// Counts a message against the project's hourly limit.
pub(crate) async fn take(connection: &mut PgConnection, settings: &Settings) -> Result<()> {
    let allowed = i32::try_from(settings.rate_limit.sms_sent).unwrap_or(i32::MAX);
    if !settings.phone_autoconfirm() && !rate_limit::take(connection, "auth/sms", allowed, 3600.0).await? {
        return Err(AuthError::too_many(RATE_LIMIT_CODE, "SMS rate limit exceeded"));
    }
    Ok(())
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
            let code = Code::new(CODE_DIGITS, phone, false);
            deliver(state, tx, user, phone, &code.digits, client).await?;
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

async fn deliver(
    state: &AuthState,
    tx: &mut PgConnection,
    user: &User,
    phone: &str,
    code: &str,
    client: &Client,
) -> Result<()> {
    let hook = &state.settings().hook.send_sms;
    if !hook.enabled {
        return Err(AuthError::unprocessable(
            "sms_send_failed",
            "Error sending confirmation OTP to provider: no provider is configured",
        ));
    }
    let input = json!({ "user": user, "sms": { "otp": code, "phone": phone } });
    let Value::Object(input) = input else {
        return Ok(());
    };
    hooks::call(state, Some(tx), hook, "send-sms", client, input).await.map(drop)
}
