//! `/metrics` in the OpenMetrics text format: counters of all parts, and what is measured at each scrape ([`postgres`], [`pools`],
//! [`backup`], [`certificate`], [`process`]). Names are those of Supabase's own servers where they have one.
//!
//! Counting is an atomic addition where something happens; all else is done at a scrape. docs/monitoring.md lists the names. The dashboard's
//! charts are made of the same text ([`history`]).

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
use cloch_auth::metrics as auth_metrics;
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

use crate::background::cron_metrics;
use crate::config::MetricsAccess;
use crate::telemetry;
use backup::Backup;
use certificate::Certificate;
use history::History;
use pools::Pools;
use postgres::Postgres;
use process::Process;

pub use history::keep_history;
pub(crate) use history::{Range, Samples};
pub use listener::{bind, serve};

/// The path, which is Cloch's at the public port and at the own listener.
pub const PATH: &str = "/metrics";

/// Time after which the history asks the database again, unless a scrape has. Below a minute by less than an interval of the samples.
const DATABASE_AGE: Duration = Duration::from_secs(55);

/// The type of a response (OpenMetrics 1.0).
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// What is measured, and who may read it.
#[derive(Clone, Debug)]
pub struct Metrics(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    registry: Registry,
    access: MetricsAccess,
    keys: ApiKeys,
    /// What is measured at a scrape. Locked, so that scrapes at the same time ask the database one after the other.
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

/// What there is to measure.
#[derive(Debug)]
pub struct Subjects {
    /// The database.
    pub database: Database,
    /// The connections of the table REST, where it is switched on.
    pub rest: Option<Pool>,
    /// Its connections to the replica, where there is one.
    pub replica: Option<Pool>,
    /// The data folder, whose free space is measured.
    pub data: PathBuf,
    /// The folder of the backup's status, where the project has a backup.
    pub backup: Option<PathBuf>,
    /// The certificate of HTTPS, where the server has its own.
    pub tls: Option<Tls>,
}

impl Metrics {
    /// Registers everything that is counted and measured.
    #[must_use]
    pub fn new(subjects: Subjects, access: MetricsAccess, keys: ApiKeys) -> Self {
        let mut registry = Registry::default();
        let build = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("cloch_build", "The program", build);
        http_metrics::register(&mut registry);
        auth_metrics::register(&mut registry);
        cron_metrics::register(&mut registry);
        cloch_core::metrics::register(&mut registry);
        cloch_sql::metrics::register(&mut registry);
        if subjects.replica.is_some() {
            cloch_sql::metrics::register_replica(&mut registry);
        }
        cloch_mail::metrics::register(&mut registry);
        cloch_storage::metrics::register(&mut registry);
        cloch_functions::metrics::register(&mut registry);
        realtime::register(&mut registry);
        telemetry::register(&mut registry);
        let sources = Sources {
            postgres: Postgres::new(subjects.database.clone(), &mut registry),
            pools: Pools::new(subjects.database, subjects.rest, subjects.replica, &mut registry),
            process: Process::new(subjects.data, &mut registry),
            backup: subjects.backup.map(|folder| Backup::new(folder, &mut registry)),
            certificate: subjects.tls.map(|tls| Certificate::new(tls, &mut registry)),
        };
        Self(Arc::new(Inner { registry, access, keys, sources: Mutex::new(sources), history: History::new() }))
    }

    /// The route at the public port.
    pub fn router(&self) -> Router {
        Router::new().route(PATH, get(show)).with_state(self.clone())
    }

    /// The response with all values of now.
    pub(crate) async fn scrape(&self) -> Response {
        let mut sources = self.0.sources.lock().await;
        sources.postgres.measure().await;
        sources.measure_local();
        drop(sources);
        match self.text() {
            Ok(text) => ([(CONTENT_TYPE, OPEN_METRICS), (CACHE_CONTROL, "no-store")], text).into_response(),
            Err(error) => {
                tracing::error!(%error, "encoding the metrics failed");
                StatusCode::INTERNAL_SERVER_ERROR.into_response()
            }
        }
    }

    /// Adds the values of now to the history.
    async fn sample(&self) {
        let mut sources = self.0.sources.lock().await;
        sources.postgres.measure_again(DATABASE_AGE).await;
        sources.measure_local();
        drop(sources);
        match self.text() {
            Ok(text) => self.0.history.record(&text),
            Err(error) => tracing::error!(%error, "encoding the metrics failed"),
        }
    }

    /// What the history has of a range that ends now.
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
    /// All but the database, which has to be waited for.
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
