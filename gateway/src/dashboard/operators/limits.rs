//! Rate limits against guessing of operators' passwords. The attempts are counted in PostgreSQL, so that all nodes share the limits. A
//! network is the client's IPv4 address, or the /64 of its IPv6 address.
//!
//! Each account has two limits: one per network, and one for all networks together in which the operator has never signed in. Beyond the
//! second limit, responses to wrong passwords are delayed; the response to a correct password is never delayed. Therefore an attacker who
//! guesses from many networks cannot lock the operator out.

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
/// Maximum number of failed operator sign-ins per network (an IPv4 address or an IPv6 /64) in 15 minutes, counted over all accounts.
const NETWORK_PER_QUARTER: i32 = 30;
/// Maximum number of link uses per network (an IPv4 address or an IPv6 /64) in 15 minutes. The links' tokens have 256 bits and cannot be
/// guessed, so this limit only bounds the load on the server.
const LINKS_PER_QUARTER: i32 = 200;
/// Maximum number of passkey challenges per network (an IPv4 address or an IPv6 /64) in 15 minutes. Limited because each challenge is stored
/// as a row for five minutes.
const CHALLENGES_PER_QUARTER: i32 = 100;
/// Maximum number of failed attempts per account and network (an IPv4 address or an IPv6 /64) in 15 minutes.
const ACCOUNT_PER_QUARTER: i32 = 10;
/// Number of sign-in attempts per account and day from networks in which the operator has never signed in. If it is exceeded, responses to
/// wrong passwords are delayed.
const UNKNOWN_PER_DAY: i32 = 50;
const WRONG_ANSWER_DELAY: Duration = Duration::from_secs(5);
/// Maximum number of concurrently delayed responses of this node. A delayed response only occupies the connection of its client.
const MAX_DELAYED_ANSWERS: usize = 1024;

/// Maximum number of mails with an unsaved template that an operator sends to their own address in an hour.
const DRAFTS_PER_HOUR: i32 = 20;

static DELAYED_ANSWERS: Semaphore = Semaphore::const_new(MAX_DELAYED_ANSWERS);

/// Response to a wrong password that may have to be delayed.
#[must_use]
pub(super) struct WrongPassword {
    delay: Duration,
}

impl WrongPassword {
    /// Waits until the delay of the response is over.
    ///
    /// # Errors
    /// If too many responses are being delayed.
    pub(super) async fn wait(self) -> Result<(), ApiError> {
        if self.delay.is_zero() {
            return Ok(());
        }
        let _permit = DELAYED_ANSWERS.try_acquire().map_err(|_| ApiError::too_many_requests(self.delay))?;
        tokio::time::sleep(self.delay).await;
        Ok(())
    }
}

/// Counts a sign-in attempt for the client's network. Refuses the request if the limit is reached.
pub(super) async fn network(pool: &PgPool, parts: &Parts) -> Result<(), ApiError> {
    take(pool, &format!("dashboard/network/{}", of(parts)), NETWORK_PER_QUARTER, QUARTER).await
}

/// Counts a use of a sign-in link for the client's network. Refuses the request if the limit is reached.
pub(super) async fn link(pool: &PgPool, parts: &Parts) -> Result<(), ApiError> {
    take(pool, &format!("dashboard/link/{}", of(parts)), LINKS_PER_QUARTER, QUARTER).await
}

/// Counts a passkey challenge for the network of a client that is not signed in. Refuses the request if the limit is reached.
pub(super) async fn challenge(pool: &PgPool, parts: &Parts) -> Result<(), ApiError> {
    take(pool, &format!("dashboard/challenge/{}", of(parts)), CHALLENGES_PER_QUARTER, QUARTER).await
}

/// Removes the attempt that [`network`] counted, after a successful sign-in.
pub(super) async fn forgive_network(pool: &PgPool, parts: &Parts) -> Result<(), ApiError> {
    give_back(pool, &format!("dashboard/network/{}", of(parts))).await
}

/// Removes the attempt that [`account`] counted for this network, after a successful sign-in.
pub(super) async fn forgive_account(pool: &PgPool, email: &str, parts: &Parts) -> Result<(), ApiError> {
    give_back(pool, &format!("dashboard/account/{}/{}", name_of(email), of(parts))).await
}

/// Counts a mail with an unsaved template that an operator sends to their own address. Refuses the request if the limit is reached.
pub(in crate::dashboard) async fn mail_draft(pool: &PgPool, operator: Uuid) -> Result<(), ApiError> {
    take(pool, &format!("dashboard/mail-draft/{operator}"), DRAFTS_PER_HOUR, Duration::from_hours(1)).await
}

async fn give_back(pool: &PgPool, subject: &str) -> Result<(), ApiError> {
    sqlx::query("select cloch.give_back($1)").bind(subject).execute(pool).await?;
    Ok(())
}

/// Counts a sign-in attempt for the account with an e-mail address. Attempts for addresses without an account are counted in the same way and
/// take the same time. Returns the delay of the response in case the password is wrong.
///
/// # Errors
/// If this network has made too many attempts for this account.
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
        operator = operator.map(tracing::field::display),
        "dashboard: too many wrong passwords for one e-mail address from unknown networks, responses to further wrong passwords delayed \
         (without the field operator: the address belongs to no operator)"
    );
    Ok(WrongPassword { delay: WRONG_ANSWER_DELAY })
}

/// Returns a digest of an e-mail address: e-mail addresses can be long, and the table of attempts must not reveal the addresses.
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

/// Counts an attempt under the key `subject`, which contains a network, an account or both. Returns the seconds until the next attempt is
/// allowed, or zero if this attempt is within the limit.
async fn waits(pool: &PgPool, subject: &str, allowed: i32, per: Duration) -> Result<f64, ApiError> {
    let text = "select extract(epoch from cloch.take($1, $2, make_interval(secs => $3)))::float8";
    Ok(sqlx::query_scalar(text).bind(subject).bind(allowed).bind(per.as_secs_f64()).fetch_one(pool).await?)
}
