//! `/v1`: the part of the Management API that the Supabase CLI, its MCP server and CI use, for whoever has the project's access token;
//! `/mcp`: the same for language models, by the Model Context Protocol ([`mcp`]).
//!
//! A request is admitted ([`access`]), counted and recorded ([`audit`]), then answered: [`projects`] and [`settings`] tell of the
//! configuration, [`functions`] and [`secrets`] change what functions are and find, [`database`] runs SQL,
//! [`advisors`] judges the schema.

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

/// Where it is answered.
pub const MCP_PATH: &str = "/mcp";

/// Bytes of one request, as many as a function's files may have with what is around them.
pub const MAX_BODY_BYTES: usize = 24 << 20;

/// What the Management API knows of its project.
pub struct Project {
    /// Twenty letters that name it in paths.
    pub reference: String,
    /// Its name.
    pub name: String,
    /// Where clients reach the project's APIs.
    pub url: Url,
    /// Whether tools of /mcp may write.
    pub mcp_writes: bool,
    /// From where requests are answered.
    pub access: ManagementAccess,
    /// The access token.
    pub token: Secret,
    /// The API keys.
    pub api_keys: ApiKeys,
    /// The project's own database.
    pub database: Database,
    /// Opens the connections on which SQL of requests runs.
    pub sessions: Sessions,
    /// The schemas that the table REST exposes.
    pub schemas: Vec<String>,
    /// The project's folder, whose cloch.toml says what the advisors leave out: it is read each time, so that a decision of another node, or
    /// of an editor, holds at once.
    pub folder: PathBuf,
    /// The settings of each part as this API words them, by the last part of their path.
    pub settings: Vec<(&'static str, Value)>,
    /// The parts that are switched on, by the names that `health` uses.
    pub services: Vec<&'static str>,
    /// `/functions/v1`, where the project has it.
    pub functions: Option<FunctionsState>,
    /// What functions log.
    pub function_logs: PathBuf,
    /// The secrets of functions; one request at a time changes them.
    pub secrets: Mutex<SecretStore>,
    /// Seconds since 1970 of the project's first start.
    pub created_at: i64,
}

impl std::fmt::Debug for Project {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Project").field("reference", &self.reference).finish_non_exhaustive()
    }
}

/// The state of the API. Cheap to clone.
pub type ManagementState = Arc<Project>;

/// The routes under `/v1`: nest it there.
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
