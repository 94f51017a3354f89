//! Updates of `auth.users` when an e-mail address or phone number is confirmed, a link or code is used, or an unconfirmed account is reset.

use sqlx::PgConnection;
use uuid::Uuid;

use super::one_time_token::{self, Kind};
use super::user_contact::Kept;
use super::user_update::{refresh_providers, set_password, set_user_metadata};
use super::{Metadata, sign_up, user_contact};

/// Confirms the user's e-mail address: clears the pending confirmation, and sets `user_metadata.email_verified`. An anonymous user becomes
/// permanent.
pub(crate) async fn confirm_email(connection: &mut PgConnection, id: Uuid) -> sqlx::Result<()> {
    sqlx::query!(
        "update auth.users
         set confirmation_token = '', email_confirmed_at = coalesce(email_confirmed_at, now()),
             is_anonymous = is_anonymous and nullif(email, '') is null,
             raw_user_meta_data =
               (case when jsonb_typeof(raw_user_meta_data) = 'object' then raw_user_meta_data else '{}' end)
               || '{\"email_verified\": true}',
             updated_at = now()
         where id = $1",
        id
    )
    .execute(&mut *connection)
    .await?;
    sign_up::settled(&mut *connection, id).await?;
    one_time_token::clear_all(connection, id).await
}

/// Confirms the user's phone number: clears the pending confirmation, and sets `user_metadata.phone_verified`. An anonymous user becomes
/// permanent.
pub(crate) async fn confirm_phone(connection: &mut PgConnection, id: Uuid) -> sqlx::Result<()> {
    sqlx::query!(
        "update auth.users
         set confirmation_token = '', phone_confirmed_at = now(),
             is_anonymous = is_anonymous and nullif(phone, '') is null,
             raw_user_meta_data =
               (case when jsonb_typeof(raw_user_meta_data) = 'object' then raw_user_meta_data else '{}' end)
               || '{\"phone_verified\": true}',
             updated_at = now()
         where id = $1",
        id
    )
    .execute(&mut *connection)
    .await?;
    sign_up::settled(&mut *connection, id).await?;
    one_time_token::clear_all(connection, id).await
}

pub(crate) async fn spend_recovery(connection: &mut PgConnection, id: Uuid) -> sqlx::Result<()> {
    sqlx::query!("update auth.users set recovery_token = '', updated_at = now() where id = $1", id)
        .execute(&mut *connection)
        .await?;
    one_time_token::clear_all(connection, id).await
}

pub(crate) async fn spend_reauthentication(connection: &mut PgConnection, id: Uuid) -> sqlx::Result<()> {
    sqlx::query!("update auth.users set reauthentication_token = '', updated_at = now() where id = $1", id)
        .execute(&mut *connection)
        .await?;
    one_time_token::clear_all(connection, id).await
}

/// Records the first of the two confirmations of an e-mail address change, and clears the token of this confirmation. `by_current` is true
/// if the current address has confirmed the change, and false if the new address has.
pub(crate) async fn half_confirm_email_change(
    connection: &mut PgConnection,
    id: Uuid,
    by_current: bool,
) -> sqlx::Result<()> {
    sqlx::query!(
        "update auth.users
         set email_change_confirm_status = 1,
             email_change_token_current = case when $2 then '' else email_change_token_current end,
             email_change_token_new = case when $2 then email_change_token_new else '' end,
             updated_at = now()
         where id = $1",
        id,
        by_current,
    )
    .execute(connection)
    .await
    .map(drop)
}

/// Sets the requested new e-mail address as the user's confirmed address. A pending change of the phone number remains.
pub(crate) async fn apply_email_change(connection: &mut PgConnection, id: Uuid, email: &str) -> sqlx::Result<()> {
    user_contact::set_email(&mut *connection, id, email).await?;
    sqlx::query!(
        "update auth.users
         set is_anonymous = false, email_confirmed_at = coalesce(email_confirmed_at, now()),
             raw_user_meta_data =
               (case when jsonb_typeof(raw_user_meta_data) = 'object' then raw_user_meta_data else '{}' end)
               || '{\"email_verified\": true}',
             updated_at = now()
         where id = $1",
        id,
    )
    .execute(&mut *connection)
    .await?;
    sign_up::settled(&mut *connection, id).await?;
    user_contact::drop_proofs(connection, id, Kept::PhoneChange).await
}

