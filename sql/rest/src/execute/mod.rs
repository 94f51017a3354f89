//! Fourth stage of a REST request: executes the SQL statements of a request as one batch.

mod direct;
mod job;
mod replica_part;
mod runner;
mod transaction;
mod wrapped;

use moka::sync::Cache;

use super::error::ApiError;
use super::request::check_statement;
use super::slow_statement::SlowStatements;
use http::request::Parts;

use cloch_sql::client::Pool;
use cloch_sql::replica::Replica;
use cloch_sql::schema_version;
use direct::DirectStatement;
use runner::Runner;

pub(super) use job::{Job, Outcome, api_error, checkout, network_of};
pub(super) use replica_part::ReplicaPart;

/// Maximum number of entries in [`Executor::sql_built`].
const MAX_CACHED_STATEMENTS: u64 = 10_000;

#[derive(Debug)]
pub(super) struct Executor {
    runner: Runner,
    /// Texts of direct statements (without a CTE) whose rows only PostgreSQL can convert to JSON. The value of an entry is the version of
    /// the database schema for which the entry is valid.
    sql_built: Cache<String, u64>,
    replica: Option<Replica>,
}

impl Executor {
    pub(super) fn new(pool: Pool, slow: SlowStatements, replica: Option<Replica>) -> Self {
        Self { runner: Runner { pool, slow }, sql_built: Cache::new(MAX_CACHED_STATEMENTS), replica }
    }

    pub(super) fn replica(&self) -> Option<&Replica> {
        self.replica.as_ref()
    }

    /// Returns how the read replica takes part in a request: the replica executes the read, or the response to a write contains the
    /// primary's WAL position. Returns `None` for a read that the primary executes, or if no replica is configured.
    pub(super) fn replica_part(&self, job: Job<'_>, parts: &Parts) -> Option<ReplicaPart<'_>> {
        ReplicaPart::of(self.replica.as_ref()?, job, parts)
    }

    pub(super) fn pool(&self) -> &Pool {
        &self.runner.pool
    }

    /// Executes a planned request with the fastest direct statement that can serve the request, or else with the wrapped statement (with a
    /// CTE, as in PostgREST).
    pub(super) async fn run(&self, job: Job<'_>) -> Result<Outcome, ApiError> {
        let version = schema_version::current();
        for direct in DirectStatement::candidates(job) {
            if direct.sql.has_empty_name {
                return Err(ApiError::empty_name());
            }
            check_statement(&direct.sql.text)?;
            if self.sql_built.get(&direct.sql.text) != Some(version) {
                if let Some(outcome) = direct.run(&self.runner, job).await? {
                    return Ok(outcome);
                }
                self.sql_built.insert(direct.sql.text, version);
            }
        }
        wrapped::run(&self.runner, job).await
    }
}
