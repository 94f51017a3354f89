//! Limits of size, time and rate. Calls are counted in PostgreSQL, so that all nodes count together.

use std::time::Duration;

use cloch_sql::Caller;
use cloch_sql::caller::ANON;
use sqlx::PgExecutor;
use sqlx::postgres::types::PgInterval;

use crate::FunctionError;

/// The limits of one function.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of a request's body.
    pub body_bytes: usize,
    /// Bytes of the body of a caller who is not signed in, if less than `body_bytes`.
    pub visitor_body_bytes: usize,
    /// How long one call may take.
    pub timeout: Duration,
    /// Calls from one client's network in an hour, for callers who are not signed in. `None`: not counted; the same holds for the next two
    /// fields.
    pub per_address_hourly: Option<u32>,
    /// Calls of one signed-in user in an hour.
    pub per_user_hourly: Option<u32>,
    /// Calls of all callers who are not signed in, in an hour. When it is used up, each network still has three calls, so that one network
    /// cannot block the others.
    pub visitors_hourly: Option<u32>,
}

impl Limits {
    /// The limit of the body of this caller, in bytes.
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

/// A rate limit over a sliding window.
#[derive(Clone, Copy, Debug)]
pub struct RateLimit {
    /// Number of calls.
    pub count: u32,
    /// Length of the window.
    pub per: Duration,
}

impl RateLimit {
    /// At most `count` in an hour.
    #[must_use]
    pub fn hourly(count: u32) -> Self {
        Self { count, per: Duration::from_hours(1) }
    }
}

/// Counts one call of `subject`. Inside a transaction, the count is rolled back with it, and concurrent calls wait for its end.
///
/// # Errors
/// 429 when the limit is reached, with the time until one more call fits.
pub async fn take(executor: impl PgExecutor<'_>, subject: &str, limit: RateLimit) -> Result<(), FunctionError> {
    match wait(executor, subject, limit).await? {
        None => Ok(()),
        Some(wait) => Err(FunctionError::too_often("Too many attempts. Please wait before you try again.", wait)),
    }
}

/// As [`take`], but returns whether the call was within the limit instead of an error.
///
/// # Errors
/// When the database does not answer.
pub async fn try_take(executor: impl PgExecutor<'_>, subject: &str, limit: RateLimit) -> Result<bool, FunctionError> {
    Ok(wait(executor, subject, limit).await?.is_none())
}

/// Counts an amount if it is within the limit; returns whether it was counted.
///
/// # Errors
/// When the database does not answer.
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

/// Counts one call; returns the time until one more is allowed if the limit is reached.
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

/// Deletes counts whose window has passed.
///
/// # Errors
/// When the database does not answer.
pub async fn sweep(executor: impl PgExecutor<'_>) -> sqlx::Result<u64> {
    sqlx::query!("delete from cloch.rate_limits where expires_at < now()")
        .execute(executor)
        .await
        .map(|done| done.rows_affected())
}
