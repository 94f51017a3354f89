//! Limits of guessing, counted in PostgreSQL, so that all nodes count together.
//!
//! An account has a count for each network, and one for all networks that never signed in to it. Beyond the second, wrong passwords are
//! answered late; the right one is answered at once, wherever it comes from. So nobody keeps an operator out by guessing from many networks.

use std::time::Duration;

use cloch_sql::caller::ClientAddress;
use http::request::Parts;
use sqlx::PgPool;
use tokio::sync::Semaphore;
use uuid::Uuid;

use crate::dashboard::ApiError;
use crate::dashboard::keys::digest;

const QUARTER: Duration = Duration::from_mins(15);
const DAY: Duration = Duration::from_hours(24);
/// Attempts of one network to sign in, for whatever accounts; those that succeed do not count.
const NETWORK_PER_QUARTER: i32 = 30;
/// Uses of links by one network. A token has 256 bits: this bounds what they cost, not guessing.
const LINKS_PER_QUARTER: i32 = 200;
/// Challenges for passkeys that one network asks for: each is a row for five minutes.
const CHALLENGES_PER_QUARTER: i32 = 100;
/// Attempts of one network for one account.
const ACCOUNT_PER_QUARTER: i32 = 10;
/// Attempts of all unknown networks for one account, beyond which wrong passwords are answered late.
const UNKNOWN_PER_DAY: i32 = 50;
const WRONG_ANSWER_DELAY: Duration = Duration::from_secs(5);
/// Answers of this node that are late at the same time. Each holds a connection of its client and nothing else.
const MAX_DELAYED_ANSWERS: usize = 1024;

static DELAYED_ANSWERS: Semaphore = Semaphore::const_new(MAX_DELAYED_ANSWERS);

/// How a wrong password for an account is answered.
#[must_use]
pub(super) struct WrongPassword {
    delay: Duration,
}

impl WrongPassword {
    /// Waits before the answer.
    ///
    /// # Errors
    /// When too many answers are late already.
    pub(super) async fn wait(self) -> Result<(), ApiError> {
        if self.delay.is_zero() {
            return Ok(());
        }
        let _permit = DELAYED_ANSWERS.try_acquire().map_err(|_| ApiError::too_many_requests(self.delay))?;
        tokio::time::sleep(self.delay).await;
        Ok(())
    }
}

/// Counts an attempt of a network to sign in.
pub(super) async fn network(pool: &PgPool, parts: &Parts) -> Result<(), ApiError> {
    take(pool, &format!("dashboard/network/{}", of(parts)), NETWORK_PER_QUARTER, QUARTER).await
}

/// Counts a use of a link.
pub(super) async fn link(pool: &PgPool, parts: &Parts) -> Result<(), ApiError> {
    take(pool, &format!("dashboard/link/{}", of(parts)), LINKS_PER_QUARTER, QUARTER).await
}

/// Counts a challenge for whoever comes.
pub(super) async fn challenge(pool: &PgPool, parts: &Parts) -> Result<(), ApiError> {
    take(pool, &format!("dashboard/challenge/{}", of(parts)), CHALLENGES_PER_QUARTER, QUARTER).await
}

/// Takes back what [`network`] has counted, for an attempt that succeeded.
pub(super) async fn forgive_network(pool: &PgPool, parts: &Parts) -> Result<(), ApiError> {
    give_back(pool, &format!("dashboard/network/{}", of(parts))).await
}

/// Takes back what [`account`] has counted for this network, for an attempt that succeeded.
pub(super) async fn forgive_account(pool: &PgPool, email: &str, parts: &Parts) -> Result<(), ApiError> {
    give_back(pool, &format!("dashboard/account/{}/{}", name_of(email), of(parts))).await
}

async fn give_back(pool: &PgPool, subject: &str) -> Result<(), ApiError> {
    sqlx::query("select cloch.give_back($1)").bind(subject).execute(pool).await?;
    Ok(())
}

/// Counts an attempt for an account; for an address that nobody has likewise, in the same time.
///
/// # Errors
/// When this network has tried too often.
pub(super) async fn account(
    pool: &PgPool,
    email: &str,
    operator: Option<Uuid>,
    parts: &Parts,
) -> Result<WrongPassword, ApiError> {
    let (account, network) = (name_of(email), of(parts));
    take(pool, &format!("dashboard/account/{account}/{network}"), ACCOUNT_PER_QUARTER, QUARTER).await?;
    let is_known: bool = sqlx::query_scalar(
        "select exists (select from cloch.operator_audit
                         where operator_id = $1 and network = $2 and action = 'session.begin' and status = 200)",
    )
    .bind(operator)
    .bind(&network)
    .fetch_one(pool)
    .await?;
    if is_known || !is_beyond(pool, &format!("dashboard/account/{account}"), UNKNOWN_PER_DAY, DAY).await? {
        return Ok(WrongPassword { delay: Duration::ZERO });
    }
    tracing::warn!(
        ?operator,
        "security: many wrong passwords for one operator from unknown networks, responses delayed"
    );
    Ok(WrongPassword { delay: WRONG_ANSWER_DELAY })
}

/// Addresses may be long, and are nobody's business in a table of counts.
fn name_of(email: &str) -> String {
    hex::encode(digest(&email.trim().to_lowercase()))
}

fn of(parts: &Parts) -> String {
    ClientAddress::of_request(parts).map_or_else(|| "unknown".to_owned(), ClientAddress::network)
}

async fn take(pool: &PgPool, subject: &str, allowed: i32, per: Duration) -> Result<(), ApiError> {
    let wait = waits(pool, subject, allowed, per).await?;
    match wait > 0.0 {
        true => Err(ApiError::too_many_requests(Duration::try_from_secs_f64(wait).unwrap_or(per))),
        false => Ok(()),
    }
}

async fn is_beyond(pool: &PgPool, subject: &str, allowed: i32, per: Duration) -> Result<bool, ApiError> {
    Ok(waits(pool, subject, allowed, per).await? > 0.0)
}

/// Counts; returns the seconds until it would not be too often, or zero.
async fn waits(pool: &PgPool, subject: &str, allowed: i32, per: Duration) -> Result<f64, ApiError> {
    let text = "select extract(epoch from cloch.take($1, $2, make_interval(secs => $3)))::float8";
    Ok(sqlx::query_scalar(text).bind(subject).bind(allowed).bind(per.as_secs_f64()).fetch_one(pool).await?)
}
