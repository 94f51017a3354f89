//! Deletes expired rows of schema `auth`, in small batches that skip locked rows.

use std::time::Duration;

use cloch_core::Live;
use tokio_util::sync::CancellationToken;

use crate::error::Result;
use crate::settings::GoDuration;
use crate::state::AuthState;

const CLEANUP_INTERVAL: Duration = Duration::from_mins(10);
/// Number of rows that one batch deletes: the `limit` of each SQL statement in this file.
const BATCH_ROWS: u64 = 100;
/// Maximum number of batches of one cleanup task per [`CLEANUP_INTERVAL`]. The remaining expired rows are deleted after the next interval.
const MAX_BATCHES: u32 = 100;

/// An SQL statement that deletes one kind of expired rows. `age` is the value of the statement's parameter `$1`: the minimum age in seconds
/// of the rows to delete. `None` if the statement has no parameter.
struct CleanupTask {
    what: &'static str,
    statement: &'static str,
    age: Option<i64>,
}

/// Runs all cleanup tasks every [`CLEANUP_INTERVAL`] until `shutdown` is cancelled. Each run uses the current settings.
pub async fn run(states: Live<AuthState>, shutdown: CancellationToken) {
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = tokio::time::sleep(CLEANUP_INTERVAL) => {}
        }
        let state = states.get();
        for task in tasks(&state) {
            if let Err(error) = clean(&state, &task).await {
                error.log();
                tracing::warn!(
                    "auth: cleanup of {} failed (the error is logged before this line), retrying in 10 minutes",
                    task.what
                );
            }
            if shutdown.is_cancelled() {
                return;
            }
        }
    }
}

#[cfg(test)]
pub(crate) async fn once(state: &AuthState) -> Result<()> {
    for task in tasks(state) {
        clean(state, &task).await?;
    }
    Ok(())
}

async fn clean(state: &AuthState, task: &CleanupTask) -> Result<()> {
    let mut total = 0;
    for _ in 0..MAX_BATCHES {
        let mut tx = state.begin().await?;
        let mut query = sqlx::query(task.statement);
        if let Some(age) = task.age {
            query = query.bind(age);
        }
        let touched = query.execute(&mut *tx).await?.rows_affected();
        tx.commit().await?;
        total += touched;
        if touched < BATCH_ROWS {
            break;
        }
    }
    if total > 0 {
        tracing::debug!(rows = total, "auth: cleanup of {} done", task.what);
    }
    Ok(())
}

/// Returns the cleanup tasks, with ages that depend on the project's settings. Rows are deleted at the same age as in GoTrue, except for
/// one-time tokens: GoTrue keeps them; this server deletes them one day after their expiry.
fn tasks(state: &AuthState) -> Vec<CleanupTask> {
    let settings = state.settings();
    let code_life =
        settings.email.otp_expiry.max(settings.sms.code_expiry()).max(state.setup.invitation_expiry.unwrap_or(0));
    let code_life = i64::try_from(code_life).unwrap_or(i64::MAX / 2);
    let mut tasks: Vec<CleanupTask> =
        FIXED_TASKS.into_iter().map(|(what, statement)| CleanupTask { what, statement, age: None }).collect();
    tasks.push(CleanupTask {
        what: "one-time tokens",
        statement: ONE_TIME_TOKENS,
        age: Some(code_life.saturating_add(DAY_SECONDS)),
    });
    if let Some(age) = age(settings.sessions.timebox) {
        tasks.push(CleanupTask { what: "sessions older than the timebox", statement: OLD_SESSIONS, age: Some(age) });
    }
    if let Some(age) = age(settings.sessions.inactivity_timeout) {
        tasks.push(CleanupTask { what: "inactive sessions", statement: INACTIVE_SESSIONS, age: Some(age) });
        tasks.push(CleanupTask { what: "sessions without a refresh", statement: UNUSED_SESSIONS, age: Some(age) });
    }
    if let Some(days) = state.setup.anonymous_user_days.filter(|_| settings.enable_anonymous_sign_ins) {
        tasks.push(CleanupTask {
            what: "anonymous users",
            statement: ANONYMOUS_USERS,
            age: Some(i64::from(days) * DAY_SECONDS),
        });
    }
    tasks
}

