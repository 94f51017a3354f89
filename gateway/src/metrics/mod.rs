//! `/metrics` in the OpenMetrics text format: counters of all parts of the program, and values that are measured at each scrape
//! ([`postgres`], [`pools`], [`backup`], [`certificate`], [`process`]). A metric that Supabase's own servers also have has the same name
//! here.
//!
//! Counting an event is one atomic addition; all other work is done at a scrape. docs/monitoring.md lists the names of the metrics. The
//! dashboard's charts are computed from the same text ([`history`]).

mod access;
mod backup;
mod certificate;
mod history;
mod listener;
mod pools;
mod postgres;
mod process;
mod realtime;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use cloch_http::{Tls, metrics as http_metrics};
use cloch_sql::Database;
use cloch_sql::caller::ApiKeys;
use cloch_sql::client::Pool;
use http::StatusCode;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, WWW_AUTHENTICATE};
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;
use tokio::sync::Mutex;

use crate::config::MetricsAccess;
use crate::service::Services;
use backup::Backup;
use certificate::Certificate;
use history::History;
use pools::Pools;
use postgres::Postgres;
use process::Process;

pub use history::keep_history;
pub(crate) use history::{Range, Samples};
pub use listener::{bind, serve};

/// Path of the metrics, on the public port and on the separate listener.
pub const PATH: &str = "/metrics";

/// Maximum age of the values from PostgreSQL that a reading for the history may use. Older values are queried again. The age is slightly
/// less than one minute: the history takes a reading every ten seconds, and the reading after 60 seconds must query again.
const DATABASE_AGE: Duration = Duration::from_secs(55);

/// Media type of a response (OpenMetrics 1.0).
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// All metrics, and the settings that determine who may read them. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Metrics(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    registry: Registry,
    access: MetricsAccess,
    keys: ApiKeys,
    /// Sources of the values that are measured at a scrape. The mutex makes concurrent scrapes query the database one after the other.
    sources: Mutex<Sources>,
    history: History,
}

#[derive(Debug)]
struct Sources {
    postgres: Postgres,
    pools: Pools,
    process: Process,
    backup: Option<Backup>,
    certificate: Option<Certificate>,
}

/// Components of the program whose values are measured at each scrape.
#[derive(Debug)]
pub struct Subjects {
    /// Connection pools of the database.
    pub database: Database,
    /// Connection pool of the table REST API; `None` if the table REST API is disabled.
    pub rest: Option<Pool>,
    /// Connection pool with which the table REST API sends reads to the replica; `None` without a replica.
    pub replica: Option<Pool>,
    /// Data folder, whose free space is measured.
    pub data: PathBuf,
    /// Folder of the backup's status file; `None` if the project has no backup.
    pub backup: Option<PathBuf>,
    /// HTTPS certificate; `None` if the server does not serve HTTPS itself.
    pub tls: Option<Tls>,
}

impl Metrics {
    /// Registers the metrics of all services in `services`, and the metrics of the components in `subjects`.
    #[must_use]
    pub fn new(subjects: Subjects, services: &Services, access: MetricsAccess, keys: ApiKeys) -> Self {
        let mut registry = Registry::default();
        let build = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("cloch_build", "The program", build);
        http_metrics::register(&mut registry);
        cloch_core::metrics::register(&mut registry);
        cloch_sql::metrics::register(&mut registry);
        if subjects.replica.is_some() {
            cloch_sql::metrics::register_replica(&mut registry);
        }
        realtime::register(&mut registry);
        services.register_metrics(&mut registry);
        let sources = Sources {
            postgres: Postgres::new(subjects.database.clone(), &mut registry),
            pools: Pools::new(subjects.database, subjects.rest, subjects.replica, &mut registry),
            process: Process::new(subjects.data, &mut registry),
            backup: subjects.backup.map(|folder| Backup::new(folder, &mut registry)),
            certificate: subjects.tls.map(|tls| Certificate::new(tls, &mut registry)),
        };
        Self(Arc::new(Inner { registry, access, keys, sources: Mutex::new(sources), history: History::new() }))
    }

    /// Returns the route of `/metrics` on the public port.
    pub fn router(&self) -> Router {
        Router::new().route(PATH, get(show)).with_state(self.clone())
    }

    /// Measures all values and returns the response to a scrape.
    pub(crate) async fn scrape(&self) -> Response {
        let mut sources = self.0.sources.lock().await;
        sources.postgres.measure().await;
        sources.measure_local();
        drop(sources);
        match self.text() {
            Ok(text) => ([(CONTENT_TYPE, OPEN_METRICS), (CACHE_CONTROL, "no-store")], text).into_response(),
            Err(error) => {
                tracing::error!(%error, "metrics: encoding the OpenMetrics text failed, responding with status 500");
                StatusCode::INTERNAL_SERVER_ERROR.into_response()
            }
        }
    }

    /// Measures all values and adds them to the history.
    async fn sample(&self) {
        let mut sources = self.0.sources.lock().await;
        sources.postgres.measure_again(DATABASE_AGE).await;
        sources.measure_local();
        drop(sources);
        match self.text() {
            Ok(text) => self.0.history.record(&text),
            Err(error) => {
                tracing::error!(%error, "metrics: encoding the OpenMetrics text failed, the history lacks one sample")
            }
        }
    }

    /// Returns the history of the metrics in a time range that ends now.
    pub(crate) fn samples(&self, range: Range) -> Samples {
        self.0.history.samples(range)
    }

    fn text(&self) -> Result<String, fmt::Error> {
        let mut text = String::new();
        encode(&mut text, &self.0.registry)?;
        Ok(text)
    }
}

impl Sources {
    /// Measures all values except those of the database, without waiting.
    fn measure_local(&self) {
        self.pools.measure();
        self.process.measure();
        if let Some(backup) = &self.backup {
            backup.measure();
        }
        if let Some(certificate) = &self.certificate {
            certificate.measure();
        }
    }
}

async fn show(State(metrics): State<Metrics>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    if !access::admits(metrics.0.access, &metrics.0.keys, &parts) {
        let body = axum::Json(serde_json::json!({ "message": "/metrics needs the secret key: Authorization: Bearer" }));
        return (StatusCode::UNAUTHORIZED, [(WWW_AUTHENTICATE, "Bearer"), (CACHE_CONTROL, "no-store")], body)
            .into_response();
    }
    metrics.scrape().await
}

#[cfg(test)]
mod tests;
