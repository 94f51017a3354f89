//! Starts what the configuration wants to be told elsewhere.

use cloch_core::{Secret, spans};
use http::HeaderValue;
use tokio::task::JoinSet;

use super::SharedServices;
use crate::config::Config;
use crate::error::CommandError;
use crate::telemetry;
use crate::telemetry::drain::{self, Drain, DrainWriter};

/// Begins to record and export spans where `[telemetry] otlp_endpoint` names a collector.
///
/// # Errors
/// When its secret is no value of a header.
pub fn start(shared: &SharedServices, background: &mut JoinSet<()>) -> Result<(), CommandError> {
    let section = &shared.config.cloch.telemetry;
    let Some(endpoint) = section.otlp_endpoint.clone() else { return Ok(()) };
    let authorization = authorization(section.otlp_authorization.as_ref(), "telemetry.otlp_authorization")?;
    let (project, shutdown) = (shared.config.project_id.clone(), shared.shutdown.clone());
    background.spawn(telemetry::run_export(spans::start(section.sample), endpoint, authorization, project, shutdown));
    Ok(())
}

/// Starts the log drain where `[telemetry] log_drain` names a server.
///
/// # Errors
/// When its secret is no value of a header, or it has no thread.
pub(crate) fn drain(config: &Config) -> Result<Option<(DrainWriter, Drain)>, CommandError> {
    let section = &config.cloch.telemetry;
    let Some(url) = section.log_drain.clone() else { return Ok(None) };
    let authorization = authorization(section.log_drain_authorization.as_ref(), "telemetry.log_drain_authorization")?;
    Ok(Some(drain::start(url, authorization)?))
}

/// The value of a header that is not printed.
fn authorization(secret: Option<&Secret>, key: &str) -> Result<Option<HeaderValue>, CommandError> {
    let Some(secret) = secret.filter(|secret| !secret.is_empty()) else { return Ok(None) };
    let mut value =
        HeaderValue::from_str(secret.expose()).map_err(|_| format!("{key} holds what no header can hold"))?;
    value.set_sensitive(true);
    Ok(Some(value))
}