const DAY_SECONDS: i64 = 86_400;

/// Returns the age in seconds at which a session that has ended because of `limit` (a setting of `[auth.sessions]`) is deleted: the limit
/// plus one day. During this day, a refresh request still receives the error that names the limit. `None` if no limit is set.
fn age(limit: Option<GoDuration>) -> Option<i64> {
    let seconds = limit?.get().as_secs();
    (seconds > 0).then(|| i64::try_from(seconds).unwrap_or(i64::MAX / 2).saturating_add(DAY_SECONDS))
}

const FIXED_TASKS: [(&str, &str); 13] = [
    (
        "revoked refresh tokens",
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
        "OAuth client states",
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
        "unverified factors",
        "delete from auth.mfa_factors where id in (
           select id from auth.mfa_factors
           where status = 'unverified' and created_at < now() - interval '24 hours' limit 100 for update skip locked)",
    ),
    (
        "sign-in networks",
        "delete from cloch.sign_in_networks where (user_id, network) in (
           select user_id, network from cloch.sign_in_networks
           where seen_at < now() - interval '90 days' limit 100 for update skip locked)",
    ),
    (
        "passkey challenges",
        "delete from auth.webauthn_challenges where id in (
           select id from auth.webauthn_challenges where expires_at < now() limit 100 for update skip locked)",
    ),
    (
        "OAuth authorization requests",
        "delete from auth.oauth_authorizations where id in (
           select id from auth.oauth_authorizations
           where expires_at < now() - interval '24 hours' limit 100 for update skip locked)",
    ),
    (
        "used authorization codes",
        "delete from cloch.oauth_spent_codes where code_hash in (
           select code_hash from cloch.oauth_spent_codes
           where spent_at < now() - interval '24 hours' limit 100 for update skip locked)",
    ),
    (
        "unused dynamically registered OAuth clients",
        "delete from auth.oauth_clients where id in (
           select c.id from auth.oauth_clients c
           where c.registration_type = 'dynamic' and c.created_at < now() - interval '7 days'
             and not exists (select from auth.oauth_consents g where g.client_id = c.id)
             and not exists (select from auth.oauth_authorizations a where a.client_id = c.id)
             and not exists (select from auth.sessions s where s.oauth_client_id = c.id)
           limit 100 for update skip locked)",
    ),
];

const ONE_TIME_TOKENS: &str = "delete from auth.one_time_tokens where id in (
  select id from auth.one_time_tokens
  where created_at < now() - make_interval(secs => $1::bigint) limit 100 for update skip locked)";

const OLD_SESSIONS: &str = "delete from auth.sessions where id in (
  select id from auth.sessions where created_at < now() - make_interval(secs => $1::bigint) limit 100 for update skip locked)";

const INACTIVE_SESSIONS: &str = "delete from auth.sessions where id in (
  select id from auth.sessions
  where refreshed_at < (now() at time zone 'utc') - make_interval(secs => $1::bigint) limit 100 for update skip locked)";

const UNUSED_SESSIONS: &str = "delete from auth.sessions where id in (
  select s.id from auth.sessions s join auth.refresh_tokens t on t.session_id = s.id
  where s.refreshed_at is null and not t.revoked and t.updated_at < now() - make_interval(secs => $1::bigint)
  limit 100 for update of s skip locked)";

/// A user with an identity is not deleted. Such a user can count as anonymous until an address is confirmed.
const ANONYMOUS_USERS: &str = "delete from auth.users where id in (
  select id from auth.users u
  where is_anonymous and created_at < now() - make_interval(secs => $1::bigint)
    and not exists (select from auth.identities i where i.user_id = u.id)
  limit 100 for update skip locked)";
