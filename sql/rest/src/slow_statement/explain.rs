//! Retrieves the query plan of a slow statement from PostgreSQL without running the statement: one statement at a time, each on a separate
//! connection.
//!
//! The query plan is generic (`plan_cache_mode = force_generic_plan`), because a plan for the actual values would contain the values in its
//! conditions. The statement is prepared and then explained, because PostgreSQL 15 lacks `EXPLAIN (GENERIC_PLAN)`, which would have the
//! same effect.

use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use moka::sync::Cache;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::{SHUTTING_DOWN, Slow};
use cloch_sql::client::{BatchStatement, ClientError, Connection, Rows};
use cloch_sql::database::Login;

/// SQL statement that makes the transaction read-only, requires generic plans, limits planning to two seconds and limits the wait for a
/// lock to 200 ms.
const LIMITS: &str = "select where num_nulls(set_config('transaction_read_only', 'on', true), \
                      set_config('plan_cache_mode', 'force_generic_plan', true), \
                      set_config('statement_timeout', '2s', true), set_config('lock_timeout', '200ms', true)) > 0";
/// Timeout for opening the connection and running all statements that retrieve one query plan.
const EXPLAIN_TIMEOUT: Duration = Duration::from_secs(5);
/// Time for which the query plan of a slow statement is reused. If the same statement is often slow, PostgreSQL is already busy and should
/// not plan the statement again each time.
const KEPT: Duration = Duration::from_secs(60);
/// Maximum number of query plans in the cache.
const MAX_KEPT: u64 = 100;
/// Maximum length of a logged query plan in bytes.
const MAX_PLAN_BYTES: usize = 16 * 1024;

/// Explains and logs slow statements from the queue until `shutdown`. Statements that are still queued at shutdown are logged without a
/// query plan.
pub(super) async fn run(login: Login, mut waiting: mpsc::Receiver<Slow>, shutdown: CancellationToken) {
    let known: Cache<(String, String), Arc<str>> = Cache::builder().max_capacity(MAX_KEPT).time_to_live(KEPT).build();
    while let Some(Some(slow)) = shutdown.run_until_cancelled(waiting.recv()).await {
        let key = (slow.role.clone(), slow.statement.clone());
        if let Some(plan) = known.get(&key) {
            slow.log(Ok(&plan));
            continue;
        }
        match plan(&login, &slow).await {
            Ok(plan) => {
                slow.log(Ok(&plan));
                known.insert(key, plan.into());
            }
            Err(reason) => slow.log(Err(&reason)),
        }
    }
    waiting.close();
    while let Ok(slow) = waiting.try_recv() {
        slow.log(Err(SHUTTING_DOWN));
    }
}

async fn plan(login: &Login, slow: &Slow) -> Result<String, String> {
    match timeout(EXPLAIN_TIMEOUT, explain(login, slow)).await {
        Ok(outcome) => outcome.map_err(|error| reason(&error)),
        Err(_) => Err("EXPLAIN timed out".to_owned()),
    }
}

/// Returns the reason why the query plan of a slow statement is missing, for the log. Only the SQLSTATE of a PostgreSQL error is logged,
/// because a function of the project may have raised the error with values in its message.
fn reason(error: &ClientError) -> String {
    match error {
        ClientError::Db(error) => format!("EXPLAIN failed with SQLSTATE {}", error.code),
        other => other.to_string(),
    }
}

async fn explain(login: &Login, slow: &Slow) -> Result<String, ClientError> {
    // A pooler may assign the database session to other clients later. The random name prevents conflicts with prepared statements of these
    // clients.
    let name = format!("cloch_slow_{:016x}", rand::random::<u64>());
    let types = list(slow.parameter_types.iter().map(|&oid| type_name(oid)));
    let nulls = list(slow.parameter_types.iter().map(|_| "null"));
    let prepare = format!("prepare {name}{types} as {}", slow.statement);
    let explain = format!("explain execute {name}{nulls}");
    let deallocate = format!("deallocate {name}");
    let mut lines = Rows::default();
    let mut steps = [
        BatchStatement::silent(&slow.settings.text, &slow.settings.params),
        BatchStatement::silent(LIMITS, &[]),
        BatchStatement::silent(&prepare, &[]),
        BatchStatement { sql: &explain, params: &[], sink: Some(&mut lines) },
        BatchStatement::silent(&deallocate, &[]),
    ];
    let mut connection = Connection::open(login).await?;
    connection.run(&slow.role, &mut steps).await?;
    let mut plan = String::new();
    for line in lines.rows().iter().filter_map(|row| row.text(0)) {
        if plan.len() + line.len() > MAX_PLAN_BYTES {
            plan.push_str("\n…");
            break;
        }
        let _ = write!(plan, "{}{line}", if plan.is_empty() { "" } else { "\n" });
    }
    Ok(plan)
}

/// Formats a list of SQL items in parentheses. Returns an empty text for an empty list.
fn list<'a>(items: impl Iterator<Item = &'a str>) -> String {
    let items: Vec<_> = items.collect();
    if items.is_empty() { String::new() } else { format!("({})", items.join(", ")) }
}

/// Returns the SQL name of a parameter type that Cloch specifies explicitly. PostgreSQL infers all other parameter types, as it does for
/// the slow statement itself.
fn type_name(oid: u32) -> &'static str {
    match oid {
        17 => "pg_catalog.bytea",
        114 => "pg_catalog.json",
        1009 => "pg_catalog.text[]",
        3802 => "pg_catalog.jsonb",
        _ => "unknown",
    }
}
