//! Issues the access tokens of judges.

use chrono::{TimeDelta, Utc};
use cloch_functions::{FunctionError, FunctionResponse};
use cloch_sql::caller::KeyRing;
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

/// Default lifetime of a judge's token in hours: one judging day.
const DEFAULT_TOKEN_HOURS: u32 = 8;

/// Claims of a judge's token. They contain no `sub`, because all judges share one password. Therefore `auth.uid()` is null for a judge.
#[derive(Serialize)]
struct Claims {
    role: &'static str,
    /// Version of the judges' password that was valid at sign-in. Policies compare this claim with the current version, so that older
    /// tokens become invalid when the password is replaced.
    password_version: Uuid,
    jti: Uuid,
    iat: i64,
    exp: i64,
}

/// Issues a judge's token. Returns `{valid, access_token, token_type, expires_in, expires_at, device}`, with the names and units of the
/// auth API's token response.
pub(super) fn issue(
    keys: &KeyRing,
    version: Uuid,
    hours: Option<u32>,
    device: String,
) -> Result<FunctionResponse, FunctionError> {
    let lifetime = TimeDelta::hours(i64::from(hours.unwrap_or(DEFAULT_TOKEN_HOURS)));
    let now = Utc::now();
    let expires_at = (now + lifetime).timestamp();
    let claims =
        Claims { role: "judge", password_version: version, jti: Uuid::new_v4(), iat: now.timestamp(), exp: expires_at };
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
