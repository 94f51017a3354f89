//! Counts requests for a message (a link or a code) from clients that are not signed in.
//!
//! Each request is counted by e-mail address or phone number before the account is loaded, so that neither the interval between two
//! messages nor the project's hourly limit reveals whether the address has an account. GoTrue counts only the messages that were sent, and
//! counts them by account.

use super::mail::limit as mail_limit;
use super::message_count::MessageCount;
use super::{code_guesses, rate_limit, sms};
use crate::client::Client;
use crate::contact::Contact;
use crate::error::Result;
use crate::state::AuthState;

/// The kind of a request for a message. Each kind has a minimum interval of its own (`max_frequency`), which does not depend on whether an
/// account exists.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MessageRequest {
    /// POST /signup, and POST /resend of the sign-up message.
    SignUp,
    Recovery,
    OneTimeCode,
    /// POST /resend of the message that confirms a changed e-mail address or phone number.
    Change,
}

impl MessageRequest {
    const fn name(self) -> &'static str {
        match self {
            Self::SignUp => "signup",
            Self::Recovery => "recovery",
            Self::OneTimeCode => "otp",
            Self::Change => "change",
        }
    }
}

pub(crate) struct CountedRequest {
    subject: String,
}

impl CountedRequest {
    /// Counts a request for a message. Refuses the request with status 429 if the minimum interval since the previous request has not
    /// passed, or if the hourly limit of mails or text messages is reached.
    pub(crate) async fn count(
        state: &AuthState,
        request: MessageRequest,
        contact: &Contact,
        client: &Client,
    ) -> Result<Self> {
        let settings = state.settings();
        let (address, gap, life) = match contact {
            Contact::Email(email) => (email, settings.email.max_frequency, settings.email.otp_expiry),
            Contact::Phone(phone) => (phone, settings.sms.max_frequency, settings.sms.code_expiry()),
        };
        let counted = Self { subject: format!("auth/message/{}/{}", request.name(), code_guesses::digest(address)) };
        let is_test = matches!(contact, Contact::Phone(phone) if sms::test_code(state, phone).is_some());
        let mut connection = state.connection().await?;
        // A test number has no interval, because it receives no message and its code is fixed.
        if !is_test
            && !gap.get().is_zero()
            && let Some(seconds) = rate_limit::take_turn(&mut connection, &counted.subject, gap.get()).await?
        {
            return Err(match contact {
                Contact::Email(_) => mail_limit::too_soon(seconds),
                Contact::Phone(_) => sms::too_soon(seconds),
            });
        }
        drop(connection);
        // Requests that send no message also count against the hourly limit, because the response must not reveal whether a message was
        // sent.
        let allowed = match contact {
            Contact::Email(_) => mail_limit::take_for(state, client).await,
            Contact::Phone(_) if is_test => Ok(MessageCount::default()),
            Contact::Phone(_) => sms::take(state).await,
        };
        let _stays_counted = counted.settle(state, allowed).await?;
        code_guesses::note_asker(state, address, client, life).await?;
        Ok(counted)
    }

    /// Returns `outcome` unchanged. If `outcome` is an error, ends the minimum interval that this request has started, so that the client
    /// can retry immediately.
    pub(crate) async fn settle<T>(&self, state: &AuthState, outcome: Result<T>) -> Result<T> {
        if outcome.is_err() {
            rate_limit::forget(&mut *state.connection().await?, &self.subject).await?;
        }
        outcome
    }
}
