//! The source of the expected values: SQL that runs as a caller, in a transaction that is rolled back.

use serde_json::Value;
use sqlx::{AssertSqlSafe, Connection, PgConnection, Postgres, Transaction};

use crate::callers::Caller;
use crate::program::Program;

/// The result of a statement.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Outcome {
    Json(Value),
    Refused { code: String, message: String },
}

/// A statement that writes.
pub(crate) enum Statement<'a> {
    /// A statement with `returning`, whose rows are the expected result.
    Rows(&'a str),
    /// A statement without a result.
    Nothing(&'a str),
    /// An expression that calls a function, whose value is the expected result.
    Value(&'a str),
}

impl Statement<'_> {
    async fn run(&self, transaction: &mut Transaction<'_, Postgres>) -> Outcome {
        match self {
            Self::Rows(sql) => {
                let rows =
                    format!("with changed as ({sql}) select coalesce(json_agg(changed), '[]')::text from changed");
                json_of(transaction, &rows).await
            }
            Self::Value(expression) => json_of(transaction, &value_of(expression)).await,
            Self::Nothing(sql) => {
                match sqlx::raw_sql(AssertSqlSafe((*sql).to_owned())).execute(&mut **transaction).await {
                    Ok(_) => Outcome::Json(Value::Null),
                    Err(error) => refused(&error),
                }
            }
        }
    }
}

/// A database connection that executes SQL as any caller.
pub(crate) struct Oracle(PgConnection);

impl Oracle {
    pub(crate) async fn new(program: &Program) -> Self {
        Self(program.connect().await)
    }

    /// Runs a query as the caller and returns its rows.
    pub(crate) async fn rows(&mut self, caller: &Caller, sql: &str) -> Outcome {
        let mut transaction = self.begin(caller).await;
        json_of(&mut transaction, &format!("select coalesce(json_agg(found), '[]')::text from ({sql}) as found")).await
    }

    /// Evaluates an expression as the caller.
    pub(crate) async fn value(&mut self, caller: &Caller, expression: &str) -> Outcome {
        let mut transaction = self.begin(caller).await;
        json_of(&mut transaction, &value_of(expression)).await
    }

    /// Runs a statement that writes as the caller. Returns its result, and the state that it leaves: the rows of the query `state`, which
    /// runs as role `postgres`.
    pub(crate) async fn write(&mut self, caller: &Caller, statement: Statement<'_>, state: &str) -> (Outcome, Value) {
        let mut transaction = self.begin(caller).await;
        let written = statement.run(&mut transaction).await;
        if matches!(written, Outcome::Refused { .. }) {
            transaction.rollback().await.unwrap();
            return (written, self.state(state).await);
        }
        sqlx::raw_sql("reset role").execute(&mut *transaction).await.unwrap();
        let state = state_in(&mut transaction, state).await;
        transaction.rollback().await.unwrap();
        (written, state)
    }

    /// Returns the rows of a query as role `postgres`.
    pub(crate) async fn state(&mut self, sql: &str) -> Value {
        let mut transaction = self.0.begin().await.unwrap();
        state_in(&mut transaction, sql).await
    }

    async fn begin(&mut self, caller: &Caller) -> Transaction<'_, Postgres> {
        let mut transaction = self.0.begin().await.unwrap();
        // The search path of an API request: the request's schema, followed by `extra_search_path`.
        let settings = sqlx::query(
            "select set_config('search_path', $1 || ', public, extensions', true), set_config('request.jwt.claims', $2, true),
                    set_config('role', $3, true)",
        );
        let settings = settings.bind(&caller.schema).bind(caller.claims.to_string()).bind(&caller.role);
        settings.execute(&mut *transaction).await.unwrap();
        transaction
    }
}

fn value_of(expression: &str) -> String {
    format!("select coalesce(to_json({expression}), 'null')::text")
}

async fn state_in(transaction: &mut Transaction<'_, Postgres>, sql: &str) -> Value {
    let rows = format!("select coalesce(json_agg(found), '[]')::text from ({sql}) as found");
    match json_of(transaction, &rows).await {
        Outcome::Json(state) => state,
        refused @ Outcome::Refused { .. } => panic!("{sql}: {refused:?}"),
    }
}

async fn json_of(transaction: &mut Transaction<'_, Postgres>, sql: &str) -> Outcome {
    let query = sqlx::query_scalar::<_, String>(AssertSqlSafe(sql.to_owned())).persistent(false);
    match query.fetch_one(&mut **transaction).await {
        Ok(text) => Outcome::Json(serde_json::from_str(&text).unwrap()),
        Err(error) => refused(&error),
    }
}

fn refused(error: &sqlx::Error) -> Outcome {
    let error = error.as_database_error().unwrap_or_else(|| panic!("{error}"));
    Outcome::Refused { code: error.code().unwrap().into_owned(), message: error.message().to_owned() }
}
