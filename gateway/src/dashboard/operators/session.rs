//! Sessions of operators: a random token in a cookie, whose digest is in the database. A session ends after one hour without use, and after
//! twelve hours in any case.

use std::time::Duration;

use chrono::{DateTime, Utc};
use cloch_core::Secret;
use cloch_sql::caller::ClientAddress;
use http::HeaderValue;
use http::header::USER_AGENT;
use http::request::Parts;
use serde_json::{Value, json};
use sqlx::{PgConnection, PgExecutor};
use uuid::Uuid;

use crate::dashboard::keys::{csrf_token, digest, random_token};
use crate::dashboard::operator::Operator;
use crate::dashboard::{ApiError, Dashboard, cookie};

/// Maximum lifetime of a session.
const LIFETIME: Duration = Duration::from_hours(12);
/// Time without use after which a session ends.
const IDLE: Duration = Duration::from_hours(1);
/// Minimum time between two updates of the stored time of a session's last use.
const NOTE_USE_AFTER: chrono::TimeDelta = chrono::TimeDelta::minutes(1);
/// Maximum number of sessions of an operator. The session with the oldest use ends first.
const MAX_SESSIONS: i64 = 20;
/// Maximum length of a stored User-Agent in characters.
const MAX_USER_AGENT_CHARS: usize = 200;
/// Maximum length of a token in a cookie. Longer tokens cause no database query.
const MAX_TOKEN_CHARS: usize = 64;

#[derive(Clone, Debug)]
pub(in crate::dashboard) struct Session {
    pub(in crate::dashboard) id: Uuid,
    pub(in crate::dashboard) operator: Operator,
    pub(in crate::dashboard) csrf_token: Secret,
    expires_at: DateTime<Utc>,
}

#[derive(sqlx::FromRow)]
struct Row {
    session_id: Uuid,
    expires_at: DateTime<Utc>,
    seen_at: DateTime<Utc>,
    #[sqlx(flatten)]
    operator: Operator,
}

impl Session {
    /// Returns the session of the request's cookie. `None` if there is no cookie, or the session has ended. `is_use`: whether the request
    /// counts as use of the session.
    pub(in crate::dashboard) async fn of_request(
        state: &Dashboard,
        parts: &Parts,
        is_use: bool,
    ) -> Result<Option<Self>, ApiError> {
        let token = cookie::of_request(parts, state.is_https());
        let Some(token) = token.filter(|token| !token.is_empty() && token.len() <= MAX_TOKEN_CHARS) else {
            return Ok(None);
        };
        let pool = state.database.operators();
        let row = find(pool, token).await?;
        let Some(row) = row else { return Ok(None) };
        if is_use && Utc::now() - row.seen_at > NOTE_USE_AFTER {
            note_use(pool, row.session_id).await?;
        }
        let csrf_token = csrf_token(token);
        Ok(Some(Self { id: row.session_id, operator: row.operator, csrf_token, expires_at: row.expires_at }))
    }

    /// Begins a session. Returns the session and its `Set-Cookie` header.
    pub(super) async fn begin(
        state: &Dashboard,
        connection: &mut PgConnection,
        operator: Operator,
        parts: &Parts,
    ) -> Result<(Self, HeaderValue), ApiError> {
        let token = random_token();
        let agent = parts.headers.get(USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let agent: String = agent.chars().take(MAX_USER_AGENT_CHARS).collect();
        let (id, expires_at): (Uuid, DateTime<Utc>) = sqlx::query_as(
            "with ended as (
                 delete from cloch.operator_sessions
                  where expires_at < now() or seen_at < now() - make_interval(secs => $3)
                     or id in (select id from cloch.operator_sessions where operator_id = $1 order by seen_at desc offset $4)),
             seen as (update cloch.operators set last_seen_at = now() where id = $1)
             insert into cloch.operator_sessions (operator_id, token_hash, expires_at, network, user_agent)
             values ($1, $2, now() + make_interval(secs => $5), $6, $7) returning id, expires_at",
        )
        .bind(operator.id)
        .bind(digest(token.expose()))
        .bind(IDLE.as_secs_f64())
        .bind(MAX_SESSIONS - 1)
        .bind(LIFETIME.as_secs_f64())
        .bind(ClientAddress::of_request(parts).map(ClientAddress::network))
        .bind(agent)
        .fetch_one(connection)
        .await?;
        let cookie = cookie::header(token.expose(), LIFETIME.as_secs(), state.is_https());
        let cookie = cookie.ok_or_else(|| ApiError::internal("session start failed", "invalid cookie header"))?;
        Ok((Self { id, operator, csrf_token: csrf_token(token.expose()), expires_at }, cookie))
    }

