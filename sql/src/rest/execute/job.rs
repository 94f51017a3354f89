//! A planned request, and the outcome of its execution.

use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::request::Parts;

use super::replica_part::ReplicaPart;
use crate::caller::{ANON, Caller, ClientAddress};
use crate::client::{Checkout, ClientError, Pool};
use crate::replica::Lsn;
use crate::rest::Settings;
use crate::rest::anon_limits::VisitorWrite;
use crate::rest::error::ApiError;
use crate::rest::plan::{ReadPlan, RowsPlan, Source};
use crate::rest::request::{ApiRequest, Transaction};
use crate::rest::response_memory::AnswerMeter;
use crate::rest::sql::{Sql, is_changed_type, planned_count, whole_count};
use crate::schema_cache::SchemaCache;
use crate::schema_version;

/// The result of an executed request.
#[derive(Debug, Default)]
pub(in crate::rest) struct Outcome {
    /// The number of rows that match the conditions, if it was requested.
    pub(in crate::rest) total: Option<i64>,
    /// The number of rows in the response.
    pub(in crate::rest) rows: i64,
    /// The inserted row's key, as a JSON array of name and value.
    pub(in crate::rest) location: Option<String>,
    /// The body, in chunks.
    pub(in crate::rest) body: Vec<Bytes>,
    /// The setting `response.headers`.
    pub(in crate::rest) headers: Option<String>,
    /// The setting `response.status`.
    pub(in crate::rest) status: Option<String>,
    /// The number of rows that an upsert inserted.
    pub(in crate::rest) inserted: Option<i64>,
    /// The number of rows written, if only PostgreSQL knows it and it is limited.
    pub(in crate::rest) written: Option<i64>,
    /// The number of rows estimated by the planner.
    pub(in crate::rest) planned: Option<i64>,
    /// The position of the log behind a write, where there is a replica.
    pub(in crate::rest) lsn: Option<Lsn>,
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
    /// The limits of a visitor's write.
    pub(in crate::rest) visitor: Option<&'a VisitorWrite>,
    /// Counts the memory of the answer.
    pub(in crate::rest) meter: &'a Arc<AnswerMeter>,
    /// The caller's network; `None` for this machine, which may be a proxy.
    pub(in crate::rest) network: Option<IpAddr>,
    /// The part of the replica; `None` where there is none, or it has none.
    pub(in crate::rest) replica: Option<&'a ReplicaPart<'a>>,
}

impl Job<'_> {
    /// Whether the transaction is rolled back although it succeeds.
    pub(in crate::rest) fn rolls_back(&self) -> bool {
        match self.request.preferences.transaction {
            Some(Transaction::Rollback) => true,
            Some(Transaction::Commit) => false,
            None => self.settings.tx_end.rolls_back(),
        }
    }

    /// The statement for the planner's estimate, if the request counts by it. The planner estimates by statistics of all rows, so its number
    /// would tell the caller of rows that are hidden from it: those are counted instead.
    pub(super) fn planned_count(&self) -> Option<Sql> {
        let is_read = matches!(self.plan.source, Source::Relation(_));
        if !self.request.preferences.counts_by_plan() || !is_read {
            return None;
        }
        let is_exact = !self.caller.is_service_role() && may_hide_rows(self.schema_cache, &self.plan.read);
        Some(if is_exact { whole_count(self.plan) } else { planned_count(self.plan) })
    }
}

/// Whether a relation that a read counts by may have rows that are hidden from the caller.
fn may_hide_rows(schema_cache: &SchemaCache, level: &ReadPlan) -> bool {
    schema_cache.tables.get(&level.from).is_none_or(|table| table.may_hide_rows)
        || level.embeds.iter().any(|embed| may_hide_rows(schema_cache, embed))
}

/// Acquires a connection for a caller of a network.
pub(in crate::rest) async fn checkout(
    pool: &Pool,
    caller: &Caller,
    network: Option<IpAddr>,
) -> Result<Checkout, ClientError> {
    if caller.role() == ANON { pool.get_for_visitor(network).await } else { pool.get().await }
}

/// The network of a request; `None` for this machine, which may be a proxy.
pub(in crate::rest) fn network_of(parts: &Parts) -> Option<IpAddr> {
    ClientAddress::of_request(parts).filter(|address| !address.is_loopback()).map(ClientAddress::network_address)
}

/// Converts a client error into an API error.
pub(in crate::rest) fn api_error(error: ClientError, caller: &Caller) -> ApiError {
    if let ClientError::Db(error) = &error
        && is_changed_type(error)
    {
        schema_version::found_changed();
        return ApiError::no_schema_cache();
    }
    ApiError::database(error, caller.role() == ANON)
}

/// The rows by [`Job::planned_count`]: a number, or the estimate in the JSON of `EXPLAIN`.
pub(super) fn planned_rows(text: &str) -> Option<i64> {
    let plan: serde_json::Value = serde_json::from_str(text).ok()?;
    if plan.is_number() {
        return plan.as_i64();
    }
    let rows = plan.get(0)?.get("Plan")?.get("Plan Rows")?;
    rows.as_i64().or_else(|| rows.to_string().parse().ok())
}
