//! Background tasks over the database: the stand-ins for pg_cron and pg_net, daily partitions, and the check for /health.

mod cron;
pub mod cron_schedule;
mod destinations;
pub mod health_check;
mod http_queue;
mod partitions;
mod task;

pub use destinations::Destinations;

use cloch_sql::{Database, supervise};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// Starts the tasks with the default settings; they end when `shutdown` is cancelled.
pub fn start(database: &Database, tasks: &mut JoinSet<()>, shutdown: &CancellationToken) {
    start_with(Destinations::default(), database, tasks, shutdown);
}

/// As [`start`], with a policy for the destinations of `net.http_post`.
pub fn start_with(
    destinations: Destinations,
    database: &Database,
    tasks: &mut JoinSet<()>,
    shutdown: &CancellationToken,
) {
    let (pool, stop) = (database.admin().clone(), shutdown.clone());
    tasks.spawn(supervise("partitions", shutdown.clone(), move || partitions::run(pool.clone(), stop.clone())));
    let (pool, stop) = (database.admin().clone(), shutdown.clone());
    let run = move || http_queue::run(pool.clone(), destinations.clone(), stop.clone());
    tasks.spawn(supervise("requests of net.http_post", shutdown.clone(), run));
    let (database, stop) = (database.clone(), shutdown.clone());
    tasks
        .spawn(supervise("jobs of cron.schedule", shutdown.clone(), move || cron::run(database.clone(), stop.clone())));
}
