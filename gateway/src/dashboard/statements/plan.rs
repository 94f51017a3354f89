//! Generic plan of a listed statement. The statement itself does not run: `explain` without `analyze` only plans the statement, in a
//! read-only transaction that is rolled back.
//!
//! While PostgreSQL plans a statement, it evaluates functions that are marked as immutable or stable, which another role may have written.
//! Therefore a statement must not be planned with more rights than it ran with: statements of API roles are planned with the same role and
//! its policies, statements of the project's owner as the owner, and all others with the login for read-only SQL.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use cloch_sql::caller::{ANON, AUTHENTICATED, SERVICE_ROLE};
use cloch_sql::client::{ClientError, Connection, Outcome, Rows};
use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::index_hint;
use super::list::{self, Statement};
use crate::dashboard::database::{As, Mode};
use crate::dashboard::extract::{At, Params};
use crate::dashboard::operator::Operator;
use crate::dashboard::sql::session;
use crate::dashboard::{ApiError, DashboardState};
use crate::project::sql::read_only;
use crate::project::sql::session::SqlSession;

/// Timeout in seconds of planning a statement, including the time that planning waits for locks.
const SECONDS: u32 = 10;
/// Maximum total time of all SQL statements that [`explain`] runs.
const EXPLAIN_TIMEOUT: Duration = Duration::from_secs(15);

/// SQLSTATEs of PostgreSQL's error if a statement cannot be prepared. Some statements are invalid or ambiguous with parameters in place of
/// their constants; for example, `interval '1 day'` becomes `interval $1`.
const NO_STATEMENT: [&str; 5] = ["42601", "42P18", "42725", "42883", "42804"];
const NO_STATEMENT_HINT: &str = "PostgreSQL stores the statement with parameters in place of its constants, and this text has no plan of \
                                 its own. Explain the statement with constants on the page SQL.";

/// The reason why a statement has no plan.
#[derive(Debug, Serialize)]
struct Reason {
    message: String,
    hint: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct PlanRequest {
    /// Oid of the role that ran the statement.
    role: i64,
}

pub(super) async fn show(
    State(state): State<DashboardState>,
    operator: Operator,
    At(id): At<i64>,
    Params(asked): Params<PlanRequest>,
) -> Result<Json<Value>, ApiError> {
    let statement = list::find(&state, id, asked.role).await?;
    let _permit = state.project.sessions.permit().await?;
    let (mut session, planned_as) = match session_for(&state, &statement).await {
        Ok(session) => session,
        // If an external database does not allow read-only sessions, the session fails with status 501. The response then contains
        // the reason in place of a plan.
        Err(error) if error.status().is_server_error() && error.status() != StatusCode::NOT_IMPLEMENTED => {
            return Err(error);
        }
        Err(error) => return Ok(without_plan(None, &Reason { message: error.message().to_owned(), hint: None })),
    };
    let running = state.running.begin(operator.id, None, session.canceller);
    let explained = timeout(EXPLAIN_TIMEOUT, explain(&mut session.connection, &statement.text)).await;
    let plan = match explained {
        // Dropping `running` cancels the statement.
        Err(_) => Err(Reason { message: "Planning took too long".to_owned(), hint: None }),
        Ok(explained) => {
            running.end();
            explained.map_err(|error| reason(error, planned_as.is_none()))
        }
    };
    let planned_as = planned_as.as_deref();
    let plan = match plan {
        Ok(plan) => plan,
        Err(reason) => return Ok(without_plan(planned_as, &reason)),
    };
    let mut transaction = state.begin(&As::Role("postgres".to_owned()), Mode::Read).await?;
    let hints = index_hint::of(&mut transaction, &plan).await?;
    transaction.rollback().await?;
    Ok(Json(json!({ "plan": plan, "reason": null, "planned_as": planned_as, "hints": hints })))
}

fn without_plan(planned_as: Option<&str>, reason: &Reason) -> Json<Value> {
    Json(json!({ "plan": null, "reason": reason, "planned_as": planned_as, "hints": [] }))
}

/// Opens the session in which a statement is planned, and returns the role that plans it. The role is `None` for the login for read-only SQL.
async fn session_for(state: &DashboardState, statement: &Statement) -> Result<(SqlSession, Option<String>), ApiError> {
    let role = statement.role.as_str();
    let who = match role {
        _ if statement.is_owners => "postgres",
        ANON | AUTHENTICATED | SERVICE_ROLE => role,
        _ => return Ok((session::read_only(state, SECONDS).await?, None)),
    };
    let session = session::of(state, &As::Role(who.to_owned()), SECONDS).await?;
    Ok((session, Some(role.to_owned())))
}

/// Returns the generic plan of a statement that contains parameters (`$1`), as the JSON of `explain`.
///
/// # Errors
/// Returns PostgreSQL's error if the text has no plan.
pub(super) async fn explain(connection: &mut Connection, statement: &str) -> Result<Value, ClientError> {
    execute(connection, read_only::BEGIN).await?;
    // This statement takes the transaction's snapshot. Afterwards PostgreSQL refuses `set transaction read write`.
    execute(connection, "select 1").await?;
    let explained = explain_in_transaction(connection, statement).await;
    execute(connection, read_only::END).await?;
    let text = explained?.concat();
    let plans: Value = serde_json::from_str(&text).unwrap_or_default();
    Ok(plans.pointer("/0/Plan").cloned().unwrap_or_default())
}

/// Prepares the statement, so that PostgreSQL determines the types of its parameters, and explains its generic plan with null for each
/// parameter. `explain (generic_plan)` of PostgreSQL 16 and later has the same result, but is possible only in the simple query protocol, in
/// which a text could contain several statements.
async fn explain_in_transaction(connection: &mut Connection, statement: &str) -> Result<Vec<String>, ClientError> {
    execute(connection, &format!("prepare cloch_plan as {statement}")).await?;
    let count =
        "select /* cloch */ cardinality(parameter_types)::text from pg_prepared_statements where name = 'cloch_plan'";
    let count = connection.texts(count).await?;
    let count: usize = count.first().and_then(|count| count.parse().ok()).unwrap_or_default();
    // Without this setting, PostgreSQL would plan the statement for the null values.
    execute(connection, "set local plan_cache_mode = force_generic_plan").await?;
    let nulls = match count {
        0 => String::new(),
        count => format!("({})", vec!["null"; count].join(", ")),
    };
    connection.texts(&format!("explain (format json, verbose) execute cloch_plan{nulls}")).await
}

async fn execute(connection: &mut Connection, statement: &str) -> Result<(), ClientError> {
    connection.run_single(statement, 0, &mut Rows::default(), &mut Outcome::default()).await
}

fn reason(error: ClientError, is_reader: bool) -> Reason {
    match error {
        ClientError::Db(error) => {
            let of_reader = read_only::hint(&error.code).filter(|_| is_reader).map(str::to_owned);
            let of_text = NO_STATEMENT.contains(&error.code.as_str()).then(|| NO_STATEMENT_HINT.to_owned());
            Reason { message: error.message, hint: of_text.or(of_reader).or(error.hint) }
        }
        other => Reason { message: other.to_string(), hint: None },
    }
}

#[cfg(test)]
mod tests {
    use cloch_sql::testing::TestDatabase;

