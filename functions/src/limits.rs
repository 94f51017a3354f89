//! Limits of functions: size, time and rate. Calls are counted in PostgreSQL, so that the limits apply to all nodes together.

use std::time::Duration;

use cloch_sql::Caller;
use cloch_sql::caller::ANON;
use sqlx::PgExecutor;
use sqlx::postgres::types::PgInterval;

use crate::FunctionError;

/// Limits of a single function.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Maximum size of a request body in bytes.
    pub body_bytes: usize,
    /// Maximum size in bytes of a request body from a visitor (a caller without a session), if less than `body_bytes`.
    pub visitor_body_bytes: usize,
    /// Timeout of one call.
    pub timeout: Duration,
    /// Maximum number of calls per hour that callers without a session may make from one network (an IPv4 address or an IPv6 /64); `None` for
    /// no limit.
    pub per_address_hourly: Option<u32>,
    /// Maximum number of calls per hour of one signed-in user; `None` for no limit.
    pub per_user_hourly: Option<u32>,
    /// Maximum number of calls per hour of all callers without a session together; `None` for no limit. When the limit is reached, each network
    /// (an IPv4 address or an IPv6 /64) may still make three calls, so that one network cannot block all others.
    pub visitors_hourly: Option<u32>,
}

impl Limits {
    /// Returns the maximum size of a request body from this caller in bytes.
    pub(crate) fn body_bytes_of(&self, caller: &Caller) -> usize {
        if caller.role() == ANON { self.body_bytes.min(self.visitor_body_bytes) } else { self.body_bytes }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes: 256 * 1024,
            visitor_body_bytes: 256 * 1024,
            timeout: Duration::from_secs(30),
            per_address_hourly: Some(60),
            per_user_hourly: Some(1000),
            visitors_hourly: Some(1000),
        }
    }
}

/// A rate limit in a sliding window.
#[derive(Clone, Copy, Debug)]
pub struct RateLimit {
    /// Maximum number of calls in the sliding window.
    pub count: u32,
    /// Length of the sliding window.
    pub per: Duration,
}

impl RateLimit {
    /// Creates a limit of `count` calls per hour.
    #[must_use]
    pub fn hourly(count: u32) -> Self {
        Self { count, per: Duration::from_hours(1) }
    }
}

/// Counts a call towards a rate limit. `subject` names what is counted, for example a function and a client network. If `executor` is a
/// transaction, a rollback also removes the count, and concurrent calls wait until the transaction ends.
///
/// # Errors
/// Returns status 429 with the time until the next allowed call if the limit is reached, or the error of an unreachable database.
pub async fn take(executor: impl PgExecutor<'_>, subject: &str, limit: RateLimit) -> Result<(), FunctionError> {
    match wait(executor, subject, limit).await? {
        None => Ok(()),
        Some(wait) => Err(FunctionError::too_often("Too many attempts. Please wait before you try again.", wait)),
    }
}

/// Counts a call towards a rate limit, and returns whether the limit allows the call. `subject` names what is counted, for example a function
/// and a client network.
///
/// # Errors
/// Fails if the database is unreachable.
pub async fn try_take(executor: impl PgExecutor<'_>, subject: &str, limit: RateLimit) -> Result<bool, FunctionError> {
    Ok(wait(executor, subject, limit).await?.is_none())
}

/// Counts `amount` (for example KiB) towards a rate limit if the limit allows this amount. Returns whether the amount was counted. `subject`
/// names what is counted, for example the attachments from a client network.
///
/// # Errors
///
/// Fails if the database is unreachable.
pub async fn try_take_amount(
    executor: impl PgExecutor<'_>,
    subject: &str,
    amount: u64,
    limit: RateLimit,
) -> Result<bool, FunctionError> {
    let number = |number: u64| i32::try_from(number).unwrap_or(i32::MAX);
    let try_take = sqlx::query_scalar("select cloch.take_amount($1, $2, $3, make_interval(secs => $4)) = interval '0'")
        .bind(subject)
        .bind(number(amount))
        .bind(number(limit.count.into()))
        .bind(number(limit.per.as_secs()))
        .fetch_one(executor)
        .await?;
    Ok(try_take)
}

/// Counts a call in PostgreSQL. If the limit is reached, returns the time until the next allowed call; otherwise returns `None`.
async fn wait(
    executor: impl PgExecutor<'_>,
    subject: &str,
    limit: RateLimit,
) -> Result<Option<Duration>, FunctionError> {
    let wait = sqlx::query_scalar!(
        r#"select (extract(epoch from cloch.take($1, $2, $3)))::float8 as "seconds!""#,
        subject,
        i32::try_from(limit.count).unwrap_or(i32::MAX),
        PgInterval { months: 0, days: 0, microseconds: i64::try_from(limit.per.as_micros()).unwrap_or(i64::MAX) },
    )
    .fetch_one(executor)
    .await?;
    Ok((wait > 0.0).then(|| Duration::try_from_secs_f64(wait).unwrap_or(limit.per)))
}

/// Deletes the counts of rate limits whose time window has passed. Returns the number of deleted counts.
///
/// # Errors
/// Fails if the database is unreachable.
pub async fn sweep(executor: impl PgExecutor<'_>) -> sqlx::Result<u64> {
    sqlx::query!("delete from cloch.rate_limits where expires_at < now()")
        .execute(executor)
        .await
        .map(|done| done.rows_affected())
}
