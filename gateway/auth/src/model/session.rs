//! `auth.sessions`: sessions of users, and the authentication methods of each session (`auth.mfa_amr_claims`).

use chrono::{NaiveDateTime, Utc};
use sqlx::PgConnection;
use sqlx::types::Json;
use uuid::Uuid;

use super::Time;
use crate::client::Client;

#[derive(Clone, Debug)]
pub(crate) struct Session {
    pub(crate) id: Uuid,
    pub(crate) user_id: Uuid,
    pub(crate) created_at: Time,
    pub(crate) refreshed_at: Option<NaiveDateTime>,
    pub(crate) not_after: Option<Time>,
    /// Authenticator assurance level: `aal1` (one factor) or `aal2` (two factors).
    pub(crate) aal: String,
    pub(crate) tag: String,
    pub(crate) oauth_client_id: Option<Uuid>,
    /// The scopes of an OAuth client's session, separated by spaces. `None` for a session in which the user signed in to this project.
    pub(crate) scopes: Option<String>,
    /// HMAC key that signs the session's refresh tokens of format 2. `None` for sessions with refresh tokens of format 1.
    pub(crate) refresh_token_hmac_key: Option<String>,
    pub(crate) refresh_token_counter: Option<i64>,
    /// The session's authentication methods, newest first.
    pub(crate) amr: Json<Vec<Proof>>,
}

/// An authentication method that the user completed in a session, serialised as an entry of the `amr` claim.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Proof {
    pub(crate) method: String,
    /// Time of the authentication as a Unix time in seconds.
    pub(crate) timestamp: i64,
}

impl Session {
    pub(crate) fn has_aal2(&self) -> bool {
        self.aal.as_str() >= "aal2"
    }

    /// Returns the time at which the user authenticated with the newest authentication method of the session.
    pub(crate) fn signed_in_at(&self) -> Time {
        let newest = self.amr.iter().map(|proof| proof.timestamp).max();
        newest.and_then(|at| Time::from_timestamp(at, 0)).unwrap_or(self.created_at)
    }

    pub(crate) fn last_refreshed(&self) -> Option<Time> {
        self.refreshed_at.map(|at| at.and_utc())
    }

    /// Whether the session has not reached its fixed end time (`not_after`).
    pub(crate) fn is_open(&self) -> bool {
        self.not_after.is_none_or(|end| end > Utc::now())
    }
}

macro_rules! select_sessions {
    ($connection:expr, $fetch:ident, $rest:tt $(, $value:expr)* $(,)?) => {
        sqlx::query_as!(
            Session,
            r#"select
                 s.id,
                 s.user_id,
                 coalesce(s.created_at, 'epoch') as "created_at!",
                 s.refreshed_at,
                 s.not_after,
                 coalesce(s.aal::text, 'aal1') as "aal!",
                 coalesce(s.tag, '') as "tag!",
                 s.oauth_client_id,
                 s.scopes,
                 s.refresh_token_hmac_key,
                 s.refresh_token_counter,
                 coalesce(
                   (select json_agg(json_build_object('method', c.authentication_method,
                                                      'timestamp', floor(extract(epoch from c.updated_at))::bigint)
                                    order by c.updated_at desc)
                    from auth.mfa_amr_claims c where c.session_id = s.id),
                   '[]') as "amr!: Json<Vec<Proof>>"
               from auth.sessions s "# + $rest
            $(, $value)*
        )
        .$fetch(&mut *$connection)
        .await
    };
}

pub(crate) async fn by_id(connection: &mut PgConnection, id: Uuid) -> sqlx::Result<Option<Session>> {
    select_sessions!(connection, fetch_optional, "where s.id = $1", id)
}

pub(crate) async fn of_user(connection: &mut PgConnection, user: Uuid) -> sqlx::Result<Vec<Session>> {
    select_sessions!(connection, fetch_all, "where s.user_id = $1 order by s.created_at", user)
}

/// Inserts a session with its first refresh token and its authentication method, in one statement. Also updates the user's
/// `last_sign_in_at`, and records the client's network (IPv4 address or IPv6 /64) as one from which the user has signed in.
pub(crate) async fn open(
    connection: &mut PgConnection,
    id: Uuid,
    user: Uuid,
    method: &str,
    client: &Client,
    refresh_token: &str,
) -> sqlx::Result<()> {
    sqlx::query!(
        "with opened as (
           insert into auth.sessions (id, user_id, created_at, updated_at, aal, user_agent, ip)
           values ($1, $2, now(), now(), 'aal1', $3, ($4::text)::inet)
         ), proved as (
           insert into auth.mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
           values (gen_random_uuid(), $1, now(), now(), $5)
         ), token as (
           insert into auth.refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id)
           values ('00000000-0000-0000-0000-000000000000', $6, $2::uuid::text, false, now(), now(), null, $1)
         ), seen as (
           insert into cloch.sign_in_networks as known (user_id, network) values ($2, $7)
           on conflict (user_id, network) do update set seen_at = now()
             where known.seen_at < now() - interval '1 day'
         )
         update auth.users set last_sign_in_at = now(), updated_at = now() where id = $2",
        id,
        user,
        client.user_agent,
        client.address.0.to_string(),
        method,
        refresh_token,
        client.address.network(),
    )
    .execute(connection)
    .await
    .map(drop)
}

pub(crate) struct ClientSession<'a> {
    pub(crate) id: Uuid,
    pub(crate) user: Uuid,
    pub(crate) oauth_client: Uuid,
    pub(crate) scopes: &'a str,
    pub(crate) method: &'a str,
}

