//! Builds the dashboard's API from the configuration.

use std::sync::Arc;

use axum::Router;
use cloch_http::RefusedRequests;
use cloch_storage::Routes;

use super::SharedServices;
use crate::dashboard::{Dashboard, DashboardState, Keys, Passwords, Running};
use crate::error::CommandError;
use crate::metrics::Metrics;
use crate::project::Project;

/// The state of the dashboard's API.
///
/// # Errors
/// When its keys cannot be made.
pub fn state(
    shared: &SharedServices,
    project: Arc<Project>,
    auth: Option<Router>,
    storage: Option<Routes>,
    metrics: Metrics,
) -> Result<DashboardState, CommandError> {
    let keys = Keys::new(shared.secrets.dashboard_key()?);
    let passwords = Passwords::new(&keys).map_err(|error| format!("passwords cannot be hashed: {error}"))?;
    let database = shared.database.clone();
    // A server that others use tells strangers nothing about itself.
    let page = (!shared.config.is_public()).then(|| shared.config.url("/_/why?request="));
    Ok(Arc::new(Dashboard {
        config: Arc::clone(&shared.config),
        secrets: shared.secrets.clone(),
        database,
        project,
        auth,
        storage,
        metrics,
        signing: Arc::clone(shared.verifier.keys()),
        refused_requests: Arc::new(RefusedRequests::new(page)),
        shutdown: shared.shutdown.clone(),
        keys,
        mailer: shared.mailer.clone(),
        passwords,
        running: Running::default(),
    }))
}
