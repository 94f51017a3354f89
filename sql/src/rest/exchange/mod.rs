//! The fourth stage: a request's statements as one batch, and what came of them.

mod bare;
mod frame;
mod whole;

use bytes::Bytes;
use moka::sync::Cache;

use super::Settings;
use super::error::ApiError;
use super::failure::SlowStatement;
use super::plan::{RowsPlan, Source};
use super::request::{ApiRequest, check_statement};
use super::sql::{Sql, planned_count};
use super::visitors::VisitorWrite;
use crate::caller::{ANON, Caller};
use crate::catalog::Catalog;
use crate::client::{Checkout, ClientError, Pool, BatchStatement};
use bare::Bare;

/// Statements remembered as having columns that only PostgreSQL makes JSON of.
const REMEMBERED: u64 = 10_000;

/// What the database gave back.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// Rows that the conditions leave, where they were counted.
    pub(super) total: Option<i64>,
    /// Rows in the answer.
    pub(super) rows: i64,
    /// The inserted row's key, as a JSON array of name and value.
    pub(super) location: Option<String>,
    /// The body, in pieces.
    pub(super) body: Vec<Bytes>,
    /// `response.headers`
    pub(super) headers: Option<String>,
    /// `response.status`
    pub(super) status: Option<String>,
    /// How many of an upsert's rows were new.
    pub(super) inserted: Option<i64>,
    /// How many rows the planner expects.
    pub(super) planned: Option<i64>,
}

/// Runs requests' statements.
#[derive(Debug)]
pub(super) struct Exchange {
    pool: Pool,
    /// Statements whose rows give no JSON here.
    sql_built: Cache<String, ()>,
}

/// A request ready to run.
#[derive(Clone, Copy)]
pub(super) struct Job<'a> {
    pub(super) caller: &'a Caller,
    pub(super) transaction_settings: &'a Sql,
    pub(super) plan: &'a RowsPlan,
    pub(super) request: &'a ApiRequest,
    pub(super) catalog: &'a Catalog,
    pub(super) settings: &'a Settings,
    /// What it has to keep to as a visitor's write.
    pub(super) visitor: Option<&'a VisitorWrite>,
}

impl Exchange {
    pub(super) fn new(pool: Pool) -> Self {
        Self { pool, sql_built: Cache::new(REMEMBERED) }
    }

    pub(super) fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Runs a planned request.
    pub(super) async fn run(&self, job: Job<'_>) -> Result<Outcome, ApiError> {
        for bare in Bare::ways(job) {
            if bare.sql.has_empty_name {
                return Err(ApiError::empty_name());
            }
            check_statement(&bare.sql.text)?;
            if !self.sql_built.contains_key(&bare.sql.text) {
                if let Some(outcome) = bare.run(&self.pool, job).await? {
                    return Ok(outcome);
                }
                self.sql_built.insert(bare.sql.text, ());
            }
        }
        whole::run(&self.pool, job).await
    }
}

impl Job<'_> {
    /// Runs its batch on a connection of the pool, and tells if that took long.
    async fn run(&self, pool: &Pool, steps: &mut [BatchStatement<'_>]) -> Result<(), ClientError> {
        let mut connection = checkout(pool, self.caller).await?;
        let _slow = SlowStatement::begin(self.plan, self.settings);
        connection.run(self.caller.role(), steps).await
    }

    fn planned_count(&self) -> Option<Sql> {
        let is_read = matches!(self.plan.source, Source::Relation(_));
        (self.request.preferences.counts_by_plan() && is_read).then(|| planned_count(self.plan))
    }
}

/// A connection for a caller.
pub(super) async fn checkout(pool: &Pool, caller: &Caller) -> Result<Checkout, ClientError> {
    if caller.role() == ANON { pool.get_for_visitor().await } else { pool.get().await }
}

pub(super) fn words(error: ClientError, caller: &Caller) -> ApiError {
    ApiError::database(error, caller.role() == ANON)
}

fn plan_rows(json: &str) -> Option<i64> {
    let plan: serde_json::Value = serde_json::from_str(json).ok()?;
    let rows = plan.get(0)?.get("Plan")?.get("Plan Rows")?;
    rows.as_i64().or_else(|| rows.to_string().parse().ok())
}
