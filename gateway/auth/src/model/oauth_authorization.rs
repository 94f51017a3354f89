//! `auth.oauth_authorizations`: authorization requests of OAuth clients, from /oauth/authorize to the exchange of the authorization code.

use sqlx::PgConnection;
use uuid::Uuid;

use super::Time;

/// Lifetime of an authorization request and of its authorization code in seconds, the same as GoTrue's.
pub(crate) const LIFETIME_SECONDS: f64 = 600.0;

pub(crate) struct Authorization {
    pub(crate) id: Uuid,
    pub(crate) client_id: Uuid,
    pub(crate) user_id: Option<Uuid>,
    pub(crate) redirect_uri: String,
    pub(crate) scope: String,
    pub(crate) state: Option<String>,
    pub(crate) resource: Option<String>,
    pub(crate) code_challenge: Option<String>,
    pub(crate) nonce: Option<String>,
    /// Status of the authorization request: `pending`, `approved`, `denied` or `expired`.
    pub(crate) status: String,
    pub(crate) expires_at: Time,
    /// The `prompt` parameter: space-separated values (OpenID Connect Core, section 3.1.2.1).
    pub(crate) prompt: String,
    /// Earliest sign-in time of the user that the OAuth client accepts. `None` if the client accepts any time.
    pub(crate) sign_in_after: Option<Time>,
    /// Time at which the user who approved the authorization request had signed in.
    pub(crate) auth_time: Option<Time>,
}

impl Authorization {
    pub(crate) fn is_expired(&self) -> bool {
        self.expires_at <= chrono::Utc::now()
    }

    /// Whether the authorization request forbids any interaction with the user (`prompt=none`).
    pub(crate) fn is_silent(&self) -> bool {
        self.prompt == "none"
    }

    /// Whether the OAuth client accepts a user who signed in at the time `at`.
    pub(crate) fn accepts_sign_in(&self, at: Option<Time>) -> bool {
        // Sign-in times are stored in whole seconds, so the comparison ignores fractions of a second.
        self.sign_in_after.is_none_or(|earliest| at.is_some_and(|at| at.timestamp() >= earliest.timestamp()))
    }
}

/// A new authorization request of an OAuth client, with the code challenge method S256.
pub(crate) struct Request<'a> {
    /// Random id with which the app's consent page loads the request.
    pub(crate) authorization_id: &'a str,
    pub(crate) client: Uuid,
    pub(crate) redirect_uri: &'a str,
    pub(crate) scope: &'a str,
    pub(crate) state: &'a str,
    pub(crate) resource: &'a str,
    pub(crate) code_challenge: &'a str,
    pub(crate) nonce: &'a str,
    pub(crate) prompt: &'a str,
    /// Maximum age of the user's sign-in in seconds. `None` if the OAuth client accepts any age.
    pub(crate) max_age: Option<i64>,
}

pub(crate) async fn insert(connection: &mut PgConnection, request: &Request<'_>) -> sqlx::Result<()> {
    sqlx::query!(
        "with request as (
           insert into auth.oauth_authorizations
             (id, authorization_id, client_id, redirect_uri, scope, state, resource, code_challenge, code_challenge_method,
              nonce, expires_at)
           values (gen_random_uuid(), $1, $2, $3, $4, nullif($5, ''), nullif($6, ''), $7, 's256', nullif($8, ''),
                   now() + make_interval(secs => $10))
           returning id
         )
         insert into cloch.oauth_prompts (authorization_id, prompt, sign_in_after)
         select id, $9, now() - make_interval(secs => $11::bigint::float8) from request where $9 <> '' or $11 is not null",
        request.authorization_id,
        request.client,
        request.redirect_uri,
        request.scope,
        request.state,
        request.resource,
        request.code_challenge,
        request.nonce,
        request.prompt,
        LIFETIME_SECONDS,
        request.max_age,
    )
    .execute(connection)
    .await
    .map(drop)
}