    /// Returns the session as JSON for the dashboard's web page, with its CSRF token.
    pub(super) fn shown(&self) -> Value {
        json!({
            "operator": self.operator, "csrf": self.csrf_token.expose(), "expires_at": self.expires_at,
            "idle_seconds": IDLE.as_secs(),
        })
    }

    /// Whether the session is still valid. Long-running responses check this repeatedly. Such a response does not count as use of the
    /// session, so the session and the response end after [`IDLE`] without other requests.
    pub(in crate::dashboard) async fn holds(&self, executor: impl PgExecutor<'_>) -> sqlx::Result<bool> {
        sqlx::query_scalar(
            "select exists (select from cloch.operator_sessions as s join cloch.operators as o on o.id = s.operator_id
                             where s.id = $1 and s.expires_at > now() and s.seen_at > now() - make_interval(secs => $2)
                               and not o.disabled)",
        )
        .bind(self.id)
        .bind(IDLE.as_secs_f64())
        .fetch_one(executor)
        .await
    }
}

/// Returns the session whose cookie contains this token. `None` if the session has ended or its operator is disabled.
async fn find(executor: impl PgExecutor<'_>, token: &str) -> sqlx::Result<Option<Row>> {
    sqlx::query_as(
        "select s.id as session_id, s.expires_at, s.seen_at, o.id, o.email, o.name, o.role, o.totp_sealed is not null as totp,
                o.password_hash is not null as password
           from cloch.operator_sessions as s join cloch.operators as o on o.id = s.operator_id
          where s.token_hash = $1 and s.expires_at > now() and s.seen_at > now() - make_interval(secs => $2)
            and not o.disabled",
    )
    .bind(digest(token))
    .bind(IDLE.as_secs_f64())
    .fetch_optional(executor)
    .await
}

async fn note_use(executor: impl PgExecutor<'_>, id: Uuid) -> sqlx::Result<()> {
    let update = "with used as (update cloch.operator_sessions set seen_at = now() where id = $1 returning operator_id)
                  update cloch.operators set last_seen_at = now() from used where id = used.operator_id";
    sqlx::query(update).bind(id).execute(executor).await.map(drop)
}

/// The sessions of an operator that are to be ended.
pub(super) enum Ended {
    All,
    AllBut(Uuid),
    Only(Uuid),
}

pub(super) async fn end(executor: impl PgExecutor<'_>, operator: Uuid, ended: Ended) -> sqlx::Result<()> {
    let (only, but) = match ended {
        Ended::All => (None, None),
        Ended::AllBut(id) => (None, Some(id)),
        Ended::Only(id) => (Some(id), None),
    };
    let delete = "delete from cloch.operator_sessions
                   where operator_id = $1 and ($2::uuid is null or id = $2) and id is distinct from $3";
    sqlx::query(delete).bind(operator).bind(only).bind(but).execute(executor).await.map(drop)
}

#[cfg(test)]
mod tests {
    use cloch_sql::testing::TestDatabase;
    use sqlx::AssertSqlSafe;

    use super::*;

    #[tokio::test]
    async fn a_session_ends_with_its_time_without_use_and_with_its_operator() {
        let database = TestDatabase::platform().await;
        let pool = database.database().operators();
        let insert =
            "with o as (insert into cloch.operators (email, role) values ('ann@club.example', 'owner') returning id)
                      insert into cloch.operator_sessions (operator_id, token_hash, expires_at)
                      select id, $1, now() + interval '1 hour' from o";
        sqlx::query(insert).bind(digest("token")).execute(pool).await.unwrap();
        assert!(find(pool, "other").await.unwrap().is_none());
        let row = find(pool, "token").await.unwrap().unwrap();
        assert_eq!(row.operator.email, "ann@club.example");
        let (id, operator, expires_at) = (row.session_id, row.operator, row.expires_at);
        let session = Session { id, operator, csrf_token: csrf_token("token"), expires_at };
        assert!(session.holds(pool).await.unwrap());
        for ended in [
            "update cloch.operator_sessions set expires_at = now()",
            "update cloch.operator_sessions set seen_at = now() - interval '61 minutes'",
            "update cloch.operators set disabled = true",
        ] {
            let mut transaction = cloch_sql::transaction::begin(pool).await.unwrap();
            sqlx::raw_sql(AssertSqlSafe(ended)).execute(&mut *transaction).await.unwrap();
            assert!(find(&mut *transaction, "token").await.unwrap().is_none(), "{ended}");
            assert!(!session.holds(&mut *transaction).await.unwrap(), "a live stream does not go on after: {ended}");
            transaction.rollback().await.unwrap();
        }
        assert!(find(pool, "token").await.unwrap().is_some());
    }
}
