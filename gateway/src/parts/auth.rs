//! /auth/v1 from the configuration.

use super::Shared;
use crate::auth::{AuthState, Setup};
use crate::command::CommandError;

/// The state of the auth API.
///
/// # Errors
/// A setting of `[auth]` that cannot work.
pub fn state(shared: &Shared) -> Result<AuthState, CommandError> {
    let config = &shared.config;
    let settings = config.file.auth.clone();
    let external_url = match &settings.external_url {
        Some(url) => url.parse()?,
        None => config.url("/auth/v1").parse()?,
    };
    let setup = Setup {
        database: shared.database.clone(),
        settings,
        external_url,
        verifier: shared.verifier.clone(),
        api_keys: shared.secrets.api_keys(),
        project: config.project.clone(),
        limits_per_address: !config.host.is_loopback() || !config.cloch.server.trusted_proxies.is_empty(),
        mailer: (*shared.mailer).clone(),
        anonymous_user_days: config.cloch.auth.anonymous_user_days,
    };
    Ok(AuthState::new(setup)?)
}