/// Sets the requested new phone number as the user's confirmed number. A pending change of the e-mail address remains.
pub(crate) async fn apply_phone_change(connection: &mut PgConnection, id: Uuid, phone: &str) -> sqlx::Result<()> {
    user_contact::set_phone(&mut *connection, id, phone).await?;
    sqlx::query!(
        "update auth.users
         set is_anonymous = false, phone_confirmed_at = now(),
             raw_user_meta_data =
               (case when jsonb_typeof(raw_user_meta_data) = 'object' then raw_user_meta_data else '{}' end)
               || '{\"phone_verified\": true}',
             updated_at = now()
         where id = $1",
        id,
    )
    .execute(&mut *connection)
    .await?;
    sign_up::settled(&mut *connection, id).await?;
    user_contact::drop_proofs(connection, id, Kept::EmailChange).await
}

/// Sets the e-mail address of one of the user's remaining identities as the user's address. The address counts as confirmed only if
/// `proved` is true.
pub(crate) async fn promote_email(
    connection: &mut PgConnection,
    id: Uuid,
    email: &str,
    proved: bool,
) -> sqlx::Result<()> {
    user_contact::set_email(&mut *connection, id, email).await?;
    sqlx::query!(
        "update auth.users
         set email_confirmed_at = case when $2 then email_confirmed_at end, updated_at = now()
         where id = $1",
        id,
        proved,
    )
    .execute(&mut *connection)
    .await?;
    user_contact::drop_proofs(connection, id, Kept::PhoneChange).await
}

pub(crate) async fn forget_phone(connection: &mut PgConnection, id: Uuid) -> sqlx::Result<()> {
    user_contact::set_phone(&mut *connection, id, "").await?;
    sqlx::query!("update auth.users set phone_confirmed_at = null, updated_at = now() where id = $1", id)
        .execute(connection)
        .await
        .map(drop)
}

/// Removes from an unconfirmed account the data that a stranger may have set: password, identities except `identity`, sessions, second
/// factors and pending links. Replaces the user's metadata by `metadata`.
pub(crate) async fn disown(
    connection: &mut PgConnection,
    id: Uuid,
    identity: Uuid,
    metadata: &Metadata,
) -> sqlx::Result<()> {
    set_password(&mut *connection, id, &cloch_core::Secret::default(), None).await?;
    sqlx::query!("delete from auth.identities where user_id = $1 and id <> $2", id, identity)
        .execute(&mut *connection)
        .await?;
    super::factor::delete_of_user(&mut *connection, id).await?;
    set_user_metadata(&mut *connection, id, metadata).await?;
    refresh_providers(connection, id).await
}

/// Resets an unconfirmed account: replaces its password, and removes identities, metadata, sessions, second factors and pending changes.
/// Links that were mailed to the account's address remain valid.
pub(crate) async fn strip(connection: &mut PgConnection, id: Uuid, password: &cloch_core::Secret) -> sqlx::Result<()> {
    sqlx::query!(
        "update auth.users
         set encrypted_password = $2, raw_user_meta_data = '{}', is_anonymous = false,
             email_change = '', email_change_token_current = '', email_change_token_new = '',
             email_change_sent_at = null, email_change_confirm_status = 0,
             phone_change = '', phone_change_token = '', phone_change_sent_at = null, updated_at = now()
         where id = $1",
        id,
        password.expose(),
    )
    .execute(&mut *connection)
    .await?;
    for kind in [Kind::EmailChangeTokenCurrent, Kind::EmailChangeTokenNew, Kind::PhoneChangeToken] {
        one_time_token::clear(&mut *connection, id, kind).await?;
    }
    sqlx::query!("delete from auth.identities where user_id = $1", id).execute(&mut *connection).await?;
    super::factor::delete_of_user(&mut *connection, id).await?;
    super::session::delete_all(connection, id).await
}
