//! Builds the dashboard's API from the configuration.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use cloch_storage::Routes;
use sqlx::postgres::PgPoolOptions;
use sqlx::{AssertSqlSafe, PgPool};

use super::SharedServices;
use super::management::owner;
use crate::dashboard::{Dashboard, DashboardState, Keys, Passwords, Running};
use crate::error::CommandError;
use crate::http::RefusedRequests;
use crate::logging::recent;
use crate::management::ManagementState;

/// Connections of the project's owner: each is a process of PostgreSQL.
const OWNER_CONNECTIONS: u32 = 4;
/// Time for which a request waits for one of them.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(10);
/// Time after which one that is not used is closed.
const IDLE_TIMEOUT: Duration = Duration::from_secs(60);

/// The state of the dashboard's API.
///
/// # Errors
/// When its keys cannot be made.
pub fn state(
    shared: &SharedServices,
    management: ManagementState,
    auth: Option<Router>,
    storage: Option<Routes>,
) -> Result<DashboardState, CommandError> {
    recent::keep();
    let keys = Keys::new(shared.secrets.dashboard_key()?);
    let passwords = Passwords::new(&keys).map_err(|error| format!("passwords cannot be hashed: {error}"))?;
    let database = shared.database.clone();
    let owner = owner_pool(shared);
    // A server that others use tells strangers nothing about itself.
    let page = (!shared.config.is_public()).then(|| shared.config.url("/_/why?request="));
    Ok(Arc::new(Dashboard {
        config: Arc::clone(&shared.config),
        secrets: shared.secrets.clone(),
        database,
        owner,
        management,
        auth,
        storage,
        signing: Arc::clone(shared.verifier.keys()),
        refused_requests: Arc::new(RefusedRequests::new(page)),
        shutdown: shared.shutdown.clone(),
        keys,
        passwords,
        running: Running::default(),
    }))
}

/// Connections of the project's owner. On a server of the operator's own, the login given may be a superuser: see the Management API's
/// `Sessions`.
fn owner_pool(shared: &SharedServices) -> PgPool {
    let admin = shared.database.admin().clone();
    let options = PgPoolOptions::new()
        .max_connections(OWNER_CONNECTIONS)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .idle_timeout(IDLE_TIMEOUT)
        .after_connect(move |connection, _| {
            let admin = admin.clone();
            Box::pin(async move {
                let text = "select format('set role %I', cloch.project_owner()::text)";
                let statement: String = sqlx::query_scalar(text).fetch_one(&admin).await?;
                sqlx::raw_sql(AssertSqlSafe(statement)).execute(connection).await.map(drop)
            })
        });
    owner(shared).pool(options, "cloch")
}
