//! How large, how long, how often. Calls are counted in PostgreSQL, so that several nodes count together.

use std::time::Duration;

use cloch_sql::Caller;
use cloch_sql::caller::ANON;
use sqlx::PgExecutor;
use sqlx::postgres::types::PgInterval;

use crate::Refusal;

/// Calls of one network in an hour when all visitors together have had theirs.
pub const RESERVED_HOURLY: u32 = 3;

/// The bounds of one function.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of a request's body.
    pub body_bytes: usize,
    /// Bytes of the body of a caller who is not signed in, where that is less.
    pub visitor_body_bytes: usize,
    /// How long one call may take.
    pub timeout: Duration,
    /// Calls from one client's network in an hour, for callers who are not signed in. None is not counted, nor in the others.
    pub per_address_hourly: Option<u32>,
    /// Calls of one signed-in user in an hour.
    pub per_user_hourly: Option<u32>,
    /// Calls of everybody who is not signed in, in an hour. Beyond it a network has [`RESERVED_HOURLY`], so that nobody's calls are
    /// used up by others.
    pub visitors_hourly: Option<u32>,
}

impl Limits {
    /// Bytes of a body of this caller.
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

/// So many in so long, counted in a window that slides.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    /// How many.
    pub count: u32,
    /// In how long.
    pub per: Duration,
}

impl Allowance {
    /// So many in an hour.
    #[must_use]
    pub fn hourly(count: u32) -> Self {
        Self { count, per: Duration::from_hours(1) }
    }
}

/// Counts one call of `subject`. In a transaction, the count stands or falls with it, and calls that arrive together wait for its end.
///
/// # Errors
/// 429 when the allowance is used up, with the time until there is one again.
pub async fn take(executor: impl PgExecutor<'_>, subject: &str, allowance: Allowance) -> Result<(), Refusal> {
    match wait(executor, subject, allowance).await? {
        None => Ok(()),
        Some(wait) => Err(Refusal::too_often("Too many attempts. Please wait before you try again.", wait)),
    }
}

/// As [`take`], where there is another answer than a refusal: whether it was counted.
///
/// # Errors
/// When the database does not answer.
pub async fn is_taken(executor: impl PgExecutor<'_>, subject: &str, allowance: Allowance) -> Result<bool, Refusal> {
    Ok(wait(executor, subject, allowance).await?.is_none())
}

/// Counts an amount if it fits with what was counted before: whether it did.
///
/// # Errors
/// When the database does not answer.
pub async fn is_amount_taken(
    executor: impl PgExecutor<'_>,
    subject: &str,
    amount: u64,
    allowance: Allowance,
) -> Result<bool, Refusal> {
    let number = |number: u64| i32::try_from(number).unwrap_or(i32::MAX);
    let is_taken = sqlx::query_scalar("select cloch.take_amount($1, $2, $3, make_interval(secs => $4)) = interval '0'")
        .bind(subject)
        .bind(number(amount))
        .bind(number(allowance.count.into()))
        .bind(number(allowance.per.as_secs()))
        .fetch_one(executor)
        .await?;
    Ok(is_taken)
}

/// Counts one call; the time until there is an allowance again if there is none.
async fn wait(executor: impl PgExecutor<'_>, subject: &str, allowance: Allowance) -> Result<Option<Duration>, Refusal> {
    let wait = sqlx::query_scalar!(
        r#"select (extract(epoch from cloch.take($1, $2, $3)))::float8 as "seconds!""#,
        subject,
        i32::try_from(allowance.count).unwrap_or(i32::MAX),
        PgInterval { months: 0, days: 0, microseconds: i64::try_from(allowance.per.as_micros()).unwrap_or(i64::MAX) },
    )
    .fetch_one(executor)
    .await?;
    Ok((wait > 0.0).then(|| Duration::try_from_secs_f64(wait).unwrap_or(allowance.per)))
}

/// Forgets counts whose window has passed.
///
/// # Errors
/// When the database does not answer.
pub async fn sweep(executor: impl PgExecutor<'_>) -> sqlx::Result<u64> {
    sqlx::query!("delete from cloch.rate_limits where expires_at < now()")
        .execute(executor)
        .await
        .map(|done| done.rows_affected())
}
