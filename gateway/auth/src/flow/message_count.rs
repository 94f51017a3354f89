//! Counts messages before they are sent, outside of the request's transaction.
//!
//! The row of a limit stays locked until the transaction that counts has ended. A provider may take seconds for a message, so a count within
//! the request's transaction made all other messages of the project wait. Committed at once, a count also survives a request that rolls
//! back or breaks off after its message was sent.

use super::rate_limit;
use crate::error::{AuthError, Result};
use crate::state::AuthState;

/// A message that is counted and not sent yet.
#[must_use]
#[derive(Debug, Default)]
pub(crate) struct MessageCount {
    call: Option<String>,
    turn: Option<String>,
}

impl MessageCount {
    /// Counts a message of `subject` if fewer than `allowed` were counted in the last `seconds`; `None` if it is one too many.
    pub(crate) async fn take(state: &AuthState, subject: String, allowed: u32, seconds: f64) -> Result<Option<Self>> {
        let allowed = i32::try_from(allowed).unwrap_or(i32::MAX);
        let is_counted =
            allowed > 0 && rate_limit::take(&mut *state.counting().await?, &subject, allowed, seconds).await?;
        Ok(is_counted.then_some(Self { call: Some(subject), turn: None }))
    }

    /// The same message is also the turn of a subject ([`rate_limit::take_turn`]).
    pub(crate) fn with_turn(self, turn: Option<String>) -> Self {
        Self { turn, ..self }
    }

    /// Takes the count back, because the message is not sent.
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
            tracing::warn!(%error, "auth: rate limit not given back for an unsent message");
        }
    }
}

/// The error of a message that was not sent, or may not have been.
#[derive(Debug)]
pub(crate) struct Unsent {
    error: AuthError,
    is_certain: bool,
}

impl Unsent {
    /// The message was not sent.
    pub(crate) fn certain(error: AuthError) -> Self {
        Self { error, is_certain: true }
    }

    /// The message may have been sent, such as where no answer came in time.
    pub(crate) fn uncertain(error: AuthError) -> Self {
        Self { error, is_certain: false }
    }

    /// The error for the client. The count is taken back only if the message was certainly not sent.
    pub(crate) async fn settle(self, state: &AuthState, count: MessageCount) -> AuthError {
        if self.is_certain {
            count.give_back(state).await;
        }
        self.error
    }
}
