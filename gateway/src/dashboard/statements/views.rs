//! Finds the views of the extension pg_stat_statements in PostgreSQL's catalog. The extension may be in any schema. An object with the same
//! name that does not belong to the extension is ignored.

use axum::Json;
use serde_json::{Value, json};
use sqlx::PgExecutor;

/// SQLSTATE of PostgreSQL's error if the library pg_stat_statements is not loaded.
const NOT_LOADED: &str = "55000";

/// Quoted names of the extension's views.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct Views {
    pub(super) statements: String,
    /// View with the time of the last reset of all statistics; `None` before version 1.9 of the extension.
    pub(super) info: Option<String>,
}

/// Reasons why there are no statistics of statements.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Problem {
    NotInstalled,
    NotLoaded,
    Outdated,
}

impl Problem {
    /// Returns the message and the instructions for the operator.
    fn texts(self) -> [&'static str; 2] {
        match self {
            Self::NotInstalled => [
                "This database does not have the extension pg_stat_statements, which counts statements.",
                "Create it on the page Extensions. If the list there does not contain it, install PostgreSQL's contrib modules and \
                 restart Cloch.",
            ],
            Self::NotLoaded => [
                "PostgreSQL has not loaded the library pg_stat_statements, so it counts no statements.",
                "The embedded PostgreSQL loads it at the start if it is installed: restart Cloch. On a server of your own, add \
                 pg_stat_statements to shared_preload_libraries and restart PostgreSQL.",
            ],
            Self::Outdated => [
                "The extension pg_stat_statements has a version from before PostgreSQL 13.",
                "Run as a superuser: alter extension pg_stat_statements update;",
            ],
        }
    }

    /// Returns the response to a request for the list of statements, which explains why there are no statistics.
    pub(super) fn response(self) -> Json<Value> {
        let [message, hint] = self.texts();
        Json(json!({ "available": false, "message": message, "hint": hint, "statements": [] }))
    }

    /// Whether a query of the extension's views failed because PostgreSQL has not loaded the library pg_stat_statements.
    pub(super) fn is_not_loaded(error: &sqlx::Error) -> bool {
        error.as_database_error().and_then(|refusal| refusal.code()).is_some_and(|code| code == NOT_LOADED)
    }
}

pub(super) async fn find(executor: impl PgExecutor<'_>) -> sqlx::Result<Result<Views, Problem>> {
    let text = "
        select /* cloch */ max(format('%I.%I', n.nspname, c.relname)) filter (where c.relname = 'pg_stat_statements' and exists (
                 select from pg_attribute as a where a.attrelid = c.oid and a.attname = 'total_exec_time')),
               max(format('%I.%I', n.nspname, c.relname)) filter (where c.relname = 'pg_stat_statements_info'),
               count(e.oid) > 0
          from pg_extension as e
          left join pg_depend as d on d.refclassid = 'pg_extension'::regclass and d.refobjid = e.oid
                                  and d.classid = 'pg_class'::regclass and d.deptype = 'e'
          left join pg_class as c on c.oid = d.objid and c.relkind = 'v'
          left join pg_namespace as n on n.oid = c.relnamespace
         where e.extname = 'pg_stat_statements'";
    let (statements, info, is_installed): (Option<String>, Option<String>, bool) =
        sqlx::query_as(text).fetch_one(executor).await?;
    Ok(match statements {
        Some(statements) => Ok(Views { statements, info }),
        None if is_installed => Err(Problem::Outdated),
        None => Err(Problem::NotInstalled),
    })
}

#[cfg(test)]
mod tests {
    use cloch_sql::testing::TestDatabase;

    use super::*;

    #[tokio::test]
    async fn only_the_extensions_own_views_are_found_in_any_schema() {
        let database = TestDatabase::platform().await;
        let pool = database.superuser();
        let of = |schema: &str| Views {
            statements: format!("{schema}.pg_stat_statements"),
            info: Some(format!("{schema}.pg_stat_statements_info")),
        };
        assert_eq!(find(pool).await.unwrap(), Ok(of("extensions")));
        let moved = "create schema \"Odd name\"; alter extension pg_stat_statements set schema \"Odd name\";
                     create view public.pg_stat_statements as select 0 as total_exec_time";
        sqlx::raw_sql(moved).execute(pool).await.unwrap();
        assert_eq!(find(pool).await.unwrap(), Ok(of("\"Odd name\"")));
        sqlx::raw_sql("drop extension pg_stat_statements").execute(pool).await.unwrap();
        assert_eq!(find(pool).await.unwrap(), Err(Problem::NotInstalled));
        // An upgrade of an old database leaves this version, which is from before PostgreSQL 13.
        sqlx::raw_sql("create extension pg_stat_statements schema extensions version '1.7'")
            .execute(pool)
            .await
            .unwrap();
        assert_eq!(find(pool).await.unwrap(), Err(Problem::Outdated));
    }
}
