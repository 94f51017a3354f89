//! Background tasks over the database: what stands in for pg_cron and pg_net, daily partitions, and the check behind /health.

mod cron;
mod cron_schedule;
mod destinations;
pub mod health_check;
mod http_queue;
mod partitions;

use std::time::Duration;

pub use destinations::Destinations;

use cloch_sql::{Database, supervise};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// Starts the tasks with the default settings; they end when `shutdown` is cancelled.
pub fn start(database: &Database, tasks: &mut JoinSet<()>, shutdown: &CancellationToken) {
    start_with(Destinations::default(), database, tasks, shutdown);
}

/// As [`start`], with where requests of `net.http_post` may go.
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
    tasks.spawn(supervise("jobs of cron.schedule", shutdown.clone(), move || cron::run(database.clone(), stop.clone())));
}

/// Sleeps; false when the program stops meanwhile.
async fn sleep_unless_stopped(duration: Duration, shutdown: &CancellationToken) -> bool {
    tokio::select! {
        () = shutdown.cancelled() => false,
        () = tokio::time::sleep(duration) => true,
    }
}

/// Whether the platform SQL stands in for an extension; with the real one there is nothing to do.
async fn stands_in_for(pool: &sqlx::PgPool, extension: &str) -> sqlx::Result<bool> {
    sqlx::query_scalar("select exists (select from cloch.stand_ins where extension = $1)")
        .bind(extension)
        .fetch_one(pool)
        .await
}
