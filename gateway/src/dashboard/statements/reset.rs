//! Resets the statement statistics of this database. The statistics of the PostgreSQL server's other databases are kept.

use axum::extract::State;
use http::StatusCode;

use super::views::Problem;
use crate::dashboard::{ApiError, DashboardState};

const NOT_PERMITTED: &str = "42501";

pub(super) async fn reset(State(state): State<DashboardState>) -> Result<StatusCode, ApiError> {
    let reset = sqlx::query_scalar("select cloch.reset_statements()").fetch_one(state.database.admin()).await;
    let code = |error: &sqlx::Error| error.as_database_error().and_then(|error| Some(error.code()?.into_owned()));
    match reset {
        Ok(true) => Ok(StatusCode::NO_CONTENT),
        Ok(false) => Err(unavailable()),
        Err(error) if Problem::is_not_loaded(&error) => Err(unavailable()),
        Err(error) if code(&error).is_some_and(|code| code == NOT_PERMITTED) => {
            Err(ApiError::conflict("The login of CLOCH_DB_URL may not reset the statistics").with_hint(
                "Run as a superuser: grant execute on function pg_stat_statements_reset to this login, with the function's schema",
            ))
        }
        Err(error) => Err(error.into()),
    }
}

fn unavailable() -> ApiError {
    ApiError::conflict("This database counts no statements").with_hint("The list says why")
}

#[cfg(test)]
mod tests {
    use cloch_sql::testing::TestDatabase;

    use super::*;

    #[tokio::test]
    async fn only_the_servers_login_resets() {
        let database = TestDatabase::platform().await;
        let reset = "select cloch.reset_statements()";
        let refused = sqlx::query(reset).execute(database.database().owner()).await.unwrap_err();
        assert!(refused.to_string().contains("permission denied"), "{refused}");
        // PostgreSQL in the tests does not load the library of pg_stat_statements.
        let refused = sqlx::query(reset).execute(database.superuser()).await.unwrap_err();
        assert!(Problem::is_not_loaded(&refused), "{refused}");
        sqlx::raw_sql("drop extension pg_stat_statements").execute(database.superuser()).await.unwrap();
        let was_reset: bool = sqlx::query_scalar(reset).fetch_one(database.superuser()).await.unwrap();
        assert!(!was_reset);
    }
}
