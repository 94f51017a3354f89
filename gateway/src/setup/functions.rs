//! /functions/v1 from the configuration.

use std::time::Duration;

use cloch_functions::outbound::Outbound;
use cloch_functions::settings::Sections;
use cloch_functions::{FunctionsState, Registry, Services, Settings};
use cloch_sql::Secret;
use cloch_storage::StorageState;

use super::SharedServices;
use crate::config::Config;
use crate::error::CommandError;

/// The state of the functions API, ready to be called.
///
/// # Errors
/// A setting that cannot work, or a database that does not answer.
pub async fn state(shared: &SharedServices, storage: Option<StorageState>) -> Result<FunctionsState, CommandError> {
    let config = &shared.config;
    let settings = settings(shared)?;
    let registry = match cloch_club::is_declared(&config.functions) {
        true => register_club(shared, &settings).await?,
        false => Registry::default(),
    };
    let services = Services {
        settings,
        database: shared.database.clone(),
        mailer: shared.mailer.clone(),
        storage,
        keys: std::sync::Arc::clone(shared.verifier.keys()),
        api_keys: shared.secrets.api_keys(),
        local_url: config.local_url("").parse()?,
        public_url: config.external_url.clone(),
        site_url: config.file.auth.site_url.parse()?,
    };
    let state = FunctionsState::new(services, registry)?;
    state.check_destinations()?;
    Ok(state)
}

/// What the project says about functions, and the secrets that it keeps for them. Those of config.toml win.
fn settings(shared: &SharedServices) -> Result<Settings, CommandError> {
    let config = &shared.config;
    let mut settings = Settings::read(Sections {
        declared: &config.functions,
        secrets: &config.file.edge_runtime.secrets,
        options: &config.cloch.functions,
    })?;
    settings.outbound = outbound(config);
    for (name, value) in &shared.secrets.functions {
        if !config.has_function_secret(name) {
            settings.secrets.insert(name.clone(), Secret::new(value));
        }
    }
    Ok(settings)
}

/// The functions of the club, with its judging password in force.
async fn register_club(shared: &SharedServices, settings: &Settings) -> Result<Registry, CommandError> {
    let config = &shared.config;
    let mut club = cloch_club::Settings::read(&config.cloch.functions, &config.cloch.ai, &settings.secrets)?;
    cloch_club::check_destinations(&club, settings)?;
    let invitation_expiry = config.cloch.auth.invitation_expiry.unwrap_or(config.file.auth.email.otp_expiry);
    club.invitation_expiry = Duration::from_secs(invitation_expiry);
    cloch_club::prepare(&shared.database, settings.secret(cloch_club::JUDGING_PASSWORD))
        .await
        .map_err(|error| format!("functions: {error:?}"))?;
    Ok(cloch_club::register(Registry::default(), &club)?)
}

/// Where requests to other servers may go.
pub fn outbound(config: &Config) -> Outbound {
    Outbound::new(&config.cloch.outbound.allowed_networks)
}
