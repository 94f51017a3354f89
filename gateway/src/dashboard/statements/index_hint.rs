//! Proposes an index for a plan that scans a whole table. An index helps if the filter compares columns with values and few rows pass it, or
//! if the query sorts the rows and returns only the first.

use std::collections::HashSet;

use serde::Serialize;
use serde_json::Value;
use sqlx::PgConnection;

use super::condition::{Equality, SortColumn, equalities, sort_column};

/// Number of rows above which a scan of the whole table counts as slow.
const MIN_TABLE_ROWS: f64 = 10_000.0;
/// Maximum share of the table's rows that pass the filter. If more rows pass it, an index counts as slower than a scan of the whole table.
const MAX_KEPT_SHARE: f64 = 0.1;

/// Proposed index with the reason.
#[derive(Debug, Serialize)]
pub(super) struct Hint {
    relation: String,
    /// Statement that creates the index.
    sql: String,
    reason: String,
    /// Estimated number of rows of the table.
    rows: f64,
    /// Catalog column from which the field `rows` was read.
    rows_from: String,
}

/// Scan of a whole table in a plan.
#[derive(Debug)]
struct Scan<'a> {
    schema: &'a str,
    table: &'a str,
    /// Estimated number of rows that pass the filter.
    kept: f64,
    equalities: Vec<Equality>,
    sort: Vec<SortColumn>,
}

/// Row of the query `index_hint.sql`.
#[derive(sqlx::FromRow)]
struct Found {
    relation: String,
    rows: f64,
    rows_from: String,
    searched: Vec<String>,
    sorted: Vec<String>,
    sql: String,
}

/// Returns the indexes that would make a plan faster. `plan` is the JSON of `explain (format json, verbose)`. The connection must be that of
/// the project's owner.
///
/// # Errors
/// If a query of the catalog fails.
pub(super) async fn of(connection: &mut PgConnection, plan: &Value) -> sqlx::Result<Vec<Hint>> {
    let mut hints: Vec<Hint> = Vec::new();
    for scan in scans(plan) {
        let compared: Vec<&str> = scan.equalities.iter().map(|equality| equality.column.as_str()).collect();
        let is_text: Vec<bool> = scan.equalities.iter().map(|equality| equality.is_text).collect();
        let sorted: Vec<&str> = scan.sort.iter().map(|column| column.column.as_str()).collect();
        let directions: Vec<&str> = scan.sort.iter().map(|column| column.direction).collect();
        let found: Option<Found> = sqlx::query_as(include_str!("index_hint.sql"))
            .bind(scan.schema)
            .bind(scan.table)
            .bind(compared)
            .bind(is_text)
            .bind(sorted)
            .bind(directions)
            .fetch_optional(&mut *connection)
            .await?;
        let hint = found.filter(|found| found.helps(&scan)).map(|found| found.hint(&scan));
        hints.extend(hint.filter(|hint| hints.iter().all(|other| other.sql != hint.sql)));
    }
    Ok(hints)
}

impl Found {
    /// Whether searching the index is faster than scanning the table.
    fn helps(&self, scan: &Scan<'_>) -> bool {
        let is_selective = !self.searched.is_empty() && scan.kept <= self.rows * MAX_KEPT_SHARE;
        self.rows >= MIN_TABLE_ROWS && (is_selective || !self.sorted.is_empty())
    }

    fn hint(self, scan: &Scan<'_>) -> Hint {
        let rows = grouped(self.rows);
        let searched = (!self.searched.is_empty())
            .then(|| format!("to find about {} by {}", grouped(scan.kept), self.searched.join(", ")));
        let sorted = (!self.sorted.is_empty())
            .then(|| format!("to sort them by {} and return the first", self.sorted.join(", ")));
        let purposes: Vec<String> = searched.into_iter().chain(sorted).collect();
        let begin = if self.searched.is_empty() { self.sorted.first() } else { self.searched.first() };
        let columns = match self.searched.as_slice() {
            [_, _, ..] => format!("one of {}", self.searched.join(", ")),
            _ => begin.cloned().unwrap_or_default(),
        };
        let reason = format!(
            "The plan reads all of {} (about {rows} rows) {}. No index begins with {columns}.",
            self.relation,
            purposes.join(", and ")
        );
        Hint { relation: self.relation, sql: self.sql, reason, rows: self.rows, rows_from: self.rows_from }
    }
}

