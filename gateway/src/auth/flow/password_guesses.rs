//! A rate limit on wrong passwords for each account.
//!
//! The limit for each client address does not hold against many addresses. So wrong passwords are also counted by the account: in one
//! count for all networks from which nobody has signed in to it, and in one for each network from which somebody has. A stranger's
//! guesses use up the first and never shut out the owner at home. Addresses without an account are counted alike.

use uuid::Uuid;

use super::{code_guesses, rate_limit};
use crate::auth::client::Client;
use crate::auth::error::{AuthError, Result};
use crate::auth::model::session;
use crate::auth::model::user::User;
use crate::auth::state::AuthState;

const WINDOW_SECONDS: f64 = 3600.0;

/// A password attempt: counted as wrong until it turns out to be right.
pub(crate) struct Guess {
    subject: Option<String>,
}

impl Guess {
    /// Counts an attempt at the account `login` (an e-mail address or phone number), or refuses it with 429, right or wrong.
    pub(crate) async fn count(state: &AuthState, login: &str, user: Option<&User>, client: &Client) -> Result<Self> {
        let allowed = i32::try_from(state.setup.wrong_passwords_per_hour).unwrap_or(i32::MAX);
        if allowed == 0 || !state.setup.address_limits.apply_to(client) {
            return Ok(Self { subject: None });
        }
        let mut connection = state.connection().await?;
        let network = client.address.network();
        // Asked for unknown addresses too: as much work.
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

    /// The password was right.
    pub(crate) async fn was_right(self, state: &AuthState) -> Result<()> {
        match self.subject {
            Some(subject) => Ok(rate_limit::give_back(&mut *state.connection().await?, &subject).await?),
            None => Ok(()),
        }
    }
}