    use super::*;

    async fn plan_of(database: &TestDatabase, statement: &str) -> Result<Value, ClientError> {
        let mut connection = Connection::open(&database.database().logins().owner).await.unwrap();
        explain(&mut connection, statement).await
    }

    #[tokio::test]
    async fn a_plan_runs_nothing() {
        let database = TestDatabase::platform().await;
        let setup = "create table public.kept (id int primary key, body text); insert into public.kept values (1, 'a');
                     create function public.adds(n int) returns int language sql volatile
                       as 'insert into public.kept values (n, null) returning id';";
        sqlx::raw_sql(setup).execute(database.database().owner()).await.unwrap();
        for (statement, node) in [
            ("insert into public.kept (id, body) values ($1, $2) returning id", "ModifyTable"),
            ("delete from public.kept where body = $1", "ModifyTable"),
            ("update public.kept set body = $1 where id = $2", "ModifyTable"),
            ("with gone as (delete from public.kept returning id) select * from gone where id > $1", "CTE Scan"),
            ("select public.adds($1)", "Result"),
            ("select public.adds(7)", "Result"),
        ] {
            let plan = plan_of(&database, statement).await.unwrap();
            assert_eq!(plan.get("Node Type").and_then(Value::as_str), Some(node), "{statement}: {plan}");
        }
        let rows: (i64, String) = sqlx::query_as("select count(*), min(body) from public.kept")
            .fetch_one(database.database().owner())
            .await
            .unwrap();
        assert_eq!(rows, (1, "a".to_owned()));
    }

    #[tokio::test]
    async fn what_has_no_plan_is_refused_with_the_reason() {
        let database = TestDatabase::platform().await;
        let writes = "create table public.kept (id int);
                      create function public.hidden() returns int language plpgsql immutable
                        as $$ begin insert into public.kept values (1); return 1; end $$;";
        sqlx::raw_sql(writes).execute(database.database().owner()).await.unwrap();
        for (statement, code) in [
            ("select now() - interval $1", "42601"),
            ("select 1; drop table public.kept", "42601"),
            ("select * from public.nowhere where id = $1", "42P01"),
            // Planning evaluates the function, which is wrongly marked as immutable. The write of the function fails,
            // because the transaction is read-only.
            ("select public.hidden()", "0A000"),
            ("select * from public.kept where id = public.hidden()", "0A000"),
        ] {
            match plan_of(&database, statement).await {
                Err(ClientError::Db(error)) => assert_eq!(error.code, code, "{statement}: {}", error.message),
                other => panic!("{statement}: {other:?}"),
            }
        }
        let failure = plan_of(&database, "select now() - interval $1").await.unwrap_err();
        assert_eq!(reason(failure, false).hint.as_deref(), Some(NO_STATEMENT_HINT));
        let count: i64 = sqlx::query_scalar("select count(*) from public.kept")
            .fetch_one(database.database().owner())
            .await
            .unwrap();
        assert_eq!(count, 0);
    }
}