/// Inserts a session of an OAuth client. Unlike [`open`], updates neither the user's `last_sign_in_at` nor the networks from which the user
/// has signed in.
pub(crate) async fn open_for_client(
    connection: &mut PgConnection,
    session: &ClientSession<'_>,
    client: &Client,
    refresh_token: &str,
) -> sqlx::Result<()> {
    sqlx::query!(
        "with opened as (
           insert into auth.sessions (id, user_id, created_at, updated_at, aal, user_agent, ip, oauth_client_id, scopes)
           values ($1, $2, now(), now(), 'aal1', $3, ($4::text)::inet, $7, $8)
         ), proved as (
           insert into auth.mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
           values (gen_random_uuid(), $1, now(), now(), $5)
         )
         insert into auth.refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id)
         values ('00000000-0000-0000-0000-000000000000', $6, $2::uuid::text, false, now(), now(), null, $1)",
        session.id,
        session.user,
        client.user_agent,
        client.address.0.to_string(),
        session.method,
        refresh_token,
        session.oauth_client,
        session.scopes,
    )
    .execute(connection)
    .await
    .map(drop)
}

/// Whether the user has signed in from this network (IPv4 address or IPv6 /64) before.
pub(crate) async fn is_known_network(connection: &mut PgConnection, user: Uuid, network: &str) -> sqlx::Result<bool> {
    sqlx::query_scalar!(
        r#"select exists (select from cloch.sign_in_networks where user_id = $1 and network = $2) as "known!""#,
        user,
        network,
    )
    .fetch_one(connection)
    .await
}

/// Records a refresh of a session, with the address and user agent of the HTTP client.
pub(crate) async fn refreshed(connection: &mut PgConnection, id: Uuid, client: &Client) -> sqlx::Result<()> {
    sqlx::query!(
        "update auth.sessions
         set refreshed_at = now() at time zone 'utc', user_agent = $2, ip = ($3::text)::inet, updated_at = now()
         where id = $1",
        id,
        client.user_agent,
        client.address.0.to_string(),
    )
    .execute(connection)
    .await
    .map(drop)
}

pub(crate) async fn delete(connection: &mut PgConnection, id: Uuid) -> sqlx::Result<()> {
    sqlx::query!("delete from auth.sessions where id = $1", id).execute(connection).await.map(drop)
}

pub(crate) async fn delete_all(connection: &mut PgConnection, user: Uuid) -> sqlx::Result<()> {
    delete_others(connection, user, None).await
}

pub(crate) async fn delete_others(connection: &mut PgConnection, user: Uuid, kept: Option<Uuid>) -> sqlx::Result<()> {
    sqlx::query!("delete from auth.sessions where user_id = $1 and ($2::uuid is null or id <> $2)", user, kept,)
        .execute(connection)
        .await
        .map(drop)
}

pub(crate) async fn set_counter(connection: &mut PgConnection, id: Uuid, counter: i64) -> sqlx::Result<()> {
    sqlx::query!("update auth.sessions set refresh_token_counter = $2, updated_at = now() where id = $1", id, counter,)
        .execute(connection)
        .await
        .map(drop)
}

pub(crate) async fn add_proof(connection: &mut PgConnection, id: Uuid, method: &str) -> sqlx::Result<()> {
    sqlx::query!(
        "insert into auth.mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
         values (gen_random_uuid(), $1, now(), now(), $2)
         on conflict on constraint mfa_amr_claims_session_id_authentication_method_pkey
           do update set updated_at = now()",
        id,
        method,
    )
    .execute(connection)
    .await
    .map(drop)
}

/// Raises a session to aal2 after a second factor was verified, and deletes the user's other sessions at aal1. Does not delete sessions of
/// OAuth clients, because an OAuth client cannot verify a second factor.
pub(crate) async fn raise(connection: &mut PgConnection, id: Uuid, user: Uuid, factor: Uuid) -> sqlx::Result<()> {
    sqlx::query!(
        "update auth.sessions set aal = 'aal2', factor_id = $2, updated_at = now() where id = $1",
        id,
        factor,
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!(
        "delete from auth.sessions where user_id = $1 and coalesce(aal, 'aal1') < 'aal2' and oauth_client_id is null",
        user
    )
    .execute(connection)
    .await
    .map(drop)
}

/// Lowers the sessions that were raised by a second factor to aal1, and removes the factor's authentication method from these sessions. If
/// the user has no other factor of this type, also removes it from the sessions that another factor has raised. Must be called before the
/// factor is deleted.
pub(crate) async fn lower(connection: &mut PgConnection, factor: Uuid, method: &str) -> sqlx::Result<()> {
    sqlx::query!(
        "with factor as (
           select id, user_id, factor_type from auth.mfa_factors where id = $1
         ), lowered as (
           update auth.sessions s set aal = 'aal1', factor_id = null, updated_at = now()
           from factor where s.user_id = factor.user_id and s.factor_id = factor.id
           returning s.id
         )
         delete from auth.mfa_amr_claims c
         using factor, auth.sessions s
         where c.session_id = s.id and s.user_id = factor.user_id and c.authentication_method = $2
           and (s.id in (select id from lowered)
                or not exists (select from auth.mfa_factors other
                               where other.user_id = factor.user_id and other.factor_type = factor.factor_type
                                 and other.id <> factor.id and other.status = 'verified'))",
        factor,
        method,
    )
    .execute(connection)
    .await
    .map(drop)
}
