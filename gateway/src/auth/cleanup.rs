//! Upkeep of schema `auth`: what has run out is removed, a little at a time and never waiting for a row that is in use.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::error::Result;
use super::settings::GoDuration;
use super::sms;
use super::state::AuthState;

const EVERY: Duration = Duration::from_mins(10);
/// Rows that one statement touches at most; every statement below says so.
const BATCH: u64 = 100;
/// Batches of one kind in a round: a table that grew for years is not emptied in one go.
const MOST_BATCHES: u32 = 100;

/// One kind of row that runs out. `$1`, where it stands, is an age in seconds.
struct Chore {
    what: &'static str,
    statement: &'static str,
    age: Option<i64>,
}

/// Cleans up until told to stop.
pub async fn run(state: AuthState, shutdown: CancellationToken) {
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = tokio::time::sleep(EVERY) => {}
        }
        for chore in chores(&state) {
            if let Err(error) = clean(&state, &chore).await {
                error.log();
                tracing::warn!("auth: {} were not cleaned up", chore.what);
            }
            if shutdown.is_cancelled() {
                return;
            }
        }
    }
}

/// One round of everything.
#[cfg(test)]
pub(crate) async fn once(state: &AuthState) -> Result<()> {
    for chore in chores(state) {
        clean(state, &chore).await?;
    }
    Ok(())
}

async fn clean(state: &AuthState, chore: &Chore) -> Result<()> {
    let mut total = 0;
    for _ in 0..MOST_BATCHES {
        let mut tx = state.begin().await?;
        let mut query = sqlx::query(chore.statement);
        if let Some(age) = chore.age {
            query = query.bind(age);
        }
        let touched = query.execute(&mut *tx).await?.rows_affected();
        tx.commit().await?;
        total += touched;
        if touched < BATCH {
            break;
        }
    }
    if total > 0 {
        tracing::debug!(rows = total, "auth: {} were cleaned up", chore.what);
    }
    Ok(())
}

/// What runs out in this project. The ages are GoTrue's; one-time tokens, which it keeps, go a day after they stopped to hold.
fn chores(state: &AuthState) -> Vec<Chore> {
    let settings = state.settings();
    let code_life = settings.email.otp_expiry.max(sms::EXPIRY).max(state.setup.invitation_expiry.unwrap_or(0));
    let code_life = i64::try_from(code_life).unwrap_or(i64::MAX / 2);
    let mut chores: Vec<Chore> =
        ALWAYS.into_iter().map(|(what, statement)| Chore { what, statement, age: None }).collect();
    chores.push(Chore {
        what: "one-time tokens",
        statement: ONE_TIME_TOKENS,
        age: Some(code_life.saturating_add(DAY)),
    });
    if let Some(age) = age(settings.sessions.timebox) {
        chores.push(Chore { what: "sessions past their time", statement: OLD_SESSIONS, age: Some(age) });
    }
    if let Some(age) = age(settings.sessions.inactivity_timeout) {
        chores.push(Chore { what: "silent sessions", statement: SILENT_SESSIONS, age: Some(age) });
        chores.push(Chore { what: "sessions never refreshed", statement: UNUSED_SESSIONS, age: Some(age) });
    }
    if let Some(days) = state.setup.anonymous_user_days.filter(|_| settings.enable_anonymous_sign_ins) {
        chores.push(Chore { what: "anonymous users", statement: ANONYMOUS_USERS, age: Some(i64::from(days) * DAY) });
    }
    chores
}

const DAY: i64 = 86_400;

/// A limit, and a day in which its owner may still be told why.
fn age(limit: Option<GoDuration>) -> Option<i64> {
    let seconds = limit?.get().as_secs();
    (seconds > 0).then(|| i64::try_from(seconds).unwrap_or(i64::MAX / 2).saturating_add(DAY))
}

const ALWAYS: [(&str, &str); 10] = [
    (
        "spent refresh tokens",
        "delete from auth.refresh_tokens where id in (
           select id from auth.refresh_tokens
           where revoked and updated_at < now() - interval '24 hours' limit 100 for update skip locked)",
    ),
    (
        "refresh tokens of ended sessions",
        "update auth.refresh_tokens set revoked = true, updated_at = now() where id in (
           select t.id from auth.refresh_tokens t join auth.sessions s on s.id = t.session_id
           where s.not_after < now() - interval '24 hours' and not t.revoked
           limit 100 for update of t skip locked)",
    ),
    (
        "ended sessions",
        "delete from auth.sessions where id in (
           select id from auth.sessions where not_after < now() - interval '72 hours' limit 100 for update skip locked)",
    ),
    (
        "SAML relay states",
        "delete from auth.saml_relay_states where id in (
           select id from auth.saml_relay_states
           where created_at < now() - interval '24 hours' limit 100 for update skip locked)",
    ),
    (
        "flow states",
        "delete from auth.flow_state where id in (
           select id from auth.flow_state
           where created_at < now() - interval '24 hours' limit 100 for update skip locked)",
    ),
    (
        "client states",
        "delete from auth.oauth_client_states where id in (
           select id from auth.oauth_client_states
           where created_at < now() - interval '24 hours' limit 100 for update skip locked)",
    ),
    (
        "factor challenges",
        "delete from auth.mfa_challenges where id in (
           select id from auth.mfa_challenges
           where created_at < now() - interval '24 hours' limit 100 for update skip locked)",
    ),
    (
        "factors never proved",
        "delete from auth.mfa_factors where id in (
           select id from auth.mfa_factors
           where status = 'unverified' and created_at < now() - interval '24 hours' limit 100 for update skip locked)",
    ),
    (
        "networks of sign-ins",
        "delete from cloch.sign_in_networks where (user_id, network) in (
           select user_id, network from cloch.sign_in_networks
           where seen_at < now() - interval '90 days' limit 100 for update skip locked)",
    ),
    (
        "passkey challenges",
        "delete from auth.webauthn_challenges where id in (
           select id from auth.webauthn_challenges where expires_at < now() limit 100 for update skip locked)",
    ),
];

const ONE_TIME_TOKENS: &str = "delete from auth.one_time_tokens where id in (
  select id from auth.one_time_tokens
  where created_at < now() - make_interval(secs => $1::bigint) limit 100 for update skip locked)";

const OLD_SESSIONS: &str = "delete from auth.sessions where id in (
  select id from auth.sessions where created_at < now() - make_interval(secs => $1::bigint) limit 100 for update skip locked)";

const SILENT_SESSIONS: &str = "delete from auth.sessions where id in (
  select id from auth.sessions
  where refreshed_at < (now() at time zone 'utc') - make_interval(secs => $1::bigint) limit 100 for update skip locked)";

const UNUSED_SESSIONS: &str = "delete from auth.sessions where id in (
  select s.id from auth.sessions s join auth.refresh_tokens t on t.session_id = s.id
  where s.refreshed_at is null and not t.revoked and t.updated_at < now() - make_interval(secs => $1::bigint)
  limit 100 for update of s skip locked)";

const ANONYMOUS_USERS: &str = "delete from auth.users where id in (
  select id from auth.users
  where is_anonymous and created_at < now() - make_interval(secs => $1::bigint) limit 100 for update skip locked)";
