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

/// The name under which validate-judging-password finds the judges' first password.
const JUDGING_PASSWORD: &str = "JUDGING_PASSWORD";

/// The state of the functions API, ready to be called.
///
/// # Errors
/// A setting that cannot work, or a database that does not answer.
pub async fn state(shared: &SharedServices, storage: Option<StorageState>) -> Result<FunctionsState, CommandError> {
    let config = &shared.config;
    let mut secrets = config.file.edge_runtime.secrets.clone();
    secrets.entry(JUDGING_PASSWORD.to_owned()).or_insert_with(|| Secret::new(&shared.secrets.judging_password));
    let mut settings = Settings::read(Sections {
        declared: &config.functions,
        secrets: &secrets,
        options: &config.cloch.functions,
        ai: &config.cloch.ai,
    })?;
    settings.outbound = outbound(config);
    let invitation_life = config.cloch.auth.invitation_expiry.unwrap_or(config.file.auth.email.otp_expiry);
    settings.invitation_life = Some(Duration::from_secs(invitation_life));
    let state = FunctionsState::new(Services {
        settings,
        registry: Registry::standard(),
        database: shared.database.clone(),
        mailer: shared.mailer.clone(),
        storage,
        keys: std::sync::Arc::clone(shared.verifier.keys()),
        api_keys: shared.secrets.api_keys(),
        local_url: config.local_url("").parse()?,
        public_url: config.external_url.clone(),
        site_url: config.file.auth.site_url.parse()?,
    })?;
    state.prepare().await.map_err(|refusal| format!("functions: {refusal:?}"))?;
    Ok(state)
}

/// Where requests to other servers may go.
pub fn outbound(config: &Config) -> Outbound {
    Outbound::new(&config.cloch.outbound.allowed_networks)
}
