//! List of the project's statements from pg_stat_statements.
//!
//! A statement is listed if all of these are true:
//!
//! - It ran in this database.
//! - It is a `select`, `insert`, `update`, `delete`, `merge`, `with`, `values`, `table` or `refresh materialized view`. In these statements,
//!   PostgreSQL replaces the constants by parameters. All other statements are left out: `begin`, `commit`, `set` and the like have no plan,
//!   and statements such as `create role … password` keep their constants, which may be secret.
//! - It was not run by a login that only Cloch uses: the superuser of an embedded server, `cloch_server`, `cloch_operators`, and `authenticator`, which takes
//!   the role of a caller before it runs the caller's statements. Exception: on an external server, Cloch's login can also be the project's
//!   owner; then only the next rule applies to this login.
//! - It is not one of Cloch's own statements in sessions of other roles: statements that name schema `cloch`, the history of migrations or
//!   pg_stat_statements, that set parameters (`set_config`), that create partitions for Realtime, or that contain the comment `/* cloch */`.
//!
//! The texts can still contain values: in comments, and in texts that PostgreSQL has stored with constants because it had evicted the
//! statement before the statement ended.

use axum::Json;
use axum::extract::State;
use chrono::{DateTime, Utc};
use cloch_sql::migrations::words;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, PgConnection};

use super::views::{self, Problem, Views};
use crate::dashboard::database::{As, Mode};
use crate::dashboard::extract::Params;
use crate::dashboard::{ApiError, DashboardState};

/// Maximum number of listed statements.
const MAX_STATEMENTS: i64 = 100;
/// Maximum length of a listed text in characters.
const MAX_TEXT_CHARS: i32 = 10_000;

/// Regular expression for the beginning of the statements that are listed, after comments and parentheses. [`is_listed`] repeats this check
/// with PostgreSQL's rules for nested comments.
const LISTED: &str = r"^(\s|--[^\n]*\n|/\*([^*]|\*+[^*/])*\*+/|\()*(select|insert|update|delete|merge|with|values|table|refresh\s+materialized)\M";
/// Regular expression for Cloch's own statements in sessions of other roles. One of them is `select $1`, which takes the snapshot of a
/// read-only transaction.
const PLATFORM: &str = r#"\mcloch\s*\.|"cloch"\s*\.|/\* cloch \*/|supabase_migrations\.|pg_stat_statements|realtime\.maintain_partitions\(|^select\s+(where\s+num_nulls\()?(count\()?set_config\(|^select\s+\$1$"#;

/// Column by which the list is sorted, highest value first.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Order {
    #[default]
    Total,
    Mean,
    Calls,
}

impl Order {
    fn column(self) -> &'static str {
        match self {
            Self::Total => "total_ms",
            Self::Mean => "mean_ms",
            Self::Calls => "calls",
        }
    }
}

/// A statement of one role, with its statistics from pg_stat_statements.
#[derive(Debug, Serialize, sqlx::FromRow)]
pub(super) struct Statement {
    /// Query id, as a text because JavaScript's numbers have 53 bits.
    id: String,
    role_oid: i64,
    pub(super) role: String,
    #[serde(skip)]
    pub(super) is_owners: bool,
    pub(super) text: String,
    calls: i64,
    /// Execution time of all calls in milliseconds.
    total_ms: f64,
    mean_ms: f64,
    max_ms: f64,
    rows: i64,
    /// This statement's share of the execution time of all statements that meet the rules of the list, from 0 to 1.
    share: f64,
    /// Share of the blocks read that were already in PostgreSQL's shared buffers, from 0 to 1; `None` if no block was read.
    hit_ratio: Option<f64>,
    /// Number of statements that meet the rules of the list, including those beyond the maximum length of the list.
    #[serde(skip)]
    count: i64,
}

#[derive(Deserialize)]
pub(super) struct ListRequest {
    #[serde(default)]
    order: Order,
}

