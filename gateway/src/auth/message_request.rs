//! Asking for a message (a link or a code) without being signed in.
//!
//! Requests are counted by the address alone, before anybody looks whether it has an account: neither the gap between two messages
//! nor the project's hourly allowance says who has one. Upstream counts where it sends, and by the account.

use super::error::Result;
use super::limits;
use super::mail::limit as mail_limit;
use super::request::Client;
use super::signup::Contact;
use super::sms;
use super::state::AuthState;
use super::verify::attempts;

/// What is asked for. Each has a gap of its own, whatever state the account is in.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Asking {
    /// POST /signup, POST /resend of its message.
    SignUp,
    /// POST /recover.
    Recovery,
    /// POST /otp, POST /magiclink.
    OneTimeCode,
    /// POST /resend of the message of an address or number change.
    Change,
}

impl Asking {
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
pub(crate) struct Turn {
    subject: String,
}

impl Turn {
    /// Counts a request, or refuses it with 429.
    pub(crate) async fn take(state: &AuthState, asking: Asking, contact: &Contact, client: &Client) -> Result<Self> {
        let settings = state.settings();
        let (address, gap, life) = match contact {
            Contact::Email(email) => (email, settings.email.max_frequency, settings.email.otp_expiry),
            Contact::Phone(phone) => (phone, settings.sms.max_frequency, sms::EXPIRY),
        };
        let turn = Self { subject: format!("auth/message/{}/{}", asking.name(), attempts::digest(address)) };
        let mut connection = state.connection().await?;
        if !gap.get().is_zero()
            && let Some(seconds) = limits::take_turn(&mut connection, &turn.subject, gap.get()).await?
        {
            return Err(match contact {
                Contact::Email(_) => mail_limit::too_soon(seconds),
                Contact::Phone(_) => sms::too_soon(seconds),
            });
        }
        let allowed = match contact {
            Contact::Email(_) => mail_limit::take(&mut connection, settings).await,
            Contact::Phone(phone) if sms::test_code(state, phone).is_some() => Ok(()),
            Contact::Phone(_) => sms::take(&mut connection, settings).await,
        };
        drop(connection);
        turn.settle(state, allowed).await?;
        attempts::note_asker(state, address, client, life).await?;
        Ok(turn)
    }

    /// The outcome of what was asked. After a failure it may be asked again at once.
    pub(crate) async fn settle<T>(&self, state: &AuthState, outcome: Result<T>) -> Result<T> {
        if outcome.is_err() {
            limits::forget(&mut *state.connection().await?, &self.subject).await?;
        }
        outcome
    }
}
