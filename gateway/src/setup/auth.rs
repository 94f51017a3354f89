//! Builds the auth API from the configuration.

use std::sync::Arc;

use axum::Router;
use cloch_auth::{AddressLimits, AuthState, Setup, third_party};
use cloch_core::{Live, Secret};
use cloch_http::{LiveRouter, RequestLimits, with_limits};
use cloch_mail::Mailer;
use cloch_sql::Database;
use cloch_sql::caller::ApiKeys;
use cloch_sql::caller::issuers::TrustedIssuer;
use cloch_sql::caller::token::Verifier;

use super::SharedServices;
use crate::config::Config;
use crate::error::CommandError;
use crate::service::Service;

/// Creates the service of the auth API. Also returns the router of the auth API, through which the dashboard sends its own requests. The
/// router is `None` if auth is disabled.
///
/// # Errors
/// If a setting of `[auth]` is invalid.
pub fn service(shared: &SharedServices) -> Result<(Service, Option<Live<Router>>), CommandError> {
    let issuers = Arc::clone(shared.verifier.other_issuers());
    let service = Service::default()
        .metrics(cloch_auth::metrics::register)
        .during_outage("/auth/v1", |_, headers| cloch_auth::unavailable(headers))
        .task(third_party::run(issuers, shared.shutdown.clone()));
    if !shared.config.file.auth.enabled {
        return Ok((service.disabled("/auth/v1", "[auth] enabled = false"), None));
    }
    let dependencies = Dependencies::of(shared)?;
    let (state, limits) = (AuthState::new(setup(&shared.config, &dependencies)?)?, shared.request_limits());
    let router = cloch_auth::router(state.clone());
    let live = LiveAuth {
        public: LiveRouter::new(below_prefix(&router, limits)),
        router: Live::new(router),
        state: Live::new(state.clone()),
    };
    let service = service
        .task(cloch_auth::cleanup::run(live.state.clone(), shared.shutdown.clone()))
        .routes(with_limits(cloch_auth::discovery_router(state), limits))
        .mount_live("/auth/v1", live.public.clone());
    let router = live.router.clone();
    let service = service.on_change(move |config| {
        let (live, state) = (live.clone(), live.state.get().with_setup(setup(config, &dependencies)?)?);
        let router = cloch_auth::router(state.clone());
        Ok(Box::new(move || {
            live.public.replace(below_prefix(&router, limits));
            live.router.set(router);
            live.state.set(state);
        }))
    });
    Ok((service, Some(router)))
}

/// The parts of the auth API that are replaced when a setting is changed.
#[derive(Clone)]
struct LiveAuth {
    /// Router for requests of clients below /auth/v1.
    public: LiveRouter,
    /// Router for requests that the dashboard sends itself: without path prefix and without request limits.
    router: Live<Router>,
    state: Live<AuthState>,
}

fn below_prefix(router: &Router, limits: RequestLimits) -> Router {
    Router::new().nest("/auth/v1", with_limits(router.clone(), limits))
}

/// Services and keys that the auth API needs in addition to the configuration.
struct Dependencies {
    database: Database,
    verifier: Verifier,
    api_keys: ApiKeys,
    mailer: Mailer,
    provider_key: Secret,
}

impl Dependencies {
    fn of(shared: &SharedServices) -> Result<Self, CommandError> {
        Ok(Self {
            database: shared.database.clone(),
            verifier: shared.verifier.clone(),
            api_keys: shared.api_keys.clone(),
            mailer: shared.mailer.clone(),
            provider_key: shared.secrets.provider_key()?,
        })
    }
}

fn setup(config: &Config, dependencies: &Dependencies) -> Result<Setup, CommandError> {
    let settings = config.file.auth.clone();
    let external_url = match &settings.external_url {
        Some(url) => url.parse()?,
        None => config.url("/auth/v1").parse()?,
    };
    let own = &config.cloch.auth;
    Ok(Setup {
        database: dependencies.database.clone(),
        settings,
        external_url,
        verifier: dependencies.verifier.clone(),
        api_keys: dependencies.api_keys.clone(),
        project: config.project.clone(),
        address_limits: address_limits(config),
        wrong_passwords_per_hour: own.wrong_passwords_per_hour,
        invitation_expiry: own.invitation_expiry,
        require_current_password: own.require_current_password,
        passkeys_require_verification: own.passkeys_require_verification,
        recovery_codes: own.recovery_codes,
        prompt_none: own.oauth_prompt_none,
        sms_api: own.sms_api.clone(),
        captcha_api: own.captcha_api.clone(),
        mailer: dependencies.mailer.clone(),
        outbound: super::functions::outbound(config),
        provider_key: dependencies.provider_key.clone(),
        anonymous_user_days: own.anonymous_user_days,
    })
}

/// Returns the additional issuers whose tokens are accepted, such as third-party auth providers. This function does not load their signing
/// keys. The keys are loaded by a background task, or when the first token of an issuer is received.
///
/// # Errors
/// If a setting of an issuer is invalid.
pub fn other_issuers(config: &Config) -> Result<Vec<TrustedIssuer>, CommandError> {
    let own = &config.cloch.auth;
    let issuers = third_party::issuers(&config.file.auth, &own.third_party_audience, &own.issuers)?;
    Ok(issuers.into_iter().map(TrustedIssuer::new).collect())
}

/// Returns the clients to which the auth API's limits per client address apply. Clients with a local address are exempt only if the server
/// is used on this machine alone. On a public server behind a proxy, all clients have a local address.
fn address_limits(config: &Config) -> AddressLimits {
    let server = &config.cloch.server;
    if config.is_reached_from_outside() || !config.host.is_loopback() || !server.trusted_proxies.is_empty() {
        AddressLimits::Everybody
    } else {
        AddressLimits::AllButLocal
    }
}
