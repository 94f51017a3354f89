//! Builds the state of each API from the configuration: one file and one function for each.

pub mod acme;
pub mod auth;
pub mod backup;
pub mod dashboard;
pub mod functions;
pub mod mail;
pub mod management;
pub mod metrics;
pub mod outage;
pub mod realtime;
pub mod rest;
pub mod storage;
pub mod telemetry;
pub mod tls;

use std::sync::Arc;

use cloch_functions::deno::Serve;
use cloch_http::Tls;
use cloch_mail::Mailer;
use cloch_sql::Database;
use cloch_sql::caller::token::Verifier;
use tokio_util::sync::CancellationToken;

use crate::config::{Config, Secrets};

/// State shared by all APIs.
#[derive(Debug)]
pub struct SharedServices {
    /// The configuration.
    pub config: Arc<Config>,
    /// The project's secrets.
    pub secrets: Secrets,
    /// The database pools.
    pub database: Database,
    /// Maximum number of connections of the table REST.
    pub rest_connections: u32,
    /// Signs and verifies tokens.
    pub verifier: Verifier,
    /// Sends mail.
    pub mailer: Mailer,
    /// Which version of the project's own functions is served.
    pub serve: Serve,
    /// The backup, where the project has one.
    pub backup: Option<cloch_backup::Settings>,
    /// HTTPS, where the server has its own.
    pub tls: Option<Tls>,
    /// Cancelled when the program stops.
    pub shutdown: CancellationToken,
}
