//! Counts messages (mails and text messages) against a rate limit before they are sent, in a separate transaction.
//!
//! The row of a rate limit remains locked until the transaction that counts the message ends. If the request's own transaction counted the
//! message, all other messages of the project would wait while a provider sends the message, which may take seconds. Because the count is
//! committed immediately, it is also kept if the request is rolled back or cancelled after the message was sent.

use super::rate_limit;
use crate::error::{AuthError, Result};
use crate::state::AuthState;

/// The keys of the rate limits that count a message, so that the counts can be removed if the message is not sent. Empty if no rate limit
/// counts the message.
#[must_use]
#[derive(Debug, Default)]
pub(crate) struct MessageCount {
    call: Option<String>,
    turn: Option<String>,
}

impl MessageCount {
    /// Counts a message against the rate limit with the key `subject` if fewer than `allowed` messages were counted in the last `seconds`.
    /// Returns `None` if the limit is reached.
    pub(crate) async fn take(state: &AuthState, subject: String, allowed: u32, seconds: f64) -> Result<Option<Self>> {
        let allowed = i32::try_from(allowed).unwrap_or(i32::MAX);
        let is_counted =
            allowed > 0 && rate_limit::take(&mut *state.counting().await?, &subject, allowed, seconds).await?;
        Ok(is_counted.then_some(Self { call: Some(subject), turn: None }))
    }

    /// Adds `turn`: the rate limit key of the minimum interval until the next message ([`rate_limit::take_turn`]). This message started the
    /// interval. [`Self::give_back`] then also ends the interval.
    pub(crate) fn with_turn(self, turn: Option<String>) -> Self {
        Self { turn, ..self }
    }

    /// Removes the rate limit count of a message that was not sent.
    pub(crate) async fn give_back(self, state: &AuthState) {
        let given_back = async {
            let mut connection = state.counting().await?;
            if let Some(subject) = &self.call {
                rate_limit::give_back(&mut connection, subject).await?;
            }
            if let Some(subject) = &self.turn {
                rate_limit::forget(&mut connection, subject).await?;
            }
            Ok::<_, AuthError>(())
        };
        if let Err(error) = given_back.await {
            tracing::warn!(%error, "auth: a mail or text message was not sent, but is still counted: subtracting it from the rate limit count failed, the limit is reached earlier");
        }
    }
}

/// The error for a message whose delivery failed, or whose delivery is uncertain.
#[derive(Debug)]
pub(crate) struct Unsent {
    error: AuthError,
    is_certain: bool,
}

impl Unsent {
    /// Creates the error for a message that was certainly not sent.
    pub(crate) fn certain(error: AuthError) -> Self {
        Self { error, is_certain: true }
    }

    /// Creates the error for a message that may have been sent, for example after a timeout.
    pub(crate) fn uncertain(error: AuthError) -> Self {
        Self { error, is_certain: false }
    }

    /// Returns the error that the client receives. Removes the rate limit count only if the message was certainly not sent.
    pub(crate) async fn settle(self, state: &AuthState, count: MessageCount) -> AuthError {
        if self.is_certain {
            count.give_back(state).await;
        }
        self.error
    }
}
