//! Limits of guessing, counted in PostgreSQL, so that all nodes count together.
//!
//! An account has a count for each network, and one for all networks that never signed in to it: somebody who guesses cannot keep its
//! operator out, who comes from a known network.

use std::time::Duration;

use cloch_sql::caller::ClientAddress;
use http::request::Parts;
use sqlx::PgPool;
use uuid::Uuid;

use crate::dashboard::ApiError;

const QUARTER: Duration = Duration::from_mins(15);
const DAY: Duration = Duration::from_hours(24);
/// Attempts of one network, for whatever accounts.
const NETWORK_PER_QUARTER: i32 = 30;
/// Attempts of one network for one account.
const ACCOUNT_PER_QUARTER: i32 = 10;
/// Attempts of all unknown networks for one account.
const UNKNOWN_PER_DAY: i32 = 50;

/// Counts an attempt of a network to sign in or to use a link.
pub(super) async fn network(pool: &PgPool, parts: &Parts) -> Result<(), ApiError> {
    take(pool, &format!("dashboard/network/{}", of(parts)), NETWORK_PER_QUARTER, QUARTER).await
}

/// Counts an attempt for an account.
pub(super) async fn account(pool: &PgPool, operator: Uuid, parts: &Parts) -> Result<(), ApiError> {
    let network = of(parts);
    take(pool, &format!("dashboard/account/{operator}/{network}"), ACCOUNT_PER_QUARTER, QUARTER).await?;
    let is_known: bool = sqlx::query_scalar(
        "select exists (select from cloch.operator_audit
                         where operator_id = $1 and network = $2 and action = 'session.begin' and status = 200)",
    )
    .bind(operator)
    .bind(&network)
    .fetch_one(pool)
    .await?;
    if is_known {
        return Ok(());
    }
    take(pool, &format!("dashboard/account/{operator}"), UNKNOWN_PER_DAY, DAY).await
}

fn of(parts: &Parts) -> String {
    ClientAddress::of_request(parts).map_or_else(|| "unknown".to_owned(), ClientAddress::network)
}

async fn take(pool: &PgPool, subject: &str, allowed: i32, per: Duration) -> Result<(), ApiError> {
    let wait: f64 =
        sqlx::query_scalar("select extract(epoch from cloch.take($1, $2, make_interval(secs => $3)))::float8")
            .bind(subject)
            .bind(allowed)
            .bind(per.as_secs_f64())
            .fetch_one(pool)
            .await?;
    match wait > 0.0 {
        true => Err(ApiError::too_many_requests(Duration::try_from_secs_f64(wait).unwrap_or(per))),
        false => Ok(()),
    }
}
