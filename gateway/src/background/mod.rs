//! Background tasks on the database: the replacements for pg_cron and pg_net, daily partitions, and the database check for /health.

mod cron;
pub(crate) mod cron_metrics;
pub mod cron_schedule;
mod destinations;
pub mod health_check;
mod http_queue;
mod partitions;
mod task;

pub use destinations::Destinations;

use cloch_core::supervise;
use cloch_sql::Database;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// Creates and drops partitions until `shutdown` is cancelled.
pub fn start_partitions(database: &Database, tasks: &mut JoinSet<()>, shutdown: &CancellationToken) {
    let (pool, stop) = (database.admin().clone(), shutdown.clone());
    tasks.spawn(supervise("partitions", shutdown.clone(), move || partitions::run(pool.clone(), stop.clone())));
}

/// Runs the jobs of `cron.schedule`, and sends the requests of `net.http_post` to allowed destinations, until `shutdown` is cancelled.
pub fn start_jobs(
    destinations: Destinations,
    database: &Database,
    tasks: &mut JoinSet<()>,
    shutdown: &CancellationToken,
) {
    let (pool, stop) = (database.admin().clone(), shutdown.clone());
    let run = move || http_queue::run(pool.clone(), destinations.clone(), stop.clone());
    tasks.spawn(supervise("requests of net.http_post", shutdown.clone(), run));
    let (database, stop) = (database.clone(), shutdown.clone());
    tasks
        .spawn(supervise("jobs of cron.schedule", shutdown.clone(), move || cron::run(database.clone(), stop.clone())));
}
