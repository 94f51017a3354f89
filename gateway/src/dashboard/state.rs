//! Shared state of the dashboard's endpoints.

use std::sync::Arc;

use axum::Router;
use cloch_core::Live;
use cloch_http::RefusedRequests;
use cloch_mail::Mailer;
use cloch_sql::Database;
use cloch_sql::caller::KeyRing;
use cloch_storage::Routes;
use tokio_util::sync::CancellationToken;

use super::keys::Keys;
use super::node_settings::{ConfigChecks, SettingsNodes};
use super::passwords::Passwords;
use super::row_copy::RowCopy;
use super::running_sql::Running;
use crate::config::{Config, Secrets};
use crate::live_settings::LiveSettings;
use crate::metrics::Metrics;
use crate::project::Project;

/// State of the dashboard's API.
pub struct Dashboard {
    /// Configuration with which the server has started, for the pages that show the configuration.
    pub config: Arc<Config>,
    /// Settings in effect; owners can change them without a restart.
    pub live_settings: Arc<LiveSettings>,
    /// Keys and secrets of the project, which owners may read.
    pub secrets: Secrets,
    /// Connection pools and logins of the database.
    pub database: Database,
    /// The project: functions, secrets, advisors, SQL sessions.
    pub project: Arc<Project>,
    /// Router of `/auth/v1`; `None` if Auth is disabled.
    pub auth: Option<Live<Router>>,
    /// Router of `/storage/v1`; `None` if Storage is disabled.
    pub storage: Option<Live<Routes>>,
    /// Metrics and their history.
    pub metrics: Metrics,
    /// Keys that sign tokens.
    pub signing: Arc<KeyRing>,
    /// Recent requests that were refused or whose response was empty.
    pub refused_requests: Arc<RefusedRequests>,
    /// Token that is cancelled when the program shuts down.
    pub shutdown: CancellationToken,
    /// Keys for sign-in links, password hashes and TOTP secrets.
    pub keys: Keys,
    /// Running SQL scripts, which can be cancelled.
    pub running: Running,
    /// Decrypts messages of the mail outbox.
    pub mailer: Mailer,
    /// Hashes and verifies passwords of operators.
    pub passwords: Passwords,
    /// Temporary copy of the database from which owners restore rows.
    pub row_copy: RowCopy,
    /// Changes config.toml and cloch.toml on all nodes.
    pub nodes: Arc<SettingsNodes>,
    /// Functions that check a configuration and read its mail settings. The server's start uses the same functions.
    pub checks: ConfigChecks,
}

impl std::fmt::Debug for Dashboard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dashboard").finish_non_exhaustive()
    }
}

/// Shared reference to the state of the dashboard's API.
pub type DashboardState = Arc<Dashboard>;

impl Dashboard {
    /// Whether browsers reach the server over HTTPS.
    pub(super) fn is_https(&self) -> bool {
        self.config.external_url.scheme() == "https"
    }
}
