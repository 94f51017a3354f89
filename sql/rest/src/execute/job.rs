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
    /// Number of rows that match the conditions of the request, without the requested range. `None` unless the request asks for this count
    /// (`Prefer: count=exact` or `count=estimated`). With `count=estimated`, rows beyond the configured maximum number of rows plus 1 are
    /// not counted.
    pub(crate) total: Option<i64>,
    /// Number of rows in the response.
    pub(crate) rows: i64,
    /// Primary key of the inserted row, as a JSON array of pairs of column name and value. `None` if the response needs no `Location`
    /// header.
    pub(crate) location: Option<String>,
    /// Chunks of the response body.
    pub(crate) body: Vec<Bytes>,
    /// Value of the transaction setting `response.headers`, which SQL functions set.
    pub(crate) headers: Option<String>,
    /// Value of the transaction setting `response.status`, which SQL functions set.
    pub(crate) status: Option<String>,
    /// Number of rows that an upsert inserted; the upsert updated or ignored the other rows. `None` if the inserted rows were not counted.
    pub(crate) inserted: Option<i64>,
    /// Number of written rows; `None` unless a limit applies to the number and only PostgreSQL can determine it.
    pub(crate) written: Option<i64>,
    /// Estimate of PostgreSQL's planner for the number of rows that match the conditions of a read, or the exact number if policies may
    /// hide rows from the caller. `None` unless the request asks for the estimate (`Prefer: count=planned` or `count=estimated`).
    pub(crate) planned: Option<i64>,
    /// WAL position of the primary after a write; `None` after a read or if no replica is configured.
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
    /// Row limits for a write by a visitor (role `anon`); `None` for other requests.
    pub(crate) visitor: Option<&'a VisitorWrite>,
    /// Meter that counts the memory of the response.
    pub(crate) meter: &'a Arc<AnswerMeter>,
    /// Network of the caller: the IPv4 address, or the first address of the IPv6 /64. `None` for a loopback address, which may be the
    /// address of a proxy.
    pub(crate) network: Option<IpAddr>,
    /// Use of the read replica in this request: the replica executes the read, or the response to a write contains the primary's WAL
    /// position. `None` for a read that the primary executes, or if no replica is configured.
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

    /// Returns the SQL statement for the planner's estimate of the number of rows, if the request asks for the estimate. The planner's
    /// statistics include rows that policies hide from the caller. If rows may be hidden, the statement therefore counts the visible rows
    /// instead of estimating.
    pub(super) fn planned_count(&self) -> Option<Sql> {
        let is_read = matches!(self.plan.source, Source::Relation(_));
        if !self.request.preferences.counts_by_plan() || !is_read {
            return None;
        }
        let is_exact = !self.caller.is_service_role() && may_hide_rows(self.schema_cache, &self.plan.read);
        Some(if is_exact { whole_count(self.plan) } else { planned_count(self.plan) })
    }
}

/// Whether policies may hide rows of a relation in the read plan from the caller.
fn may_hide_rows(schema_cache: &SchemaCache, level: &ReadPlan) -> bool {
    schema_cache.tables.get(&level.from).is_none_or(|table| table.may_hide_rows)
        || level.embeds.iter().any(|embed| may_hide_rows(schema_cache, embed))
}

/// Acquires a database connection. For visitors (role `anon`), the pool limits the number of connections that one network (an IPv4 address
/// or an IPv6 /64) may use.
pub(crate) async fn checkout(pool: &Pool, caller: &Caller, network: Option<IpAddr>) -> Result<Checkout, ClientError> {
    if caller.role() == ANON { pool.get_for_visitor(network).await } else { pool.get().await }
}

/// Returns the network of the client that sent a request: the IPv4 address, or the first address of the IPv6 /64. Returns `None` for a
/// loopback address, which may be the address of a proxy.
pub(crate) fn network_of(parts: &Parts) -> Option<IpAddr> {
    ClientAddress::of_request(parts).filter(|address| !address.is_loopback()).map(ClientAddress::network_address)
}

/// Converts an error of the database client to an API error. If a column type has changed, triggers a reload of the schema cache.
pub(crate) fn api_error(error: ClientError, caller: &Caller) -> ApiError {
    if let ClientError::Db(error) = &error
        && is_changed_type(error)
    {
        schema_version::found_changed();
        return ApiError::no_schema_cache();
    }
    ApiError::database(error, caller.role() == ANON)
}

/// Parses the result of the statement from [`Job::planned_count`]: a number, or the estimate in the JSON of `EXPLAIN`.
pub(super) fn planned_rows(text: &str) -> Option<i64> {
    let plan: serde_json::Value = serde_json::from_str(text).ok()?;
    if plan.is_number() {
        return plan.as_i64();
    }
    let rows = plan.get(0)?.get("Plan")?.get("Plan Rows")?;
    rows.as_i64().or_else(|| rows.to_string().parse().ok())
}
