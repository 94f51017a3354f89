//! Tokens of devices that have signed in before. Their guesses are queued and counted separately from those of their network, so that other
//! clients of the network do not delay them.

use chrono::{TimeDelta, Utc};
use cloch_functions::{Call, FunctionError};
use cloch_sql::caller::KeyRing;
use cloch_sql::caller::token::Verifier;
use serde::Serialize;
use uuid::Uuid;

/// Lifetime of a device token: more than a year, so that a device is recognised in the next season.
const DEVICE_TOKEN_DAYS: i64 = 400;

/// Claims of a device token. Without role and subject, the token grants no access if it is used as a bearer token.
#[derive(Serialize)]
struct Claims {
    judging_device: Uuid,
    exp: i64,
}

/// Issues a token for a device that has entered the right password.
pub(super) fn issue(keys: &KeyRing) -> Result<String, FunctionError> {
    let exp = (Utc::now() + TimeDelta::days(DEVICE_TOKEN_DAYS)).timestamp();
    keys.sign(&Claims { judging_device: Uuid::new_v4(), exp }).map_err(|error| FunctionError::internal(&error))
}

/// Returns the key under which a guess is counted: the device if its token is valid, otherwise the network.
pub(super) fn client(call: &Call, device: Option<&str>) -> String {
    let known = device.and_then(|token| {
        let caller = Verifier::new(call.services().keys.clone()).verify(token).ok()?;
        caller.claim("judging_device")?.parse::<Uuid>().ok()
    });
    known.map_or_else(|| format!("network/{}", call.network()), |id| format!("device/{id}"))
}
