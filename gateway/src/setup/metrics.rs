//! Builds /metrics from the configuration.

use cloch_core::supervise;
use cloch_rest::RestState;
use tokio::task::JoinSet;

use super::SharedServices;
use crate::error::CommandError;
use crate::metrics::{self, Metrics, Subjects};

/// Creates the metrics state. Starts the recording of the dashboard's history, and the listener of `[metrics] listen` if it is set.
///
/// # Errors
/// When the address of `[metrics] listen` cannot be bound.
pub async fn state(
    shared: &SharedServices,
    rest: Option<&RestState>,
    background: &mut JoinSet<()>,
) -> Result<Metrics, CommandError> {
    let config = &shared.config;
    let subjects = Subjects {
        database: shared.database.clone(),
        rest: rest.map(|state| state.pool().clone()),
        replica: rest.and_then(|state| state.replica().map(|replica| replica.pool().clone())),
        data: config.data.clone(),
        backup: shared.backup.as_ref().map(cloch_backup::Settings::folder),
        tls: shared.tls.clone(),
    };
    let state = Metrics::new(subjects, config.metrics_access(), shared.secrets.api_keys());
    if let Some(address) = config.cloch.metrics.listen {
        let listener = metrics::bind(address).await?;
        background.spawn(metrics::serve(listener, state.clone(), shared.shutdown.clone()));
    }
    if config.cloch.dashboard.enabled {
        let (metrics, stop) = (state.clone(), shared.shutdown.clone());
        let keep = move || metrics::keep_history(metrics.clone(), stop.clone());
        background.spawn(supervise("history of metrics", shared.shutdown.clone(), keep));
    }
    Ok(state)
}
