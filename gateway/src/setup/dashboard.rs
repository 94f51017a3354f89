//! Creates the service of the dashboard and of all other paths below `/_` from the configuration.

use std::sync::Arc;

use axum::Router;
use axum::response::IntoResponse;
use cloch_core::{Live, supervise};
use cloch_http::{RefusedRequests, with_limits};
use cloch_storage::Routes;

use super::SharedServices;
use crate::dashboard::{
    self, ApiError, ConfigChecks, Dashboard, DashboardState, Keys, Passwords, RowCopy, Running, SettingsFiles,
    SettingsNodes,
};
use crate::error::CommandError;
use crate::metrics::Metrics;
use crate::project::Project;
use crate::service::Service;
use crate::web;

/// Checks of a changed configuration.
const CHECKS: ConfigChecks = ConfigChecks { check: super::checks::check, mail: super::mail::settings };

/// Creates the service that applies changes of settings that were made on other nodes. It also runs if the dashboard of this node is
/// disabled.
///
/// # Errors
/// When the keys that encrypt the changes cannot be derived.
pub fn settings_nodes(shared: &SharedServices) -> Result<(Service, Arc<SettingsNodes>), CommandError> {
    let files = SettingsFiles {
        config: Arc::clone(&shared.config),
        live_settings: Arc::clone(&shared.live_settings),
        secrets: shared.secrets.clone(),
        keys: Keys::new(shared.secrets.dashboard_key()?),
        checks: CHECKS,
    };
    let nodes = Arc::new(SettingsNodes::new(files, shared.database.operators().clone()));
    let (following, shutdown) = (Arc::clone(&nodes), shared.shutdown.clone());
    let run = move || Arc::clone(&following).run(shutdown.clone());
    Ok((Service::default().task(supervise("settings of other nodes", shared.shutdown.clone(), run)), nodes))
}

/// Creates the service of all paths below `/_`: the web app's settings, the inbox, the documentation, and the dashboard with its API unless
/// the dashboard is disabled. Also returns the list of refused requests; `None` if the dashboard is disabled. The request pipeline adds
/// requests to this list, and the dashboard shows it.
///
/// # Errors
/// When the dashboard's keys cannot be derived.
pub fn service(
    shared: &SharedServices,
    project: Arc<Project>,
    auth: Option<Live<Router>>,
    storage: Option<Live<Routes>>,
    metrics: Metrics,
    nodes: Arc<SettingsNodes>,
) -> Result<(Service, Option<Arc<RefusedRequests>>), CommandError> {
    let limits = shared.request_limits();
    let inbox = cloch_mail::inbox::router(shared.mailer.clone());
    let public = web::public_config(&shared.secrets.anon_key, &shared.config.cloch.web.settings);
    let own = with_limits(web::config_router(public).nest("/inbox", inbox), limits);
    if !shared.config.cloch.dashboard.enabled {
        return Ok((Service::default().nest("/_", own).routes(web::docs_router()), None));
    }
    let state = state(shared, project, auth, storage, metrics, nodes)?;
    let refused_requests = Arc::clone(&state.refused_requests);
    let own = own.nest("/api", dashboard::router(Arc::clone(&state), limits));
    let service = Service::default()
        .task(async move { state.row_copy.run().await })
        .during_outage("/_/api", |_, _| ApiError::database_lost().into_response())
        .routes(web::dashboard_router().nest("/_", own).merge(web::docs_router()));
    Ok((service, Some(refused_requests)))
}

/// Creates the state of the dashboard's API.
///
/// # Errors
/// When the dashboard's keys cannot be derived.
fn state(
    shared: &SharedServices,
    project: Arc<Project>,
    auth: Option<Live<Router>>,
    storage: Option<Live<Routes>>,
    metrics: Metrics,
    nodes: Arc<SettingsNodes>,
) -> Result<DashboardState, CommandError> {
    let keys = Keys::new(shared.secrets.dashboard_key()?);
    let passwords = Passwords::new(&keys);
    let database = shared.database.clone();
    // On a public server, the response to a refused request must not contain a link to the dashboard page that explains it, because the
    // link would reveal information about the server.
    let page = (!shared.config.is_public()).then(|| shared.config.url("/_/why?request="));
    Ok(Arc::new(Dashboard {
        config: Arc::clone(&shared.config),
        live_settings: Arc::clone(&shared.live_settings),
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
        row_copy: RowCopy::new(shared.backup.clone(), shared.config.data.clone(), shared.shutdown.clone()),
        nodes,
        checks: CHECKS,
    }))
}