macro_rules! select_authorizations {
    ($connection:expr, $rest:tt, $value:expr) => {
        sqlx::query_as!(
            Authorization,
            r#"select
                 a.id,
                 a.client_id,
                 a.user_id,
                 a.redirect_uri,
                 a.scope,
                 a.state,
                 a.resource,
                 a.code_challenge,
                 a.nonce,
                 a.status::text as "status!",
                 a.expires_at,
                 coalesce(p.prompt, '') as "prompt!",
                 p.sign_in_after as "sign_in_after?",
                 p.auth_time as "auth_time?"
               from auth.oauth_authorizations a left join cloch.oauth_prompts p on p.authorization_id = a.id "#
                + $rest,
            $value
        )
        .fetch_optional(&mut *$connection)
        .await
    };
}

pub(crate) async fn lock(connection: &mut PgConnection, authorization_id: &str) -> sqlx::Result<Option<Authorization>> {
    select_authorizations!(connection, "where a.authorization_id = $1 for update of a", authorization_id)
}

/// Returns the approved authorization request whose authorization code has this hash, and locks its row until the transaction ends. `None`
/// if no request has this hash.
pub(crate) async fn lock_by_code(connection: &mut PgConnection, hash: &str) -> sqlx::Result<Option<Authorization>> {
    select_authorizations!(
        connection,
        "where a.authorization_code = $1 and a.status = 'approved' for update of a",
        hash
    )
}

/// Binds an authorization request to the user who must approve or deny it.
pub(crate) async fn set_user(connection: &mut PgConnection, id: Uuid, user: Uuid) -> sqlx::Result<()> {
    sqlx::query!("update auth.oauth_authorizations set user_id = $2 where id = $1", id, user)
        .execute(connection)
        .await
        .map(drop)
}

/// Approves an authorization request: stores the hash of its authorization code and the time at which the user had signed in.
pub(crate) async fn approve(
    connection: &mut PgConnection,
    id: Uuid,
    code_hash: &str,
    auth_time: Option<Time>,
) -> sqlx::Result<()> {
    sqlx::query!(
        "with signed_in as (
           insert into cloch.oauth_prompts (authorization_id, prompt, auth_time) values ($1, '', $3)
           on conflict on constraint oauth_prompts_pkey do update set auth_time = excluded.auth_time
         )
         update auth.oauth_authorizations set status = 'approved', approved_at = now(), authorization_code = $2 where id = $1",
        id,
        code_hash,
        auth_time,
    )
    .execute(connection)
    .await
    .map(drop)
}

pub(crate) async fn deny(connection: &mut PgConnection, id: Uuid) -> sqlx::Result<()> {
    sqlx::query!("update auth.oauth_authorizations set status = 'denied' where id = $1", id)
        .execute(connection)
        .await
        .map(drop)
}

/// Deletes an authorization request whose code was exchanged, and records the used code with the session that it created.
pub(crate) async fn spend(
    connection: &mut PgConnection,
    authorization: &Authorization,
    code_hash: &str,
    session: Uuid,
) -> sqlx::Result<()> {
    sqlx::query!(
        "with spent as (delete from auth.oauth_authorizations where id = $1)
         insert into cloch.oauth_spent_codes (code_hash, client_id, session_id) values ($2, $3, $4)",
        authorization.id,
        code_hash,
        authorization.client_id,
        session,
    )
    .execute(connection)
    .await
    .map(drop)
}

/// Ends the session that was created with an authorization code, because the OAuth client sent the code a second time. Returns whether a
/// session was ended.
pub(crate) async fn end_session_of_spent_code(
    connection: &mut PgConnection,
    code_hash: &str,
    client: Uuid,
) -> sqlx::Result<bool> {
    let ended = sqlx::query!(
        "delete from auth.sessions s using cloch.oauth_spent_codes c
         where c.code_hash = $1 and c.client_id = $2 and s.id = c.session_id",
        code_hash,
        client,
    )
    .execute(connection)
    .await?;
    Ok(ended.rows_affected() > 0)
}
