//! Updates of `auth.users`. Each function runs one statement, which also sets `updated_at`.

use sqlx::PgConnection;
use sqlx::types::Json;
use uuid::Uuid;

use super::user::User;
use super::{Metadata, Time};

#[derive(Clone, Debug)]
pub(crate) struct NewUser {
    pub(crate) id: Uuid,
    pub(crate) aud: String,
    /// The e-mail address. Empty if the user has no address.
    pub(crate) email: String,
    /// The phone number. Empty if the user has no number.
    pub(crate) phone: String,
    /// The password hash. Empty if the user has no password.
    pub(crate) encrypted_password: cloch_core::Secret,
    pub(crate) app_metadata: Metadata,
    pub(crate) user_metadata: Metadata,
    pub(crate) is_anonymous: bool,
    pub(crate) is_sso_user: bool,
}

/// Inserts a user. As in GoTrue, a second SQL statement sets the user's role, so that insert triggers see an empty role.
pub(crate) async fn insert(connection: &mut PgConnection, user: &NewUser, role: &str) -> sqlx::Result<User> {
    sqlx::query!(
        "insert into auth.users
           (instance_id, id, aud, role, email, phone, encrypted_password, confirmation_token, recovery_token,
            email_change_token_new, email_change, email_change_token_current, phone_change, phone_change_token,
            reauthentication_token, raw_app_meta_data, raw_user_meta_data, is_anonymous, is_sso_user,
            created_at, updated_at)
         values
           ('00000000-0000-0000-0000-000000000000', $1, $2, '', nullif($3, ''), nullif($4, ''), $5, '', '',
            '', '', '', '', '', '', $6, $7, $8, $9, now(), now())",
        user.id,
        user.aud,
        user.email,
        user.phone,
        user.encrypted_password.expose(),
        Json(&user.app_metadata) as _,
        Json(&user.user_metadata) as _,
        user.is_anonymous,
        user.is_sso_user,
    )
    .execute(&mut *connection)
    .await?;
    set_role(connection, user.id, role).await?;
    reload(connection, user.id).await
}

/// Loads a user's row again, so that the result includes changes by the project's triggers.
pub(crate) async fn reload(connection: &mut PgConnection, id: Uuid) -> sqlx::Result<User> {
    super::user::by_id(connection, id).await?.ok_or(sqlx::Error::RowNotFound)
}

/// Sets the user's `updated_at` to the current time, and loads the row again.
pub(crate) async fn touch(connection: &mut PgConnection, id: Uuid) -> sqlx::Result<User> {
    sqlx::query!("update auth.users set updated_at = now() where id = $1", id).execute(&mut *connection).await?;
    reload(connection, id).await
}

pub(crate) async fn set_role(connection: &mut PgConnection, id: Uuid, role: &str) -> sqlx::Result<()> {
    sqlx::query!("update auth.users set role = $2, updated_at = now() where id = $1", id, role)
        .execute(connection)
        .await
        .map(drop)
}

pub(crate) async fn set_user_metadata(connection: &mut PgConnection, id: Uuid, data: &Metadata) -> sqlx::Result<()> {
    sqlx::query!("update auth.users set raw_user_meta_data = $2, updated_at = now() where id = $1", id, Json(data) as _)
        .execute(connection)
        .await
        .map(drop)
}

/// Sets the identity claims of a sign-up (`sub`, `email`, `email_verified`, `phone_verified`) in the user's metadata. Removes identity
/// claims that `claims` does not contain. Does not change other fields, because the project's triggers may have set them.
pub(crate) async fn set_identity_claims(
    connection: &mut PgConnection,
    id: Uuid,
    claims: &Metadata,
) -> sqlx::Result<()> {
    sqlx::query!(
        "update auth.users
         set raw_user_meta_data =
               (case when jsonb_typeof(raw_user_meta_data) = 'object' then raw_user_meta_data else '{}' end)
               - '{sub,email,email_verified,phone_verified}'::text[] || $2,
             updated_at = now()
         where id = $1",
        id,
        Json(claims) as _,
    )
    .execute(connection)
    .await
    .map(drop)
}

pub(crate) async fn set_app_metadata(connection: &mut PgConnection, id: Uuid, data: &Metadata) -> sqlx::Result<()> {
    sqlx::query!("update auth.users set raw_app_meta_data = $2, updated_at = now() where id = $1", id, Json(data) as _)
        .execute(connection)
        .await
        .map(drop)
}

/// Updates the fields `provider` and `providers` of the user's app metadata from the user's identities, oldest identity first.
pub(crate) async fn refresh_providers(connection: &mut PgConnection, id: Uuid) -> sqlx::Result<()> {
    sqlx::query!(
        "update auth.users u
         set raw_app_meta_data =
               (case when jsonb_typeof(u.raw_app_meta_data) = 'object' then u.raw_app_meta_data else '{}' end)
               || coalesce(
                    (select jsonb_build_object('provider', (array_agg(p.provider order by p.first))[1],
                                               'providers', jsonb_agg(p.provider order by p.first))
                     from (select provider, min(created_at) as first
                           from auth.identities where user_id = $1 group by provider) p
                     having count(*) > 0),
                    '{}'),
             updated_at = now()
         where u.id = $1",
        id
    )
    .execute(connection)
    .await
    .map(drop)
}

/// Sets the hash of a new password. Clears all pending links and codes of the user, and deletes all sessions of the user except `kept`.
pub(crate) async fn set_password(
    connection: &mut PgConnection,
    id: Uuid,
    hash: &cloch_core::Secret,
    kept: Option<Uuid>,
) -> sqlx::Result<()> {
    sqlx::query!(
        "update auth.users
         set encrypted_password = $2,
             confirmation_token = '', confirmation_sent_at = null, recovery_token = '', recovery_sent_at = null,
             email_change_token_current = '', email_change_token_new = '', email_change_sent_at = null,
             phone_change_token = '', phone_change_sent_at = null,
             reauthentication_token = '', reauthentication_sent_at = null, updated_at = now()
         where id = $1",
        id,
        hash.expose(),
    )
    .execute(&mut *connection)
    .await?;
    super::one_time_token::clear_all(connection, id).await?;
    super::session::delete_others(connection, id, kept).await
}

pub(crate) async fn make_permanent(connection: &mut PgConnection, id: Uuid) -> sqlx::Result<()> {
    sqlx::query!("update auth.users set is_anonymous = false, updated_at = now() where id = $1", id)
        .execute(connection)
        .await
        .map(drop)
}

pub(crate) async fn ban(connection: &mut PgConnection, id: Uuid, until: Option<Time>) -> sqlx::Result<()> {
    sqlx::query!("update auth.users set banned_until = $2, updated_at = now() where id = $1", id, until)
        .execute(connection)
        .await
        .map(drop)
}

pub(crate) async fn delete(connection: &mut PgConnection, id: Uuid) -> sqlx::Result<()> {
    sqlx::query!("delete from auth.users where id = $1", id).execute(connection).await.map(drop)
}
