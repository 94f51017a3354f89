//! `auth.refresh_tokens`: refresh tokens of format 1, each with the token it replaced as its parent.

use sqlx::PgConnection;
use uuid::Uuid;

use super::Time;

/// A refresh token's row.
pub(crate) struct RefreshToken {
    pub(crate) id: i64,
    pub(crate) user_id: Option<Uuid>,
    pub(crate) session_id: Option<Uuid>,
    pub(crate) revoked: bool,
    pub(crate) updated_at: Time,
}

/// The row of a token, locked with `skip locked`: `None` if another request has locked it, so that the caller can wait without a
/// connection.
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

/// Whether a token exists, locked or not.
pub(crate) async fn exists(connection: &mut PgConnection, token: &str) -> sqlx::Result<bool> {
    sqlx::query_scalar!(r#"select exists (select from auth.refresh_tokens where token = $1) as "known!""#, token)
        .fetch_one(connection)
        .await
}

/// The session of a token.
pub(crate) async fn session_of(connection: &mut PgConnection, token: &str) -> sqlx::Result<Option<Uuid>> {
    sqlx::query_scalar!("select session_id from auth.refresh_tokens where token = $1", token)
        .fetch_optional(connection)
        .await
        .map(Option::flatten)
}

/// Locks the session for this refresh, so that two tokens of one session are not rotated at the same time.
pub(crate) async fn lock_session(connection: &mut PgConnection, session: Uuid) -> sqlx::Result<bool> {
    sqlx::query_scalar!("select id from auth.sessions where id = $1 for update skip locked", session)
        .fetch_optional(connection)
        .await
        .map(|found| found.is_some())
}

/// The newest valid token of a session, and its parent.
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

/// Revokes a token and inserts the session's next one.
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

/// Revokes every token of a session, because one was reused and so probably stolen. A token that was used within the last `reuse_seconds`,
/// by `updated_at`, would still be accepted, so `updated_at` is moved back.
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
