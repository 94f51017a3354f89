//! Tokens of devices that were signed in before. Their guesses are queued and counted apart from their network's, so that nobody else
//! there delays them.

use chrono::{TimeDelta, Utc};
use cloch_functions::{Call, FunctionError};
use cloch_sql::caller::KeyRing;
use cloch_sql::caller::token::Verifier;
use serde::Serialize;
use uuid::Uuid;

/// From one season to the next.
const DEVICE_TOKEN_DAYS: i64 = 400;

/// No role and no subject: as a bearer token it is worth no more than none.
#[derive(Serialize)]
struct Claims {
    judging_device: Uuid,
    exp: i64,
}

/// A token for a device that has entered the right password.
pub(super) fn issue(keys: &KeyRing) -> Result<String, FunctionError> {
    let exp = (Utc::now() + TimeDelta::days(DEVICE_TOKEN_DAYS)).timestamp();
    keys.sign(&Claims { judging_device: Uuid::new_v4(), exp }).map_err(|error| FunctionError::internal(&error))
}

/// Whose guess it is: a device's, or that of the network it comes from.
pub(super) fn client(call: &Call, device: Option<&str>) -> String {
    let known = device.and_then(|token| {
        let caller = Verifier::new(call.services().keys.clone()).verify(token).ok()?;
        caller.claim("judging_device")?.parse::<Uuid>().ok()
    });
    known.map_or_else(|| format!("network/{}", call.network()), |id| format!("device/{id}"))
}
