//! A planned request with its context, and the outcome of its execution.

use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::request::Parts;

use super::replica_part::ReplicaPart;
use crate::Settings;
use crate::anon_limits::VisitorWrite;
use crate::error::ApiError;
use crate::plan::{ReadPlan, RowsPlan, Source};
use crate::request::{ApiRequest, Transaction};
use crate::response_memory::AnswerMeter;
use crate::sql::{Sql, is_changed_type, planned_count, whole_count};
use cloch_sql::caller::{ANON, Caller, ClientAddress};
use cloch_sql::client::{Checkout, ClientError, Pool};
use cloch_sql::replica::Lsn;
use cloch_sql::schema_cache::SchemaCache;
use cloch_sql::schema_version;

/// Result of an executed request.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// Number of rows that match the conditions, if the request asks for it.
    pub(crate) total: Option<i64>,
    /// Number of rows in the response.
    pub(crate) rows: i64,
    /// Key of the inserted row, as a JSON array of names and values.
    pub(crate) location: Option<String>,
    /// Chunks of the response body.
    pub(crate) body: Vec<Bytes>,
    /// Value of the setting `response.headers`.
    pub(crate) headers: Option<String>,
    /// Value of the setting `response.status`.
    pub(crate) status: Option<String>,
    /// Number of rows that an upsert inserted.
    pub(crate) inserted: Option<i64>,
    /// Number of written rows, if it is limited and only PostgreSQL can determine it.
    pub(crate) written: Option<i64>,
    /// Number of rows that PostgreSQL's planner estimates.
    pub(crate) planned: Option<i64>,
    /// WAL position after a write; `None` if no replica is configured.
    pub(crate) lsn: Option<Lsn>,
}

/// A planned request with its context.
#[derive(Clone, Copy)]
pub(crate) struct Job<'a> {
    pub(crate) caller: &'a Caller,
    pub(crate) transaction_settings: &'a Sql,
    pub(crate) plan: &'a RowsPlan,
    pub(crate) request: &'a ApiRequest,
    pub(crate) schema_cache: &'a SchemaCache,
    pub(crate) settings: &'a Settings,
    /// Limits of a visitor's write; `None` for other requests.
    pub(crate) visitor: Option<&'a VisitorWrite>,
    /// Counts the memory of the response.
    pub(crate) meter: &'a Arc<AnswerMeter>,
    /// Network of the caller; `None` for a loopback address, which may be a proxy.
    pub(crate) network: Option<IpAddr>,
    /// Role of the replica in the request; `None` if only the primary is involved.
    pub(crate) replica: Option<&'a ReplicaPart<'a>>,
}

impl Job<'_> {
    /// Whether the transaction is rolled back even if all statements succeed.
    pub(crate) fn rolls_back(&self) -> bool {
        match self.request.preferences.transaction {
            Some(Transaction::Rollback) => true,
            Some(Transaction::Commit) => false,
            None => self.settings.tx_end.rolls_back(),
        }
    }

    /// Returns the statement for the planner's estimate, if the request asks for it. The estimate is based on statistics of all rows and
    /// would reveal the number of rows that policies hide from the caller. In that case the statement counts the visible rows instead.
    pub(super) fn planned_count(&self) -> Option<Sql> {
        let is_read = matches!(self.plan.source, Source::Relation(_));
        if !self.request.preferences.counts_by_plan() || !is_read {
            return None;
        }
        let is_exact = !self.caller.is_service_role() && may_hide_rows(self.schema_cache, &self.plan.read);
        Some(if is_exact { whole_count(self.plan) } else { planned_count(self.plan) })
    }
}

/// Whether a relation of the read may contain rows that policies hide from the caller.
fn may_hide_rows(schema_cache: &SchemaCache, level: &ReadPlan) -> bool {
    schema_cache.tables.get(&level.from).is_none_or(|table| table.may_hide_rows)
        || level.embeds.iter().any(|embed| may_hide_rows(schema_cache, embed))
}

/// Acquires a connection. The pool limits the connections of visitors by network.
pub(crate) async fn checkout(pool: &Pool, caller: &Caller, network: Option<IpAddr>) -> Result<Checkout, ClientError> {
    if caller.role() == ANON { pool.get_for_visitor(network).await } else { pool.get().await }
}

/// Returns the network of a request; `None` for a loopback address, which may be a proxy.
pub(crate) fn network_of(parts: &Parts) -> Option<IpAddr> {
    ClientAddress::of_request(parts).filter(|address| !address.is_loopback()).map(ClientAddress::network_address)
}

/// Converts a client error to an API error. A changed column type triggers a reload of the schema cache.
pub(crate) fn api_error(error: ClientError, caller: &Caller) -> ApiError {
    if let ClientError::Db(error) = &error
        && is_changed_type(error)
    {
        schema_version::found_changed();
        return ApiError::no_schema_cache();
    }
    ApiError::database(error, caller.role() == ANON)
}

/// Parses the result of [`Job::planned_count`]: a number, or the estimate in the JSON of `EXPLAIN`.
pub(super) fn planned_rows(text: &str) -> Option<i64> {
    let plan: serde_json::Value = serde_json::from_str(text).ok()?;
    if plan.is_number() {
        return plan.as_i64();
    }
    let rows = plan.get(0)?.get("Plan")?.get("Plan Rows")?;
    rows.as_i64().or_else(|| rows.to_string().parse().ok())
}
