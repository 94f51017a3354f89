//! A rate limit on wrong passwords for each account.
//!
//! A limit by client address does not stop an attack from many addresses, so wrong passwords are also counted by account. Each network
//! (IPv4 address or IPv6 /64) from which the user has signed in before has a counter of its own; all other networks share one counter. A
//! stranger's guesses fill the shared counter and do not lock out the owner's network. E-mail addresses and phone numbers without an
//! account are counted in the same way.

use uuid::Uuid;

use super::{code_guesses, rate_limit};
use crate::client::Client;
use crate::error::{AuthError, Result};
use crate::model::session;
use crate::model::user::User;
use crate::state::AuthState;

const WINDOW_SECONDS: f64 = 3600.0;

/// A counted password attempt. The attempt counts as wrong unless [`Guess::uncount`] is called.
pub(crate) struct Guess {
    subject: Option<String>,
}

impl Guess {
    /// Counts a password attempt for `login` (an e-mail address or phone number). Beyond the limit, refuses the attempt with status 429,
    /// whether the password is correct or not.
    pub(crate) async fn count(state: &AuthState, login: &str, user: Option<&User>, client: &Client) -> Result<Self> {
        let allowed = i32::try_from(state.setup.wrong_passwords_per_hour).unwrap_or(i32::MAX);
        if allowed == 0 || !state.setup.address_limits.apply_to(client) {
            return Ok(Self { subject: None });
        }
        let mut connection = state.connection().await?;
        let network = client.address.network();
        // Also queries for an unknown e-mail address or phone number, so that the response takes the same time as for an existing account.
        let owner = user.map_or(Uuid::nil(), |user| user.id);
        let known = session::is_known_network(&mut connection, owner, &network).await?;
        let login = code_guesses::digest(&login.to_lowercase());
        let subject = match known {
            true => format!("auth/password/{login}/{network}"),
            false => format!("auth/password/{login}"),
        };
        if rate_limit::take(&mut connection, &subject, allowed, WINDOW_SECONDS).await? {
            return Ok(Self { subject: Some(subject) });
        }
        Err(AuthError::too_many("over_request_rate_limit", "Request rate limit reached"))
    }

    /// Removes the count of a password attempt with the correct password, or of an attempt in which no password was compared.
    pub(crate) async fn uncount(self, state: &AuthState) -> Result<()> {
        match self.subject {
            Some(subject) => Ok(rate_limit::give_back(&mut *state.connection().await?, &subject).await?),
            None => Ok(()),
        }
    }
}
