//! Creates the service of /metrics from the configuration.

use cloch_core::supervise;
use cloch_http::with_limits;
use cloch_rest::RestState;

use super::SharedServices;
use crate::error::CommandError;
use crate::metrics::{self, Metrics, Subjects};
use crate::service::{Service, Services};

/// Creates the service of /metrics. It contains the metrics of all services in `services`. Also starts the listener of `[metrics] listen`
/// if it is set, and records the history of the metrics if the dashboard is enabled.
///
/// # Errors
/// When the address of `[metrics] listen` cannot be bound.
pub async fn service(
    shared: &SharedServices,
    rest: Option<&RestState>,
    services: &Services,
) -> Result<(Service, Metrics), CommandError> {
    let config = &shared.config;
    let subjects = Subjects {
        database: shared.database.clone(),
        rest: rest.map(|state| state.pool().clone()),
        replica: rest.and_then(|state| state.replica().map(|replica| replica.pool().clone())),
        data: config.data.clone(),
        backup: shared.backup.as_ref().map(cloch_backup::Settings::folder),
        tls: shared.tls.clone(),
    };
    let state = Metrics::new(subjects, services, config.metrics_access(), shared.api_keys.clone());
    let mut service = Service::default().routes(with_limits(state.router(), shared.request_limits()));
    if let Some(address) = config.cloch.metrics.listen {
        let listener = metrics::bind(address).await?;
        service = service.task(metrics::serve(listener, state.clone(), shared.shutdown.clone()));
    }
    if config.cloch.dashboard.enabled {
        let (metrics, stop) = (state.clone(), shared.shutdown.clone());
        let keep = move || metrics::keep_history(metrics.clone(), stop.clone());
        service = service.task(supervise("history of metrics", shared.shutdown.clone(), keep));
    }
    Ok((service, state))
}
