//! /realtime/v1 from the configuration.

use super::Shared;
use crate::realtime::RealtimeState;

/// The state of the realtime API.
#[must_use]
pub fn state(shared: &Shared) -> RealtimeState {
    RealtimeState::new(
        shared.database.clone(),
        shared.verifier.clone(),
        shared.secrets.api_keys(),
        shared.shutdown.clone(),
    )
}
