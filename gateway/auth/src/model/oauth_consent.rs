//! `auth.oauth_consents`: the scopes that users have granted to OAuth clients.

use sqlx::PgConnection;
use uuid::Uuid;

use super::Time;

pub(crate) struct Consent {
    pub(crate) client_id: Uuid,
    /// The granted scopes, separated by spaces.
    pub(crate) scopes: String,
    pub(crate) granted_at: Time,
    pub(crate) client_name: String,
    pub(crate) client_uri: String,
    pub(crate) client_logo_uri: String,
}

/// Returns the scopes that a user has granted to an OAuth client. `None` if the user has granted no scopes to the client.
pub(crate) async fn scopes(connection: &mut PgConnection, user: Uuid, client: Uuid) -> sqlx::Result<Option<String>> {
    sqlx::query_scalar!(
        "select scopes from auth.oauth_consents where user_id = $1 and client_id = $2 and revoked_at is null",
        user,
        client,
    )
    .fetch_optional(connection)
    .await
}

/// Stores the scopes that a user grants to an OAuth client. Replaces an earlier grant to the same client.
pub(crate) async fn grant(connection: &mut PgConnection, user: Uuid, client: Uuid, scopes: &str) -> sqlx::Result<()> {
    sqlx::query!(
        "insert into auth.oauth_consents as known (id, user_id, client_id, scopes, granted_at)
         values (gen_random_uuid(), $1, $2, $3, now())
         on conflict (user_id, client_id)
           do update set scopes = excluded.scopes, granted_at = excluded.granted_at, revoked_at = null",
        user,
        client,
        scopes,
    )
    .execute(connection)
    .await
    .map(drop)
}

/// Revokes a user's grant to an OAuth client. Also deletes the client's sessions with the user, and the authorization codes that were not
/// exchanged yet. Returns whether a grant existed.
pub(crate) async fn revoke(connection: &mut PgConnection, user: Uuid, client: Uuid) -> sqlx::Result<bool> {
    let revoked = sqlx::query!(
        "with sessions as (delete from auth.sessions where user_id = $1 and oauth_client_id = $2),
              requests as (delete from auth.oauth_authorizations where user_id = $1 and client_id = $2)
         update auth.oauth_consents set revoked_at = greatest(now(), granted_at)
         where user_id = $1 and client_id = $2 and revoked_at is null",
        user,
        client,
    )
    .execute(connection)
    .await?;
    Ok(revoked.rows_affected() > 0)
}

pub(crate) async fn of_user(connection: &mut PgConnection, user: Uuid) -> sqlx::Result<Vec<Consent>> {
    sqlx::query_as!(
        Consent,
        r#"select
             g.client_id,
             g.scopes,
             g.granted_at,
             coalesce(c.client_name, '') as "client_name!",
             coalesce(c.client_uri, '') as "client_uri!",
             coalesce(c.logo_uri, '') as "client_logo_uri!"
           from auth.oauth_consents g
           join auth.oauth_clients c on c.id = g.client_id and c.deleted_at is null
           where g.user_id = $1 and g.revoked_at is null
           order by g.granted_at desc
           limit 1000"#,
        user,
    )
    .fetch_all(connection)
    .await
}
