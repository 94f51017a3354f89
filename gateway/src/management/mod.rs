//! `/v1`: the part of the Management API that the Supabase CLI, its MCP server and CI use, with the project's access token; `/mcp`: tools
//! for language models, by the Model Context Protocol ([`mcp`]).
//!
//! [`access`] checks and counts a request, [`audit`] records it. [`projects`] and [`settings`] return the configuration, [`functions`] and
//! [`secrets`] change functions and their environment, [`database`] runs SQL, [`advisors`] check the schema.

mod access;
mod advisors;
mod audit;
mod database;
mod error;
mod functions;
mod health;
mod logs;
mod mcp;
mod projects;
mod secrets;
mod settings;
mod types;

use std::path::PathBuf;
use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use cloch_core::Secret;
use cloch_functions::FunctionsState;
use cloch_sql::Database;
use cloch_sql::caller::ApiKeys;
use serde_json::Value;
use tokio::sync::Mutex;
use url::Url;

use crate::config::ManagementAccess;

pub use database::Sessions;
pub use error::ApiError;
pub use mcp::router as mcp_router;
pub use secrets::SecretStore;

/// Path of the MCP endpoint.
pub const MCP_PATH: &str = "/mcp";

/// Maximum size of a request in bytes: the maximum size of a function's files, and the form around them.
pub const MAX_BODY_BYTES: usize = 24 << 20;

/// State of the Management API.
pub struct Project {
    /// Project reference in paths: twenty letters.
    pub reference: String,
    /// Name of the project.
    pub name: String,
    /// Base URL of the project's APIs.
    pub url: Url,
    /// Whether tools of `/mcp` may write.
    pub mcp_writes: bool,
    /// Clients that may use the API.
    pub access: ManagementAccess,
    /// Access token of the API.
    pub token: Secret,
    /// API keys of the project.
    pub api_keys: ApiKeys,
    /// Database of the project.
    pub database: Database,
    /// Opens the PostgreSQL sessions in which SQL of requests runs.
    pub sessions: Sessions,
    /// Schemas that the table REST exposes.
    pub schemas: Vec<String>,
    /// Folder of the project. Its cloch.toml with the ignored advisor findings is read for each report, so that changes by another node or
    /// an editor take effect at once.
    pub folder: PathBuf,
    /// Settings of each part in the hosted API's JSON form, by the last segment of their path.
    pub settings: Vec<(&'static str, Value)>,
    /// Enabled services, by their names in `/health`.
    pub services: Vec<&'static str>,
    /// State of `/functions/v1`; `None` if functions are disabled.
    pub functions: Option<FunctionsState>,
    /// Folder with the log files of functions.
    pub function_logs: PathBuf,
    /// Secrets of functions. The mutex allows one change at a time.
    pub secrets: Mutex<SecretStore>,
    /// Time of the project's first start in seconds since 1970.
    pub created_at: i64,
}

impl std::fmt::Debug for Project {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Project").field("reference", &self.reference).finish_non_exhaustive()
    }
}

/// Shared reference to the state of the Management API.
pub type ManagementState = Arc<Project>;

/// Returns the router of the API, to be nested at `/v1`.
pub fn router(state: ManagementState) -> Router {
    let project = Router::new()
        .route("/", get(projects::show))
        .route("/api-keys", get(projects::api_keys))
        .route("/api-keys/legacy", get(projects::legacy_keys))
        .route("/health", get(health::show))
        .route("/postgrest", get(settings::postgrest))
        .route("/config/{part}", get(settings::show))
        .route("/config/database/{part}", get(settings::database))
        .route("/functions", get(functions::list).put(functions::switch_all).post(functions::refuse_bundle))
        .route("/functions/deploy", post(functions::deploy))
        .route("/functions/{slug}", get(functions::show).patch(functions::change).delete(functions::remove))
        .route("/functions/{slug}/body", get(functions::body))
        .route("/secrets", get(secrets::list).post(secrets::set).delete(secrets::unset))
        .route("/database/query", post(database::query))
        .route("/database/query/read-only", post(database::query_read_only))
        .route("/database/migrations", get(database::list_migrations).post(database::apply_migration))
        .route("/advisors/{kind}", get(advisors::show))
        .route("/types/typescript", get(types::typescript))
        .route("/storage/buckets", get(projects::buckets))
        .route("/analytics/endpoints/{endpoint}", get(logs::show));
    Router::new()
        .route("/organizations", get(projects::organizations))
        .route("/organizations/{slug}", get(projects::organization))
        .route("/projects", get(projects::list))
        .nest("/projects/{ref}", project)
        .fallback(error::not_found)
        .method_not_allowed_fallback(error::method_not_allowed)
        .layer(from_fn_with_state(state.clone(), access::admit))
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .with_state(state)
}