/// Formats a number of rows with a comma between thousands.
fn grouped(rows: f64) -> String {
    let digits = format!("{rows:.0}");
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Properties of the plan nodes above a node. They determine whether an index on the node's table helps.
#[derive(Clone, Copy)]
struct Above<'a> {
    /// Whether a `Limit` node above stops reading rows before all rows are read.
    is_limited: bool,
    /// Sort keys of the `Sort` node directly above, if a `Limit` node is above this `Sort`; otherwise empty.
    sort: &'a [Value],
    /// Number of processes that share the rows of a parallel scan.
    processes: f64,
}

/// Returns the scans of whole tables whose filter or sort order an index could replace.
fn scans(plan: &Value) -> Vec<Scan<'_>> {
    let mut scans = Vec::new();
    walk(plan, Above { is_limited: false, sort: &[], processes: 1.0 }, &mut scans);
    scans
}

fn walk<'a>(node: &'a Value, above: Above<'a>, scans: &mut Vec<Scan<'a>>) {
    let text = |key: &str| node.get(key).and_then(Value::as_str);
    let mut below = Above { is_limited: false, sort: &[], ..above };
    match text("Node Type").unwrap_or_default() {
        "Seq Scan" => scans.extend(scan(node, above)),
        "Limit" => below.is_limited = true,
        "Sort" if above.is_limited => {
            below.sort = node.get("Sort Key").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        }
        "Gather" | "Gather Merge" => {
            let workers = node.get("Workers Planned").and_then(Value::as_f64).unwrap_or_default();
            // The same formula as in PostgreSQL's function get_parallel_divisor: with more workers, the leader process has less time for the
            // scan.
            let processes = workers + (1.0 - 0.3 * workers).max(0.0);
            below = Above { processes: processes.max(1.0), ..above };
        }
        "LockRows" => below = above,
        _ => {}
    }
    for child in node.get("Plans").and_then(Value::as_array).into_iter().flatten() {
        // A limit and a sort apply only to the outer child of a node, not to its subqueries.
        let is_outer = child.get("Parent Relationship").and_then(Value::as_str) == Some("Outer");
        let none = Above { is_limited: false, sort: &[], ..below };
        walk(child, if is_outer { below } else { none }, scans);
    }
}

fn scan<'a>(node: &'a Value, above: Above<'_>) -> Option<Scan<'a>> {
    let text = |key: &str| node.get(key).and_then(Value::as_str);
    let alias = text("Alias")?;
    let is_parallel = node.get("Parallel Aware").and_then(Value::as_bool).unwrap_or(false);
    let kept = node.get("Plan Rows").and_then(Value::as_f64)? * if is_parallel { above.processes } else { 1.0 };
    let mut equalities = text("Filter").map(|filter| equalities(filter, alias)).unwrap_or_default();
    let mut known = HashSet::new();
    equalities.retain(|equality| known.insert(equality.column.clone()));
    // If one sort key cannot be in an index, PostgreSQL has to sort all rows, so no sort key is used.
    let sort: Option<Vec<SortColumn>> =
        above.sort.iter().map(|key| sort_column(key.as_str().unwrap_or_default(), alias)).collect();
    let sort = sort.unwrap_or_default();
    if equalities.is_empty() && sort.is_empty() {
        return None;
    }
    Some(Scan { schema: text("Schema")?, table: text("Relation Name")?, kept, equalities, sort })
}

#[cfg(test)]
#[path = "index_hint_tests.rs"]
mod tests;
