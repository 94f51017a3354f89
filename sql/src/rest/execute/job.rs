//! A planned request to be executed, and its outcome.

use bytes::Bytes;

use crate::caller::{ANON, Caller};
use crate::client::{BatchStatement, Checkout, ClientError, Pool};
use crate::rest::Settings;
use crate::rest::error::ApiError;
use crate::rest::plan::{RowsPlan, Source};
use crate::rest::request::ApiRequest;
use crate::rest::slow_statement::SlowStatement;
use crate::rest::sql::{Sql, planned_count};
use crate::rest::visitors::VisitorWrite;
use crate::schema_cache::SchemaCache;

/// What the database gave back.
#[derive(Debug, Default)]
pub(in crate::rest) struct Outcome {
    /// Rows that the conditions leave, where they were counted.
    pub(in crate::rest) total: Option<i64>,
    /// Rows in the answer.
    pub(in crate::rest) rows: i64,
    /// The inserted row's key, as a JSON array of name and value.
    pub(in crate::rest) location: Option<String>,
    /// The body, in pieces.
    pub(in crate::rest) body: Vec<Bytes>,
    /// `response.headers`
    pub(in crate::rest) headers: Option<String>,
    /// `response.status`
    pub(in crate::rest) status: Option<String>,
    /// How many of an upsert's rows were new.
    pub(in crate::rest) inserted: Option<i64>,
    /// How many rows the planner expects.
    pub(in crate::rest) planned: Option<i64>,
}

/// A planned request.
#[derive(Clone, Copy)]
pub(in crate::rest) struct Job<'a> {
    pub(in crate::rest) caller: &'a Caller,
    pub(in crate::rest) transaction_settings: &'a Sql,
    pub(in crate::rest) plan: &'a RowsPlan,
    pub(in crate::rest) request: &'a ApiRequest,
    pub(in crate::rest) schema_cache: &'a SchemaCache,
    pub(in crate::rest) settings: &'a Settings,
    /// Its limits as a visitor's write.
    pub(in crate::rest) visitor: Option<&'a VisitorWrite>,
}

impl Job<'_> {
    /// Runs its batch on a connection of the pool, and logs a slow one.
    pub(super) async fn run(&self, pool: &Pool, steps: &mut [BatchStatement<'_>]) -> Result<(), ClientError> {
        let mut connection = checkout(pool, self.caller).await?;
        let _slow = SlowStatement::begin(self.plan, self.settings);
        connection.run(self.caller.role(), steps).await
    }

    /// The statement that asks the planner for its estimate, where that is to be counted.
    pub(super) fn planned_count(&self) -> Option<Sql> {
        let is_read = matches!(self.plan.source, Source::Relation(_));
        (self.request.preferences.counts_by_plan() && is_read).then(|| planned_count(self.plan))
    }
}

/// Checks out a connection for a caller.
pub(in crate::rest) async fn checkout(pool: &Pool, caller: &Caller) -> Result<Checkout, ClientError> {
    if caller.role() == ANON { pool.get_for_visitor().await } else { pool.get().await }
}

/// The API's error for a database error.
pub(in crate::rest) fn api_error(error: ClientError, caller: &Caller) -> ApiError {
    ApiError::database(error, caller.role() == ANON)
}

/// The estimate in the JSON of `EXPLAIN`.
pub(super) fn plan_rows(json: &str) -> Option<i64> {
    let plan: serde_json::Value = serde_json::from_str(json).ok()?;
    let rows = plan.get(0)?.get("Plan")?.get("Plan Rows")?;
    rows.as_i64().or_else(|| rows.to_string().parse().ok())
}
