//! Signs short-lived access tokens, with which the dashboard uses an API of the project as a role or user that the operator chose.

use chrono::{DateTime, Utc};
use cloch_sql::Caller;
use serde_json::{Map, Value};

use super::{ApiError, Dashboard};

impl Dashboard {
    /// Signs an access token of a caller, with the additional claims `more`. Returns the token's claims and the signed token.
    pub(super) fn token_for<const N: usize>(
        &self,
        caller: &Caller,
        expires_at: DateTime<Utc>,
        more: [(&str, Value); N],
    ) -> Result<(Map<String, Value>, String), ApiError> {
        let mut claims = caller.claims().clone();
        claims.insert("iat".to_owned(), Utc::now().timestamp().into());
        claims.insert("exp".to_owned(), expires_at.timestamp().into());
        claims.extend(more.map(|(name, value)| (name.to_owned(), value)));
        let token = self.signing.sign(&claims).map_err(|error| ApiError::internal("signing a token failed", error))?;
        Ok((claims, token))
    }
}
