//! `auth.refresh_tokens`: refresh tokens of format 1 (twelve characters, one row per token). The parent of a refresh token is the token
//! that it replaced.

use sqlx::PgConnection;
use uuid::Uuid;

use super::Time;

pub(crate) struct RefreshToken {
    pub(crate) id: i64,
    pub(crate) user_id: Option<Uuid>,
    pub(crate) session_id: Option<Uuid>,
    pub(crate) revoked: bool,
    pub(crate) updated_at: Time,
}

/// Locks and returns the row of a refresh token. Returns `None` without waiting if another request has locked the row (`skip locked`), so
/// that the calling function can wait without holding a database connection.
pub(crate) async fn lock(connection: &mut PgConnection, token: &str) -> sqlx::Result<Option<RefreshToken>> {
    sqlx::query_as!(
        RefreshToken,
        r#"select
             id,
             (case when user_id ~ '^[0-9a-f-]{36}$' then user_id end)::uuid as user_id,
             session_id,
             coalesce(revoked, false) as "revoked!",
             coalesce(updated_at, 'epoch') as "updated_at!"
           from auth.refresh_tokens
           where token = $1
           for update skip locked"#,
        token,
    )
    .fetch_optional(connection)
    .await
}

/// Whether a refresh token exists, even if its row is locked.
pub(crate) async fn exists(connection: &mut PgConnection, token: &str) -> sqlx::Result<bool> {
    sqlx::query_scalar!(r#"select exists (select from auth.refresh_tokens where token = $1) as "known!""#, token)
        .fetch_one(connection)
        .await
}

pub(crate) async fn session_of(connection: &mut PgConnection, token: &str) -> sqlx::Result<Option<Uuid>> {
    sqlx::query_scalar!("select session_id from auth.refresh_tokens where token = $1", token)
        .fetch_optional(connection)
        .await
        .map(Option::flatten)
}

/// Locks the session's row, so that two refresh tokens of one session are not rotated at the same time. Returns false if another request
/// has locked the row.
pub(crate) async fn lock_session(connection: &mut PgConnection, session: Uuid) -> sqlx::Result<bool> {
    sqlx::query_scalar!("select id from auth.sessions where id = $1 for update skip locked", session)
        .fetch_optional(connection)
        .await
        .map(|found| found.is_some())
}

/// Returns the newest valid refresh token of a session, and the token's parent. `None` if the session has no valid refresh token; the
/// parent is `None` if the token replaced no other token.
pub(crate) async fn active(
    connection: &mut PgConnection,
    session: Uuid,
) -> sqlx::Result<Option<(String, Option<String>)>> {
    let row = sqlx::query!(
        r#"select token as "token!", nullif(parent, '') as parent
           from auth.refresh_tokens
           where session_id = $1 and not coalesce(revoked, false) and token is not null
           order by id desc
           limit 1"#,
        session,
    )
    .fetch_optional(connection)
    .await?;
    Ok(row.map(|row| (row.token, row.parent)))
}

/// Revokes a refresh token, and inserts the next refresh token of the session.
pub(crate) async fn rotate(
    connection: &mut PgConnection,
    old: &str,
    new: &str,
    user: Uuid,
    session: Uuid,
) -> sqlx::Result<()> {
    sqlx::query!(
        "with spent as (
           update auth.refresh_tokens set revoked = true, updated_at = now() where token = $1
         )
         insert into auth.refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id)
         values ('00000000-0000-0000-0000-000000000000', $2, $3::uuid::text, false, now(), now(), $1, $4)",
        old,
        new,
        user,
        session,
    )
    .execute(connection)
    .await
    .map(drop)
}

/// Revokes all refresh tokens of a session, because a used token was sent again and is probably stolen. Also sets `updated_at` to a past
/// time: the server still accepts a revoked token for `reuse_seconds` after its `updated_at`.
pub(crate) async fn revoke_family(
    connection: &mut PgConnection,
    session: Uuid,
    reuse_seconds: i64,
) -> sqlx::Result<()> {
    sqlx::query!(
        "update auth.refresh_tokens
         set revoked = true,
             updated_at = least(updated_at, now() - make_interval(secs => ($2::bigint + 1)::float8))
         where session_id = $1",
        session,
        reuse_seconds,
    )
    .execute(connection)
    .await
    .map(drop)
}

pub(crate) async fn delete(connection: &mut PgConnection, id: i64) -> sqlx::Result<()> {
    sqlx::query!("delete from auth.refresh_tokens where id = $1", id).execute(connection).await.map(drop)
}
