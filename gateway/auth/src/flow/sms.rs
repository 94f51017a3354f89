//! Sends codes by text message: through the project's `send_sms` hook if the hook is enabled, else through the SMS provider of config.toml.
//! Test numbers receive no message; their codes are fixed.

use serde_json::json;
use sqlx::PgConnection;

use super::message_count::{MessageCount, Unsent};
use super::one_time_code::{self, Code};
use super::{code_guesses, hooks, rate_limit};
use crate::client::Client;
use crate::error::{AuthError, Context, Result};
use crate::model::user::User;
use crate::model::{Metadata, one_time_token};
use crate::settings::Settings;
use crate::sms_provider::{self, SendError};
use crate::state::AuthState;

const RATE_LIMIT_CODE: &str = "over_sms_send_rate_limit";
/// Window of the project's SMS rate limit in seconds.
const WINDOW_SECONDS: f64 = 3600.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Confirmation,
    Change,
    Reauthentication,
}

impl Purpose {
    /// Returns the purpose of a text message as named in GoTrue's error messages.
    const fn name(self) -> &'static str {
        match self {
            Self::Confirmation => "confirmation",
            Self::Change => "phone_change",
            Self::Reauthentication => "reauthentication",
        }
    }
}

/// Validates the channel (such as `sms` or `whatsapp`) of a message. A hook accepts any channel; the built-in SMS providers support only
/// `sms`.
pub(crate) fn check_channel(settings: &Settings, channel: &str) -> Result<()> {
    if settings.hook.send_sms.enabled || matches!(channel, "" | "sms") {
        Ok(())
    } else {
        Err(AuthError::validation("Invalid channel, the supported value is 'sms'"))
    }
}

pub(crate) fn test_code<'a>(state: &'a AuthState, phone: &str) -> Option<&'a str> {
    state.settings().sms.test_otp.get(phone).map(cloch_core::Secret::expose)
}

pub(crate) fn too_soon(seconds: f64) -> AuthError {
    let message = format!("For security purposes, you can only request this after {} seconds.", seconds.floor());
    AuthError::too_many(RATE_LIMIT_CODE, message)
}

/// Whether the SMS provider confirms a code that the provider itself generated. `None` if this server generated the code.
pub(crate) async fn provider_approves(state: &AuthState, phone: &str, code: &str) -> Option<bool> {
    let sender = state.sms_sender().filter(|_| test_code(state, phone).is_none())?;
    sender.approves(state.http(), phone, code).await
}

/// Counts a text message against the project's hourly limit. Returns the count, so that it can be removed if the message is not sent.
pub(crate) async fn take(state: &AuthState) -> Result<MessageCount> {
    if state.settings().phone_autoconfirm() { Ok(MessageCount::default()) } else { take_always(state).await }
}

async fn take_always(state: &AuthState) -> Result<MessageCount> {
    let allowed = state.settings().rate_limit.sms_sent;
    let counted = MessageCount::take(state, "auth/sms".to_owned(), allowed, WINDOW_SECONDS).await?;
    counted.ok_or_else(|| AuthError::too_many(RATE_LIMIT_CODE, "SMS rate limit exceeded"))
}

/// Sends a code to a phone that is a second factor. The message counts against the project's hourly limit and against the minimum interval
/// between two codes from one user to one number. The interval also applies if the user deletes the phone and enrolls it again.
pub(crate) async fn send_for_factor(
    state: &AuthState,
    tx: &mut PgConnection,
    user: &User,
    phone: &str,
    code: &str,
    client: &Client,
) -> Result<()> {
    let settings = state.settings();
    let turn = take_turn_of_factor(state, user, phone).await?;
    let count = match take_always(state).await {
        Ok(count) => count.with_turn(turn),
        Err(refusal) => {
            MessageCount::default().with_turn(turn).give_back(state).await;
            return Err(refusal);
        }
    };
    let failed = |reason: String| AuthError::internal("error sending message", reason);
    let message = Message { phone, code, template: &settings.mfa.phone.template, kind: Some("mfa"), failed: &failed };
    match deliver(state, tx, user, &message, client).await {
        Ok(()) => Ok(()),
        Err(unsent) => Err(unsent.settle(state, count).await),
    }
}

/// Starts the minimum interval between two codes from a user to a phone number. Returns an error if the interval of the previous code has
/// not passed. Returns the key of the interval in the rate limits, or `None` if no interval is configured.
async fn take_turn_of_factor(state: &AuthState, user: &User, phone: &str) -> Result<Option<String>> {
    let gap = state.settings().mfa.phone.max_frequency.get();
    if gap.is_zero() {
        return Ok(None);
    }
    let subject = format!("auth/factor-sms/{}/{}", user.id, code_guesses::digest(phone));
    match rate_limit::take_turn(&mut *state.counting().await?, &subject, gap).await? {
        Some(seconds) => Err(too_soon(seconds)),
        None => Ok(Some(subject)),
    }
}

