//! /functions/v1 from the configuration.

use cloch_functions::settings::Sections;
use cloch_functions::{FunctionsState, Registry, Services, Settings};
use cloch_sql::Secret;
use cloch_storage::StorageState;
use url::Url;

use super::Shared;
use crate::command::CommandError;

/// The name under which validate-judging-password finds the judges' first password.
const JUDGING_PASSWORD: &str = "JUDGING_PASSWORD";

/// The state of the functions API, ready to be called.
///
/// # Errors
/// A setting that cannot work, or a database that does not answer.
pub async fn state(shared: &Shared, storage: Option<StorageState>) -> Result<FunctionsState, CommandError> {
    let config = &shared.config;
    let mut secrets = config.file.edge_runtime.secrets.clone();
    secrets.entry(JUDGING_PASSWORD.to_owned()).or_insert_with(|| Secret::new(&shared.secrets.judging_password));
    let settings = Settings::read(Sections {
        declared: &config.functions,
        secrets: &secrets,
        options: &config.cloch.functions,
        ai: &config.cloch.ai,
    })?;
    let state = FunctionsState::new(Services {
        settings,
        registry: Registry::standard(),
        database: shared.database.clone(),
        mailer: (*shared.mailer).clone(),
        storage,
        keys: std::sync::Arc::clone(shared.verifier.keys()),
        api_keys: shared.secrets.api_keys(),
        local_url: local_url(shared)?,
        public_url: config.external_url.clone(),
        site_url: config.file.auth.site_url.parse()?,
    })?;
    state.prepare().await.map_err(|refusal| format!("functions: {refusal:?}"))?;
    Ok(state)
}

/// Where this server reaches itself: never through the outside, where a proxy may ask for more.
fn local_url(shared: &Shared) -> Result<Url, CommandError> {
    let host = shared.config.host;
    let own = match (host.is_unspecified(), host) {
        (true, _) => "127.0.0.1".to_owned(),
        (false, std::net::IpAddr::V4(address)) => address.to_string(),
        (false, std::net::IpAddr::V6(address)) => format!("[{address}]"),
    };
    Ok(format!("http://{own}:{}", shared.config.port).parse()?)
}
