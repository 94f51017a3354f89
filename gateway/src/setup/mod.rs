//! Creates the service of each API from the configuration. Each API has its own file.

pub mod acme;
pub mod auth;
pub mod backup;
pub mod checks;
pub mod dashboard;
pub mod functions;
pub mod mail;
pub mod management;
pub mod metrics;
pub mod realtime;
pub mod rest;
pub mod storage;
pub mod telemetry;
pub mod tls;

use std::sync::Arc;
use std::time::Duration;

use cloch_functions::deno::Serve;
use cloch_http::{RequestLimits, Tls};
use cloch_mail::Mailer;
use cloch_sql::Database;
use cloch_sql::caller::ApiKeys;
use cloch_sql::caller::token::Verifier;
use tokio_util::sync::CancellationToken;

use crate::config::{Config, Secrets};
use crate::live_settings::LiveSettings;

/// State and settings that the services of several APIs use.
#[derive(Debug)]
pub struct SharedServices {
    /// The configuration with which the server has started.
    pub config: Arc<Config>,
    /// The settings in effect, which can be changed while the server runs.
    pub live_settings: Arc<LiveSettings>,
    /// The project's keys and passwords.
    pub secrets: Secrets,
    /// The project's API keys, including the keys in the database table `cloch.api_keys`.
    pub api_keys: ApiKeys,
    /// The database pools.
    pub database: Database,
    /// Maximum number of database connections of the table REST API.
    pub rest_connections: u32,
    /// Signer and verifier of tokens.
    pub verifier: Verifier,
    /// Sender of the project's mail.
    pub mailer: Mailer,
    /// Determines which code of the project's own functions is served: the deployed versions, or the code in the project's folder.
    pub serve: Serve,
    /// Settings of the backup; `None` if backups are disabled.
    pub backup: Option<cloch_backup::Settings>,
    /// The HTTPS listener's certificate; `None` if the server has no HTTPS.
    pub tls: Option<Tls>,
    /// Token that is cancelled when the program stops.
    pub shutdown: CancellationToken,
}

impl SharedServices {
    /// Returns the request limits (timeout, body size, minimum transfer rate) of APIs that define no limits of their own.
    pub fn request_limits(&self) -> RequestLimits {
        let server = &self.config.cloch.server;
        RequestLimits {
            timeout: Duration::from_secs(server.request_timeout),
            body_bytes: usize::try_from(server.body_limit.0).unwrap_or(usize::MAX),
            min_rate: server.min_rate(),
        }
    }
}