pub(super) async fn show(
    State(state): State<DashboardState>,
    Params(asked): Params<ListRequest>,
) -> Result<Json<Value>, ApiError> {
    let mut transaction = state.begin(&As::Role("postgres".to_owned()), Mode::Read).await?;
    let views = match views::find(&mut *transaction).await? {
        Ok(views) => views,
        Err(problem) => return Ok(problem.response()),
    };
    let logins = own_logins(&state);
    let read = read(&mut transaction, &views, &logins, asked.order.column(), None).await;
    let statements = match read {
        Err(error) if Problem::is_not_loaded(&error) => return Ok(Problem::NotLoaded.response()),
        read => read?,
    };
    let (hidden, reset) = hidden_and_reset(&mut transaction, &views).await?;
    transaction.rollback().await?;
    let count = statements.first().map_or(0, |statement| statement.count);
    Ok(Json(json!({
        "available": true, "statements": statements, "count": count, "hidden": hidden,
        "since": reset.max(last_reset(&state).await?),
    })))
}

/// Returns one statement of the list with its complete text.
///
/// # Errors
/// Returns status 404 if the list does not contain the statement.
pub(super) async fn find(state: &DashboardState, id: i64, role_oid: i64) -> Result<Statement, ApiError> {
    let missing = || {
        ApiError::not_found("There is no such statement")
            .with_hint("PostgreSQL may have evicted it, or the statistics were reset. Refresh the list")
    };
    let mut transaction = state.begin(&As::Role("postgres".to_owned()), Mode::Read).await?;
    let Ok(views) = views::find(&mut *transaction).await? else { return Err(missing()) };
    let read = read(&mut transaction, &views, &own_logins(state), "calls", Some((id, role_oid))).await;
    transaction.rollback().await?;
    match read {
        Err(error) if Problem::is_not_loaded(&error) => Err(missing()),
        read => read?.into_iter().next().ok_or_else(missing),
    }
}

/// Returns the logins that only Cloch uses. [`read`] leaves out statements of these logins, except if the login is also the project's owner.
fn own_logins(state: &DashboardState) -> [String; 4] {
    let logins = state.database.logins();
    [
        logins.admin.user.clone(),
        logins.operators.user.clone(),
        logins.maintenance.user.clone(),
        logins.callers.user.clone(),
    ]
}

/// Reads the list, or with `only` one statement with its complete text. `connection` must be in a transaction of the project's owner.
async fn read(
    connection: &mut PgConnection,
    views: &Views,
    own_logins: &[String],
    order: &str,
    only: Option<(i64, i64)>,
) -> sqlx::Result<Vec<Statement>> {
    let text = format!(
        "with counted as (
           select s.queryid, s.userid, min(s.query) as text, sum(s.calls)::bigint as calls, sum(s.total_exec_time) as total_ms,
                  max(s.max_exec_time) as max_ms, sum(s.rows)::bigint as rows, sum(s.shared_blks_hit)::float8 as hit,
                  sum(s.shared_blks_hit + s.shared_blks_read)::float8 as read,
                  coalesce(r.rolname::text, s.userid::text) as role, coalesce(r.rolname = current_user, false) as is_owners
             from {view} as s left join pg_roles as r on r.oid = s.userid
            where s.dbid = (select oid from pg_database where datname = current_database())
              and s.query ~* $1 and s.query !~* $2
              and (r.rolname is null or r.rolname = current_user or r.rolname <> all ($3::text[]))
            group by s.queryid, s.userid, r.rolname
         ), listed as (
           select queryid::text as id, userid::bigint as role_oid, role, is_owners, left(text, $4) as text, calls, total_ms,
                  total_ms / greatest(calls, 1) as mean_ms, max_ms, rows,
                  coalesce(total_ms / nullif(sum(total_ms) over (), 0), 0) as share, hit / nullif(read, 0) as hit_ratio,
                  count(*) over () as count
             from counted
         )
         select * from listed where $5::text is null or (id = $5 and role_oid = $6)
          order by {order} desc, id, role_oid limit $7",
        view = views.statements
    );
    let mut statements: Vec<Statement> = sqlx::query_as(AssertSqlSafe(text))
        .bind(LISTED)
        .bind(PLATFORM)
        .bind(own_logins)
        .bind(if only.is_some() { i32::MAX } else { MAX_TEXT_CHARS })
        .bind(only.map(|(id, _)| id.to_string()))
        .bind(only.map(|(_, role_oid)| role_oid))
        .bind(MAX_STATEMENTS)
        .fetch_all(connection)
        .await?;
    statements.retain(|statement| is_listed(&statement.text));
    Ok(statements)
}

