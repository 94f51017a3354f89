//! What the endpoints share.

use std::sync::Arc;

use axum::Router;
use cloch_http::RefusedRequests;
use cloch_mail::Mailer;
use cloch_sql::Database;
use cloch_sql::caller::KeyRing;
use cloch_storage::Routes;
use tokio_util::sync::CancellationToken;

use super::keys::Keys;
use super::passwords::Passwords;
use super::running_sql::Running;
use crate::config::{Config, Secrets};
use crate::management::ManagementState;
use crate::metrics::Metrics;

/// The state of the dashboard's API.
pub struct Dashboard {
    /// The configuration, for the pages that show it.
    pub config: Arc<Config>,
    /// The project's secrets, which owners may read.
    pub secrets: Secrets,
    /// The database.
    pub database: Database,
    /// What the Management API knows: functions, secrets, advisors, SQL sessions.
    pub management: ManagementState,
    /// `/auth/v1`, where the project has it.
    pub auth: Option<Router>,
    /// `/storage/v1`, where the project has it.
    pub storage: Option<Routes>,
    /// What is measured, and its history.
    pub metrics: Metrics,
    /// Signs tokens.
    pub signing: Arc<KeyRing>,
    /// Requests that were refused or found nothing.
    pub refused_requests: Arc<RefusedRequests>,
    /// Cancelled when the program stops.
    pub shutdown: CancellationToken,
    /// Keys of the dashboard's own.
    pub keys: Keys,
    /// SQL that can be cancelled.
    pub running: Running,
    /// Opens messages of the outbox.
    pub mailer: Mailer,
    /// Hashes passwords of operators.
    pub passwords: Passwords,
}

impl std::fmt::Debug for Dashboard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dashboard").finish_non_exhaustive()
    }
}

/// Cheap to clone.
pub type DashboardState = Arc<Dashboard>;

impl Dashboard {
    /// Whether browsers reach the server over https.
    pub(super) fn is_https(&self) -> bool {
        self.config.external_url.scheme() == "https"
    }
}
