//! Verifies an operator's password or passkey again before a change of the operator's own account.

use cloch_core::Secret;
use http::StatusCode;
use http::request::Parts;
use serde::Deserialize;

use super::limits;
use super::passkeys::{Assertion, Purpose, prove};
use super::session::Session;
use crate::dashboard::operator::Credentials;
use crate::dashboard::{ApiError, Dashboard};

/// Password or passkey that an operator sends to confirm a change.
#[derive(Deserialize)]
pub(super) struct Proof {
    #[serde(default)]
    password: Option<Secret>,
    #[serde(default)]
    passkey: Option<Assertion>,
}

impl Proof {
    pub(super) fn new(password: Option<Secret>, passkey: Option<Assertion>) -> Self {
        Self { password, passkey }
    }
}

/// Verifies the password or passkey and returns the operator's account.
pub(super) async fn confirm(
    state: &Dashboard,
    session: &Session,
    parts: &Parts,
    proof: &Proof,
) -> Result<Credentials, ApiError> {
    let pool = state.database.operators();
    let (id, email) = (session.operator.id, &session.operator.email);
    let found = Credentials::by_id(pool, id).await?.ok_or_else(|| ApiError::signed_out("This account is gone"))?;
    if let Some(passkey) = &proof.passkey {
        // The status is 403, because 401 would sign the operator out although the session stays valid.
        let refused = |error: ApiError| match error.status() {
            StatusCode::UNAUTHORIZED => {
                ApiError::forbidden("This passkey is not accepted").with_code("invalid_passkey")
            }
            _ => error,
        };
        prove(state, Purpose::Confirm(id), passkey).await.map_err(refused)?;
        return Ok(found);
    }
    let Some(password) = &proof.password else {
        return Err(ApiError::bad_request("Give your password, or a passkey"));
    };
    let wrong = limits::account(pool, email, Some(id), parts).await?;
    match state.passwords.verify(found.password_hash().as_ref(), password).await? {
        true => {
            limits::forgive_account(pool, email, parts).await?;
            Ok(found)
        }
        false => {
            wrong.wait().await?;
            Err(ApiError::forbidden("This is not your password").with_code("invalid_password"))
        }
    }
}
