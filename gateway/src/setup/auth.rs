//! Builds the auth API from the configuration.

use std::sync::Arc;

use axum::Router;
use cloch_auth::{AddressLimits, AuthState, Setup, third_party};
use cloch_http::with_limits;
use cloch_sql::caller::issuers::TrustedIssuer;

use super::SharedServices;
use crate::config::Config;
use crate::error::CommandError;
use crate::service::Service;

/// Creates the service of the auth API. Also returns the API's router for the dashboard, or `None` if auth is disabled.
///
/// # Errors
/// As [`state`].
pub fn service(shared: &SharedServices) -> Result<(Service, Option<Router>), CommandError> {
    let issuers = Arc::clone(shared.verifier.other_issuers());
    let service = Service::default()
        .metrics(cloch_auth::metrics::register)
        .during_outage("/auth/v1", |_, headers| cloch_auth::unavailable(headers))
        .task(third_party::run(issuers, shared.shutdown.clone()));
    if !shared.config.file.auth.enabled {
        return Ok((service, None));
    }
    let (state, limits) = (state(shared)?, shared.request_limits());
    let router = cloch_auth::router(state.clone());
    let service = service
        .task(cloch_auth::cleanup::run(state.clone(), shared.shutdown.clone()))
        .routes(with_limits(cloch_auth::discovery_router(state), limits))
        .nest("/auth/v1", with_limits(router.clone(), limits));
    Ok((service, Some(router)))
}

/// Creates the state of the auth API.
///
/// # Errors
/// If a setting of `[auth]` is invalid.
fn state(shared: &SharedServices) -> Result<AuthState, CommandError> {
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
        api_keys: shared.api_keys.clone(),
        project: config.project.clone(),
        address_limits: address_limits(config),
        wrong_passwords_per_hour: config.cloch.auth.wrong_passwords_per_hour,
        invitation_expiry: config.cloch.auth.invitation_expiry,
        require_current_password: config.cloch.auth.require_current_password,
        passkeys_require_verification: config.cloch.auth.passkeys_require_verification,
        recovery_codes: config.cloch.auth.recovery_codes,
        prompt_none: config.cloch.auth.oauth_prompt_none,
        sms_api: config.cloch.auth.sms_api.clone(),
        captcha_api: config.cloch.auth.captcha_api.clone(),
        mailer: shared.mailer.clone(),
        outbound: super::functions::outbound(config),
        provider_key: shared.secrets.provider_key()?,
        anonymous_user_days: config.cloch.auth.anonymous_user_days,
    };
    Ok(AuthState::new(setup)?)
}

/// Returns the additional issuers whose tokens are accepted; the issuers' keys are loaded later.
///
/// # Errors
/// If a setting of an issuer is invalid.
pub fn other_issuers(config: &Config) -> Result<Vec<TrustedIssuer>, CommandError> {
    let own = &config.cloch.auth;
    let issuers = third_party::issuers(&config.file.auth, &own.third_party_audience, &own.issuers)?;
    Ok(issuers.into_iter().map(TrustedIssuer::new).collect())
}

/// Returns the limits per client address. Local clients are exempt only on a local server, because the requests of a proxy in front of a
/// public server look local.
fn address_limits(config: &Config) -> AddressLimits {
    let server = &config.cloch.server;
    if config.is_reached_from_outside() || !config.host.is_loopback() || !server.trusted_proxies.is_empty() {
        AddressLimits::Everybody
    } else {
        AddressLimits::AllButLocal
    }
}
