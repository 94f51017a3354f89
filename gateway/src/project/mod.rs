//! Operations that the operators' APIs share: with them, `/v1`, `/mcp` and the dashboard's `/_/api` read and change a project. This module
//! is independent of HTTP: its functions take and return values, and fail with a [`ProjectError`], which each API converts to its own error
//! response.
//!
//! [`sql`] runs SQL in the sessions of [`sessions`]; [`migrations`] applies and records migrations; [`deployments`] and [`secrets`] change
//! functions and the secrets in their environment; [`api_keys`] creates and revokes API keys; [`logs`] reads the functions' log files; [`advisors`] checks the schema.

pub(crate) mod advisors;
pub(crate) mod api_keys;
pub(crate) mod buckets;
pub(crate) mod deployments;
mod error;
pub(crate) mod files;
pub(crate) mod logs;
pub(crate) mod migrations;
pub(crate) mod secrets;
mod sessions;
pub(crate) mod sql;
#[cfg(test)]
pub(crate) mod testing;
mod types;

use std::path::PathBuf;

use cloch_core::Live;
use cloch_functions::FunctionsState;
use cloch_sql::Database;
use cloch_sql::caller::ApiKeys;
use serde_json::Value;
use tokio::sync::Mutex;
use url::Url;

pub use error::{ProjectError, SqlRefusal};
pub use secrets::SecretStore;
pub use sessions::Sessions;

/// A project: its settings, database, functions and files, which the operators' APIs read and change.
pub struct Project {
    /// Project reference that the paths of the Management API contain: twenty letters.
    pub reference: String,
    /// Name of the project.
    pub name: String,
    /// Base URL of the project's APIs.
    pub url: Url,
    /// API keys of the project.
    pub api_keys: ApiKeys,
    /// Database of the project.
    pub database: Database,
    /// Opens PostgreSQL sessions for SQL that operators write.
    pub sessions: Sessions,
    /// Schemas that the table REST API exposes.
    pub schemas: Vec<String>,
    /// Folder of the project. The list of ignored advisor findings is read from the folder's cloch.toml for each report, so that changes by
    /// another node or with an editor take effect immediately.
    pub folder: PathBuf,
    /// Whether the migrations folder may be read and written. False if it was a link to a missing path when the server started.
    pub has_migrations: bool,
    /// Settings of each part of the project, such as `storage`, in the JSON form in which Supabase's hosted API returns them. Each entry
    /// contains the name of the part.
    pub settings: Live<Vec<(&'static str, Value)>>,
    /// Enabled services, by their names in `/health`.
    pub services: Vec<&'static str>,
    /// State of `/functions/v1`; `None` if functions are disabled.
    pub functions: Option<FunctionsState>,
    /// Folder with the log files of functions.
    pub function_logs: PathBuf,
    /// Secrets of functions. The mutex allows one change at a time.
    pub secrets: Mutex<SecretStore>,
    /// Time at which the project was first started, in seconds since 1970.
    pub created_at: i64,
}

impl std::fmt::Debug for Project {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Project").field("reference", &self.reference).finish_non_exhaustive()
    }
}

impl Project {
    /// Returns the settings of one part of the project, such as `storage`.
    pub(crate) fn settings_of(&self, part: &str) -> Result<Value, ProjectError> {
        let settings = self.settings.get();
        let found = settings.iter().find(|(name, _)| *name == part).map(|(_, value)| value.clone());
        found.ok_or_else(|| ProjectError::NotFound("There are no such settings".to_owned()))
    }
}
