//! What the program does for the database without being asked by a request: the work of extensions that are stood in for, and
//! upkeep.

mod destinations;
mod jobs;
mod partitions;
pub mod reachability;
mod requests;
mod schedule;

use std::time::Duration;

pub use destinations::Destinations;

use cloch_sql::{Database, supervise};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// Starts the chores as a project without settings has them; they end when `shutdown` is cancelled.
pub fn start(database: &Database, work: &mut JoinSet<()>, shutdown: &CancellationToken) {
    start_with(Destinations::default(), database, work, shutdown);
}

/// As [`start`], with where requests of `net.http_post` may go.
pub fn start_with(
    destinations: Destinations,
    database: &Database,
    work: &mut JoinSet<()>,
    shutdown: &CancellationToken,
) {
    let (pool, stop) = (database.admin().clone(), shutdown.clone());
    work.spawn(supervise("partitions", shutdown.clone(), move || partitions::run(pool.clone(), stop.clone())));
    let (pool, stop) = (database.admin().clone(), shutdown.clone());
    let requests = move || requests::run(pool.clone(), destinations.clone(), stop.clone());
    work.spawn(supervise("requests of net.http_post", shutdown.clone(), requests));
    let (database, stop) = (database.clone(), shutdown.clone());
    work.spawn(supervise("jobs of cron.schedule", shutdown.clone(), move || jobs::run(database.clone(), stop.clone())));
}

/// Waits, or not to the end: false when the program stops.
async fn pause(time: Duration, shutdown: &CancellationToken) -> bool {
    tokio::select! {
        () = shutdown.cancelled() => false,
        () = tokio::time::sleep(time) => true,
    }
}

/// Whether the platform stands in for an extension; with the real one there is nothing to do.
async fn stands_in_for(pool: &sqlx::PgPool, extension: &str) -> sqlx::Result<bool> {
    sqlx::query_scalar("select exists (select from cloch.stand_ins where extension = $1)")
        .bind(extension)
        .fetch_one(pool)
        .await
}
