//! What the program does for the database without being asked by a request: the work of extensions that are stood in for, and
//! upkeep.

mod jobs;
mod partitions;
pub mod reachability;
mod requests;
mod schedule;

use std::time::Duration;

use cloch_sql::Database;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// Starts the chores; they end when `shutdown` is cancelled.
pub fn start(database: &Database, work: &mut JoinSet<()>, shutdown: &CancellationToken) {
    work.spawn(partitions::run(database.admin().clone(), shutdown.clone()));
    work.spawn(requests::run(database.admin().clone(), shutdown.clone()));
    work.spawn(jobs::run(database.clone(), shutdown.clone()));
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