/// Whether a statement begins with the words of a kind of statement that is listed. The regular expression [`LISTED`] is not enough:
/// PostgreSQL's comments can be nested, so that a comment could hide another kind of statement from the expression.
fn is_listed(text: &str) -> bool {
    let words = words(text);
    let words: Vec<&str> = words.iter().map(String::as_str).skip_while(|word| *word == "(").collect();
    matches!(
        words.as_slice(),
        ["select" | "insert" | "update" | "delete" | "merge" | "with" | "values" | "table", ..]
            | ["refresh", "materialized", ..]
    )
}

/// Returns the number of statements whose text the project's owner may not read, and the time of the last reset of all statistics (`None` if
/// unknown).
async fn hidden_and_reset(connection: &mut PgConnection, views: &Views) -> sqlx::Result<(i64, Option<DateTime<Utc>>)> {
    let hidden = format!(
        "select count(*) from {} where queryid is null and dbid = (select oid from pg_database where datname = current_database())",
        views.statements
    );
    let hidden = sqlx::query_scalar(AssertSqlSafe(hidden)).fetch_one(&mut *connection).await?;
    let Some(info) = &views.info else { return Ok((hidden, None)) };
    let reset = sqlx::query_scalar(AssertSqlSafe(format!("select stats_reset from {info}")));
    Ok((hidden, reset.fetch_one(connection).await?))
}

/// Returns the time of the last reset of the statistics by the dashboard; `None` if there was no reset. The time comes from the audit log,
/// because PostgreSQL stores only the time of a reset of all databases.
async fn last_reset(state: &DashboardState) -> sqlx::Result<Option<DateTime<Utc>>> {
    sqlx::query_scalar("select max(at) from cloch.operator_audit where action = 'statements.reset' and status = 204")
        .fetch_one(state.database.admin())
        .await
}

#[cfg(test)]
mod tests {
    use cloch_sql::testing::TestDatabase;

    use super::*;

    /// PostgreSQL in the tests does not load the library of pg_stat_statements.
    #[tokio::test]
    async fn a_library_that_is_not_loaded_is_recognized() {
        let database = TestDatabase::platform().await;
        let mut connection = database.database().owner().acquire().await.unwrap();
        let views = views::find(&mut *connection).await.unwrap().unwrap();
        let failure = read(&mut connection, &views, &[], Order::Total.column(), None).await.unwrap_err();
        assert!(Problem::is_not_loaded(&failure), "{failure}");
    }

    #[test]
    fn only_statements_with_a_plan_are_listed() {
        for text in [
            "select $1",
            "(SELECT 1) union select 2",
            "-- note\n/* a /* b */ c */ WITH x as (select 1) select * from x",
            "refresh materialized view concurrently v",
            "delete from a",
        ] {
            assert!(is_listed(text), "{text}");
        }
        for text in [
            "create role a password 'secret'",
            "/* /* */ select */ create role a password 'secret'",
            "alter user a with password 'secret'",
            "\"select\"",
            "begin",
            "set role to a",
            "explain select 1",
            "refresh view v",
            "/* select",
            "",
        ] {
            assert!(!is_listed(text), "{text}");
        }
    }
}
