//! Counts requests for a message (a link or a code) from clients that are not signed in.
//!
//! Requests are counted by address before the account is looked up, so that neither the interval between two messages nor the project's
//! hourly limit reveals whether the address has an account. Upstream counts sent messages, by account.

use super::mail::limit as mail_limit;
use super::message_count::MessageCount;
use super::{code_guesses, rate_limit, sms};
use crate::client::Client;
use crate::contact::Contact;
use crate::error::Result;
use crate::state::AuthState;

/// The kind of request. Each has its own `max_frequency`, independent of the account's state.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MessageRequest {
    /// POST /signup, and POST /resend of its message.
    SignUp,
    /// POST /recover.
    Recovery,
    /// POST /otp, POST /magiclink.
    OneTimeCode,
    /// POST /resend of the message about a changed address or number.
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

/// A counted request.
pub(crate) struct CountedRequest {
    subject: String,
}

impl CountedRequest {
    /// Counts a request, or refuses it with 429.
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
        let mut connection = state.connection().await?;
        if !gap.get().is_zero()
            && let Some(seconds) = rate_limit::take_turn(&mut connection, &counted.subject, gap.get()).await?
        {
            return Err(match contact {
                Contact::Email(_) => mail_limit::too_soon(seconds),
                Contact::Phone(_) => sms::too_soon(seconds),
            });
        }
        drop(connection);
        // Whatever becomes of the request: whether it sends a message must not show.
        let allowed = match contact {
            Contact::Email(_) => mail_limit::take_for(state, client).await,
            Contact::Phone(phone) if sms::test_code(state, phone).is_some() => Ok(MessageCount::default()),
            Contact::Phone(_) => sms::take(state).await,
        };
        let _stays_counted = counted.settle(state, allowed).await?;
        code_guesses::note_asker(state, address, client, life).await?;
        Ok(counted)
    }

    /// Passes on the outcome of the request. If it failed, its count is deleted, so that it can be retried at once.
    pub(crate) async fn settle<T>(&self, state: &AuthState, outcome: Result<T>) -> Result<T> {
        if outcome.is_err() {
            rate_limit::forget(&mut *state.connection().await?, &self.subject).await?;
        }
        outcome
    }
}
