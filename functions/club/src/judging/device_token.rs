//! Tokens of devices on which a judge has signed in before. The password guesses of such a device are queued and counted separately from
//! the guesses of its network (an IPv4 address or an IPv6 /64). Therefore other clients of the network do not delay them.

use chrono::{TimeDelta, Utc};
use cloch_functions::{Call, FunctionError};
use cloch_sql::caller::KeyRing;
use cloch_sql::caller::token::Verifier;
use serde::Serialize;
use uuid::Uuid;

/// Lifetime of a device token: more than a year, so that a device is recognised in the next season.
const DEVICE_TOKEN_DAYS: i64 = 400;

/// Claims of a device token. The claims contain no role and no subject, so the token grants no access if it is used as a bearer token.
#[derive(Serialize)]
struct Claims {
    judging_device: Uuid,
    exp: i64,
}

/// Issues a token for a device on which the right password was entered.
pub(super) fn issue(keys: &KeyRing) -> Result<String, FunctionError> {
    let exp = (Utc::now() + TimeDelta::days(DEVICE_TOKEN_DAYS)).timestamp();
    keys.sign(&Claims { judging_device: Uuid::new_v4(), exp }).map_err(|error| FunctionError::internal(&error))
}

/// Returns the client for which a password guess is counted: the device if its token is valid, otherwise the client's network (an IPv4 address
/// or an IPv6 /64).
pub(super) fn client(call: &Call, device: Option<&str>) -> String {
    let known = device.and_then(|token| {
        let caller = Verifier::new(call.services().keys.clone()).verify(token).ok()?;
        caller.claim("judging_device")?.parse::<Uuid>().ok()
    });
    known.map_or_else(|| format!("network/{}", call.network()), |id| format!("device/{id}"))
}
