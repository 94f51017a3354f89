//! Reads changed rows with the rights of each role (`cloch.changed_records`), once the transactions that made the changes are visible to
//! other transactions.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use serde_json::Value;
use serde_json::value::RawValue;
use sqlx::{Postgres, Transaction};
use tokio::time::Instant;

use super::question::{NO_KEY, Question, Record, RoleView, Shown};
use crate::postgres_changes::pgoutput::{Cell, Kind};
use crate::postgres_changes::replication_slot::Column;
use crate::postgres_changes::row;

const NO_RIGHT: &str = "Error 401: Unauthorized";
/// SQLSTATE `internal_error`, reported if the result of `cloch.changed_records` is invalid.
const INTERNAL_ERROR: &str = "XX000";
/// Maximum time to wait until a transaction from the replication stream is visible to other transactions. PostgreSQL sends a transaction when
/// its commit is on disk. The transaction becomes visible a moment later, with synchronous replication only after the standby has received
/// it.
const UNSEEN_TIMEOUT: Duration = Duration::from_secs(5);
const UNSEEN_INTERVAL: Duration = Duration::from_millis(2);

/// Result of `cloch.changed_records` for one role.
#[derive(Debug, sqlx::FromRow)]
pub(super) struct RoleRow {
    pub(super) role: String,
    columns: Option<Vec<i16>>,
    /// Whether the table has row-level security. The same for all roles.
    pub(super) row_security: Option<bool>,
    pub(super) filters_rows: Option<bool>,
    may_see_rows: Option<bool>,
    records: Option<Vec<Option<String>>>,
    failure: Option<String>,
    message: Option<String>,
    /// Current fingerprint of the table's policies (`cloch.policy_fingerprint`). The same for all roles.
    pub(super) fingerprint: String,
    /// Whether all transactions that made the changes are visible. The same for all roles.
    pub(super) are_seen: bool,
}

/// SQL query that reads the changed rows with the rights of each role. If all transactions that made the changes are visible, the query
/// also sets the transaction's `statement_timeout` to $6 milliseconds for the statements that follow.
///
/// Transaction ids have 32 bits and wrap around, so they are compared modulo 2^32. A transaction is visible in the snapshot if two
/// conditions are met: its id is one of the 2^31 ids before the snapshot's `xmax`, and the snapshot's list of running transactions (`xip`)
/// does not contain it.
pub(super) const ROLE_ROWS: &str = "
select rows.*, seen.are_seen, (select cloch.policy_fingerprint($5::bigint[]::oid[])) as fingerprint,
       case when seen.are_seen then set_config('statement_timeout', $6, true) end as timeout
  from (select not exists (
          select from unnest($4::bigint[]) as t (id), pg_current_snapshot() as s
           where mod(t.id - mod(pg_snapshot_xmax(s)::text::bigint, 4294967296) + 8589934592, 4294967296) < 2147483648
              or t.id in (select mod(x::text::bigint, 4294967296) from pg_snapshot_xip(s) as x))) as seen (are_seen),
       cloch.changed_records($1::bigint::oid, $2, $3) as rows";

/// Waits until the transactions that made the changes are visible to other transactions, because until then the policies find no rows.
/// Returns one result for each role. The field `fingerprint` of the results is the fingerprint of the policies of the tables `relations`
/// (OIDs). Sets the transaction's `statement_timeout` to `timeout` for the statements that follow.
pub(super) async fn seen_role_rows(
    transaction: &mut Transaction<'static, Postgres>,
    question: &Question<'_>,
    roles: &BTreeSet<&str>,
    (relations, timeout): (&[i64], Duration),
) -> sqlx::Result<Vec<RoleRow>> {
    let end = Instant::now() + UNSEEN_TIMEOUT;
    loop {
        let rows = role_rows(transaction, question, roles, (relations, timeout)).await?;
        if rows.iter().all(|row| row.are_seen) {
            return Ok(rows);
        }
        if Instant::now() >= end {
            return Err(sqlx::Error::Protocol("timeout: a committed transaction is not visible".into()));
        }
        tokio::time::sleep(UNSEEN_INTERVAL).await;
    }
}

async fn role_rows(
    transaction: &mut Transaction<'static, Postgres>,
    question: &Question<'_>,
    roles: &BTreeSet<&str>,
    (relations, timeout): (&[i64], Duration),
) -> sqlx::Result<Vec<RoleRow>> {
    let rows: Vec<Value> =
        question.changes.iter().flat_map(|change| change.rows().map(row::texts)).map(Value::Object).collect();
    let roles: Vec<&str> = roles.iter().copied().collect();
    let transactions: Vec<i64> = question.transactions.iter().copied().map(i64::from).collect();
    sqlx::query_as(ROLE_ROWS)
        .bind(i64::from(question.table.oid))
        .bind(roles)
        .bind(Value::Array(rows))
        .bind(transactions)
        .bind(relations)
        .bind(timeout.as_millis().to_string())
        .fetch_all(&mut **transaction)
        .await
}

/// Error: the result of `cloch.changed_records` lacks a record, or a record is not a JSON object.
#[derive(Debug, thiserror::Error)]
#[error("the rows could not be converted")]
struct Unreadable;

/// Converts the query result of a role to the columns and rows that the role may read.
pub(super) fn view(question: &Question<'_>, row: RoleRow) -> RoleView {
    if let Some(code) = row.failure {
        return RoleView::Failed(code, row.message.unwrap_or_default());
    }
    let readable = row.columns.unwrap_or_default();
    let is_hidden = |column: &Column| column.is_key && !readable.contains(&column.number);
    if readable.is_empty() || question.table.columns.iter().any(is_hidden) {
        return RoleView::Refused(NO_RIGHT);
    }
    let has_key = question.table.has_key();
    if row.may_see_rows != Some(true) {
        return if has_key { RoleView::Hidden } else { RoleView::Refused(NO_KEY) };
    }
    let columns: Vec<Column> =
        question.table.columns.iter().filter(|column| readable.contains(&column.number)).cloned().collect();
    let mut texts = row.records.unwrap_or_default().into_iter();
    let mut record = |there: &HashMap<&str, &Cell>, keys_only: bool| -> Result<Record, Unreadable> {
        let text = texts.next().flatten().ok_or(Unreadable)?;
        let mut values: HashMap<String, Box<RawValue>> = serde_json::from_str(&text).map_err(|_| Unreadable)?;
        let shown = columns.iter().filter(|column| column.is_key || !keys_only);
        let is_there = |column: &&Column| there.get(column.name.as_str()).is_some_and(|cell| **cell != Cell::Unchanged);
        Ok(Record(shown.filter(is_there).filter_map(|column| values.remove_entry(&column.name)).collect()))
    };
    let records = question.changes.iter().map(|change| {
        let keys_only = change.kind == Kind::Delete && row.row_security != Some(false);
        let new = change.new.as_ref().map(|new| record(new, false)).transpose()?;
        let old = change.old.as_ref().map(|old| record(old, keys_only)).transpose()?;
        Ok((new, old))
    });
    let records = match records.collect::<Result<_, Unreadable>>() {
        Ok(records) => records,
        Err(error) => return RoleView::Failed(INTERNAL_ERROR.to_owned(), error.to_string()),
    };
    let may_filter_deleted = row.row_security == Some(false) || row.filters_rows == Some(false);
    RoleView::Shown(Shown { columns, has_key, may_filter_deleted, records })
}
