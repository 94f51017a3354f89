//! Rate limits of the auth API, counted in PostgreSQL so that all nodes share the counters.

use sqlx::PgConnection;
use sqlx::postgres::types::PgInterval;

use crate::client::Client;
use crate::error::{AuthError, Result};
use crate::settings::RateLimits;
use crate::state::AuthState;

const MINUTE_SECONDS: f64 = 60.0;
const FIVE_MINUTES_SECONDS: f64 = 300.0;
const HOUR_SECONDS: f64 = 3600.0;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Limit {
    Signup,
    Anonymous,
    Recover,
    Resend,
    MagicLink,
    Otp,
    User,
    Token,
    Verify,
    Web3,
    Factor,
    OauthAuthorize,
    OauthRegister,
    Passkey,
}

impl Limit {
    fn allowance(self, limits: &RateLimits) -> (&'static str, u32, f64) {
        match self {
            Self::Signup => ("signup", limits.sign_in_sign_ups, FIVE_MINUTES_SECONDS),
            Self::Anonymous => ("anonymous", limits.anonymous_users, HOUR_SECONDS),
            Self::Recover => ("recover", limits.sign_in_sign_ups, FIVE_MINUTES_SECONDS),
            Self::Resend => ("resend", limits.sign_in_sign_ups, FIVE_MINUTES_SECONDS),
            Self::MagicLink => ("magiclink", limits.sign_in_sign_ups, FIVE_MINUTES_SECONDS),
            Self::Otp => ("otp", limits.sign_in_sign_ups, FIVE_MINUTES_SECONDS),
            Self::User => ("user", limits.sign_in_sign_ups, FIVE_MINUTES_SECONDS),
            Self::Token => ("token", limits.token_refresh, FIVE_MINUTES_SECONDS),
            Self::Verify => ("verify", limits.token_verifications, FIVE_MINUTES_SECONDS),
            Self::Web3 => ("web3", limits.web3, FIVE_MINUTES_SECONDS),
            Self::Factor => ("factor", 15, MINUTE_SECONDS),
            Self::OauthAuthorize => ("oauth-authorize", 100, FIVE_MINUTES_SECONDS),
            Self::OauthRegister => ("oauth-register", 10, FIVE_MINUTES_SECONDS),
            Self::Passkey => ("passkey", limits.sign_in_sign_ups, FIVE_MINUTES_SECONDS),
        }
    }
}

/// Counts a request against a rate limit by client network (IPv4 address or IPv6 /64). If the limit is reached, refuses the request with
/// status 429.
pub(crate) async fn check(state: &AuthState, limit: Limit, client: &Client) -> Result<()> {
    if !state.setup.address_limits.apply_to(client) {
        return Ok(());
    }
    let (name, allowed, seconds) = limit.allowance(&state.settings().rate_limit);
    let subject = format!("auth/{name}/{}", client.address.network());
    let mut connection = state.connection().await?;
    if take(&mut connection, &subject, i32::try_from(allowed).unwrap_or(i32::MAX), seconds).await? {
        Ok(())
    } else {
        Err(AuthError::too_many("over_request_rate_limit", "Request rate limit reached"))
    }
}

/// Counts a call against the rate limit with the key `subject` if fewer than `allowed` calls were counted in the last `seconds`. Returns
/// whether the call was counted.
pub(crate) async fn take(
    connection: &mut PgConnection,
    subject: &str,
    allowed: i32,
    seconds: f64,
) -> sqlx::Result<bool> {
    sqlx::query_scalar!(
        r#"select cloch.take($1, $2, make_interval(secs => $3)) = interval '0' as "counted!""#,
        subject,
        allowed,
        seconds,
    )
    .fetch_one(connection)
    .await
}

/// Removes the last counted call from the rate limit with the key `subject`.
pub(crate) async fn give_back(connection: &mut PgConnection, subject: &str) -> sqlx::Result<()> {
    sqlx::query!("select cloch.give_back($1)", subject).execute(connection).await.map(drop)
}

/// Counts a call under the key `subject`, and refuses further calls with this key until `gap` has passed. Returns `None` if the call was
/// counted, otherwise the seconds until the next call is allowed.
pub(crate) async fn take_turn(
    connection: &mut PgConnection,
    subject: &str,
    gap: std::time::Duration,
) -> sqlx::Result<Option<f64>> {
    let gap = PgInterval { months: 0, days: 0, microseconds: i64::try_from(gap.as_micros()).unwrap_or(i64::MAX) };
    let wait = sqlx::query_scalar!(
        r#"select extract(epoch from cloch.take_turn($1, $2))::float8 as "seconds!""#,
        subject,
        gap,
    )
    .fetch_one(connection)
    .await?;
    Ok((wait > 0.0).then_some(wait))
}

/// Deletes the row with the key `subject` that [`take_turn`] or [`note`] wrote to `cloch.rate_limits`.
pub(crate) async fn forget(connection: &mut PgConnection, subject: &str) -> sqlx::Result<()> {
    sqlx::query!("delete from cloch.rate_limits where subject = $1", subject).execute(connection).await.map(drop)
}

/// Inserts a row with the key `subject` into `cloch.rate_limits`. The row expires after `seconds`.
pub(crate) async fn note(connection: &mut PgConnection, subject: &str, seconds: u64) -> sqlx::Result<()> {
    sqlx::query!(
        "insert into cloch.rate_limits (subject, slices, counts, expires_at)
         values ($1, '{}', '{}', now() + make_interval(secs => $2::bigint::float8))
         on conflict on constraint rate_limits_pkey do update set expires_at = excluded.expires_at",
        subject,
        i64::try_from(seconds).unwrap_or(i64::MAX),
    )
    .execute(connection)
    .await
    .map(drop)
}

/// Whether [`note`] inserted a row with the key `subject` that has not expired.
pub(crate) async fn is_noted(connection: &mut PgConnection, subject: &str) -> sqlx::Result<bool> {
    sqlx::query_scalar!(
        r#"select exists (select from cloch.rate_limits where subject = $1 and expires_at > now()) as "noted!""#,
        subject,
    )
    .fetch_one(connection)
    .await
}
