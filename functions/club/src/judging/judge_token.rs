//! Issues the access tokens of judges.

use chrono::{TimeDelta, Utc};
use cloch_functions::{FunctionError, FunctionResponse};
use cloch_sql::caller::KeyRing;
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

/// Default lifetime of a judge's token in hours: one judging day.
const DEFAULT_TOKEN_HOURS: u32 = 8;

/// How a judge signed in. The database checks the claim at each request.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Access {
    /// Version of the judges' password that was valid at sign-in. Policies compare this claim with the current version, so that older
    /// tokens become invalid when the password is replaced.
    Password { password_version: Uuid },
    /// The judge's own link. The token becomes invalid when the link is revoked or replaced.
    Link { judge_link: Uuid },
}

/// Claims of a judge's token. They contain no `sub`, because judges have no account. Therefore `auth.uid()` is null for a judge.
#[derive(Serialize)]
struct Claims {
    role: &'static str,
    #[serde(flatten)]
    access: Access,
    jti: Uuid,
    iat: i64,
    exp: i64,
}

/// Issues a judge's token. Returns `{valid, access_token, token_type, expires_in, expires_at, device}`, with the names and units of the
/// auth API's token response. `device` is null for a judge with a link.
pub(super) fn issue(
    keys: &KeyRing,
    access: Access,
    hours: Option<u32>,
    device: Option<String>,
) -> Result<FunctionResponse, FunctionError> {
    let lifetime = TimeDelta::hours(i64::from(hours.unwrap_or(DEFAULT_TOKEN_HOURS)));
    let now = Utc::now();
    let expires_at = (now + lifetime).timestamp();
    let claims = Claims { role: "judge", access, jti: Uuid::new_v4(), iat: now.timestamp(), exp: expires_at };
    let token = keys.sign(&claims).map_err(|error| FunctionError::internal(&error))?;
    Ok(FunctionResponse::Json(json!({
        "valid": true,
        "access_token": token,
        "token_type": "bearer",
        "expires_in": lifetime.num_seconds(),
        "expires_at": expires_at,
        "device": device,
    })))
}
