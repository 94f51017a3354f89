//! How many wrong passwords an account takes.
//!
//! The limit for each client address does not hold against many addresses. So wrong passwords are also counted by the account: in one
//! count for all networks from which nobody has signed in to it, and in one for each network from which somebody has. A stranger's
//! guesses use up the first and never shut out the owner at home. Addresses without an account are counted alike.

use uuid::Uuid;

use crate::auth::error::{AuthError, Result};
use crate::auth::limits;
use crate::auth::models::session;
use crate::auth::models::user::User;
use crate::auth::request::Client;
use crate::auth::state::AuthState;
use crate::auth::verify::attempts;

/// Seconds.
const WINDOW: f64 = 3600.0;

/// A guess that is counted until it turns out to be right.
pub(super) struct Guess {
    subject: Option<String>,
}

impl Guess {
    /// Counts a guess at the password of whoever has `login` (an address or a number), or refuses it, right or wrong.
    pub(super) async fn count(state: &AuthState, login: &str, user: Option<&User>, client: &Client) -> Result<Self> {
        let allowed = i32::try_from(state.setup.wrong_passwords_per_hour).unwrap_or(i32::MAX);
        if allowed == 0 || !state.setup.address_limits.hold(client) {
            return Ok(Self { subject: None });
        }
        let mut connection = state.connection().await?;
        let network = client.address.network();
        // Asked for unknown addresses too: as much work.
        let owner = user.map_or(Uuid::nil(), |user| user.id);
        let known = session::is_known_network(&mut connection, owner, &network).await?;
        let login = attempts::digest(&login.to_lowercase());
        let subject = match known {
            true => format!("auth/password/{login}/{network}"),
            false => format!("auth/password/{login}"),
        };
        if limits::take(&mut connection, &subject, allowed, WINDOW).await? {
            return Ok(Self { subject: Some(subject) });
        }
        Err(AuthError::too_many("over_request_rate_limit", "Request rate limit reached"))
    }

    /// The password was right.
    pub(super) async fn was_right(self, state: &AuthState) -> Result<()> {
        match self.subject {
            Some(subject) => Ok(limits::give_back(&mut *state.connection().await?, &subject).await?),
            None => Ok(()),
        }
    }
}
