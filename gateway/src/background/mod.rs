//! Background tasks on the database: the replacements for pg_cron and pg_net, the daily partitions of realtime.messages, the database check
//! for /health, and a warning about tables that everybody can read.

mod api_keys;
mod cron;
mod cron_fields;
pub(crate) mod cron_metrics;
pub mod cron_schedule;
mod destinations;
mod disk_space;
pub mod health_check;
mod http_queue;
mod http_request;
mod open_tables;
mod partitions;
mod task;

pub use destinations::Destinations;

use std::path::Path;

use cloch_core::supervise;
use cloch_http::Health;
use cloch_sql::Database;
use cloch_sql::advisors::Ignore;
use cloch_sql::caller::IssuedKeys;
use tokio_util::sync::CancellationToken;

use crate::service::Service;

/// Creates the background tasks that every database needs: they maintain the partitions of realtime.messages, read the API keys of table
/// `cloch.api_keys`, and check the database for /health.
pub fn upkeep(database: &Database, issued: &IssuedKeys, shutdown: &CancellationToken) -> Service {
    let (pool, stop) = (database.admin().clone(), shutdown.clone());
    // Code of the project can change the settings of sessions in the other pool. After such a change, this task could not read revoked keys
    // in those sessions.
    let (pool_of_keys, issued, stop_of_keys) = (database.operators().clone(), issued.clone(), shutdown.clone());
    Service::default()
        // The metrics are registered even if no cron jobs run.
        .metrics(cron_metrics::register)
        .task(supervise("API keys", shutdown.clone(), move || {
            api_keys::run(pool_of_keys.clone(), issued.clone(), stop_of_keys.clone())
        }))
        .task(supervise("partitions", shutdown.clone(), move || partitions::run(pool.clone(), stop.clone())))
        .task(health_check::run(database.admin_login().clone(), shutdown.clone()))
}

/// Creates the task that measures the free space of the embedded database's disk for /health.
pub fn disk_space(data: &Path, health: &Health, shutdown: &CancellationToken) -> Service {
    Service::default().task(disk_space::run(data.to_owned(), health.clone(), shutdown.clone()))
}

/// Creates the task that warns once about tables in the exposed schemas that everybody can read. The warning leaves out tables that match
/// an entry of `ignores`.
pub fn open_tables(
    database: &Database,
    schemas: &[String],
    ignores: &[Ignore],
    shutdown: &CancellationToken,
) -> Service {
    let search = open_tables::run(database.admin().clone(), schemas.to_owned(), ignores.to_owned());
    let shutdown = shutdown.clone();
    Service::default().task(async move {
        shutdown.run_until_cancelled(search).await;
    })
}

/// Creates the tasks that run the jobs of `cron.schedule`, and send the requests of `net.http_post` to allowed destinations.
pub fn jobs(destinations: Destinations, database: &Database, shutdown: &CancellationToken) -> Service {
    let (pool, stop) = (database.admin().clone(), shutdown.clone());
    let requests = move || http_queue::run(pool.clone(), destinations.clone(), stop.clone());
    let (database, stop) = (database.clone(), shutdown.clone());
    let jobs = move || cron::run(database.clone(), stop.clone());
    Service::default().task(supervise("requests of net.http_post", shutdown.clone(), requests)).task(supervise(
        "jobs of cron.schedule",
        shutdown.clone(),
        jobs,
    ))
}