/// A text message with a one-time code to be sent: its recipient, its purpose, and the client that requested it.
pub(crate) struct CodeMessage<'a> {
    pub(crate) state: &'a AuthState,
    pub(crate) user: &'a User,
    pub(crate) phone: &'a str,
    pub(crate) purpose: Purpose,
    pub(crate) client: &'a Client,
}

impl CodeMessage<'_> {
    /// Counts the message and sends the code to a signed-in user. Returns the message id `test-otp` for a test number, which receives no
    /// message, and `None` for other numbers.
    pub(crate) async fn send(&self, tx: &mut PgConnection) -> Result<Option<&'static str>> {
        let last = match self.purpose {
            Purpose::Confirmation => self.user.confirmation_sent_at,
            Purpose::Change => self.user.phone_change_sent_at,
            Purpose::Reauthentication => self.user.reauthentication_sent_at,
        };
        let gap = chrono::TimeDelta::from_std(self.state.settings().sms.max_frequency.get()).unwrap_or_default();
        let left = last.map_or(chrono::TimeDelta::zero(), |last| last + gap - chrono::Utc::now());
        let is_test = test_code(self.state, self.phone).is_some();
        if !is_test && left > chrono::TimeDelta::zero() {
            return Err(too_soon(left.as_seconds_f64()));
        }
        let count = if is_test { MessageCount::default() } else { take(self.state).await? };
        self.deliver(tx, count).await
    }

    /// Sends the code without counting the message, because the request was already counted by its phone number. Returns the same id as
    /// [`Self::send`].
    pub(crate) async fn send_counted(&self, tx: &mut PgConnection) -> Result<Option<&'static str>> {
        self.deliver(tx, MessageCount::default()).await
    }

    /// Sends the code of a message that was already counted, and stores the code's hash. The count remains if the message may have been
    /// sent, even if storing the hash fails. Returns the same id as [`Self::send`].
    async fn deliver(&self, tx: &mut PgConnection, count: MessageCount) -> Result<Option<&'static str>> {
        let Self { state, user, phone, purpose, client } = *self;
        let (code, message_id) = match test_code(state, phone) {
            Some(fixed) => {
                (Code { digits: fixed.to_owned(), hash: one_time_code::hash(phone, fixed) }, Some("test-otp"))
            }
            None => {
                let code = Code::new(state.settings().sms.code_digits(), phone, false);
                let failed = |reason: String| {
                    let message = format!("Error sending {} OTP to provider: {reason}", purpose.name());
                    AuthError::unprocessable("sms_send_failed", message)
                };
                let template = &state.settings().sms.template;
                let message = Message { phone, code: &code.digits, template, kind: None, failed: &failed };
                if let Err(unsent) = deliver(state, tx, user, &message, client).await {
                    return Err(unsent.settle(state, count).await);
                }
                (code, None)
            }
        };
        let stored = match purpose {
            Purpose::Confirmation => one_time_token::sent_confirmation(tx, user.id, &code.hash, phone, false).await,
            Purpose::Change => one_time_token::sent_phone_change(tx, user.id, phone, &code.hash).await,
            Purpose::Reauthentication => one_time_token::sent_reauthentication(tx, user.id, &code.hash, phone).await,
        };
        stored.context("error creating one time token")?;
        Ok(message_id)
    }
}

struct Message<'a> {
    phone: &'a str,
    code: &'a str,
    template: &'a str,
    /// The `sms_type` field in the payload of the `send_sms` hook.
    kind: Option<&'static str>,
    /// Converts the SMS provider's reason for a failure to the error for the client.
    failed: &'a (dyn Fn(String) -> AuthError + Sync),
}

/// Sends a message through the `send_sms` hook or the SMS provider. Sending may take seconds, so the transaction must not hold locks on
/// rows of other users.
async fn deliver(
    state: &AuthState,
    tx: &mut PgConnection,
    user: &User,
    message: &Message<'_>,
    client: &Client,
) -> Result<(), Unsent> {
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
        return hooks::send(state, tx, hook, "send-sms", client, input).await;
    }
    let Some(sender) = state.sms_sender() else {
        return Err(Unsent::certain((message.failed)("no provider is configured".to_owned())));
    };
    let text = sms_provider::render(message.template, message.code)
        .map_err(|error| Unsent::certain(AuthError::internal("error generating sms template", error)))?;
    sender.send(state.http(), message.phone, &text).await.map_err(|SendError { reason, is_certain }| {
        let error = (message.failed)(reason);
        if is_certain { Unsent::certain(error) } else { Unsent::uncertain(error) }
    })
}
