//! Creates the service that exports traces, and the log drain, if the configuration enables them.

use cloch_core::{Secret, spans};
use http::HeaderValue;

use super::SharedServices;
use crate::config::Config;
use crate::error::CommandError;
use crate::service::Service;
use crate::telemetry;
use crate::telemetry::drain::{self, Drain, DrainWriter};

/// Creates the service that records spans and exports them to `[telemetry] otlp_endpoint`. Without this setting, no spans are recorded.
///
/// # Errors
/// When `otlp_authorization` is not valid as a header value.
pub fn service(shared: &SharedServices) -> Result<Service, CommandError> {
    let section = &shared.config.cloch.telemetry;
    let service = Service::default().metrics(telemetry::register);
    let Some(endpoint) = section.otlp_endpoint.clone() else { return Ok(service) };
    let authorization = authorization(section.otlp_authorization.as_ref(), "telemetry.otlp_authorization")?;
    let (project, shutdown) = (shared.config.project_id.clone(), shared.shutdown.clone());
    let spans = spans::start(section.sample);
    Ok(service.task(telemetry::run_export(spans, endpoint, authorization, project, shutdown)))
}

/// Starts the log drain if `[telemetry] log_drain` is set.
///
/// # Errors
/// When `log_drain_authorization` is not valid as a header value, or the thread of the log drain cannot be started.
pub(crate) fn drain(config: &Config) -> Result<Option<(DrainWriter, Drain)>, CommandError> {
    let section = &config.cloch.telemetry;
    let Some(url) = section.log_drain.clone() else { return Ok(None) };
    let authorization = authorization(section.log_drain_authorization.as_ref(), "telemetry.log_drain_authorization")?;
    Ok(Some(drain::start(url, authorization)?))
}

/// Converts a secret to a header value. The value is marked as sensitive, so that it is not printed.
fn authorization(secret: Option<&Secret>, key: &str) -> Result<Option<HeaderValue>, CommandError> {
    let Some(secret) = secret.filter(|secret| !secret.is_empty()) else { return Ok(None) };
    let mut value =
        HeaderValue::from_str(secret.expose()).map_err(|_| format!("{key} holds what no header can hold"))?;
    value.set_sensitive(true);
    Ok(Some(value))
}
