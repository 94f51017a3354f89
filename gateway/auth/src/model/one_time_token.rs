//! `auth.one_time_tokens`: finds one-time links and codes by their hash. Columns of `auth.users` contain the same hashes.

use sqlx::PgConnection;
use uuid::Uuid;

/// The kinds of one-time token. A user has at most one pending token of each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    ConfirmationToken,
    ReauthenticationToken,
    RecoveryToken,
    EmailChangeTokenNew,
    EmailChangeTokenCurrent,
    PhoneChangeToken,
}

pub(crate) struct Found {
    pub(crate) user_id: Uuid,
    pub(crate) kind: Kind,
}

/// Replaces the user's one-time token of this kind. `relates_to` is the address to which the token was sent.
pub(crate) async fn replace(
    connection: &mut PgConnection,
    user: Uuid,
    kind: Kind,
    hash: &str,
    relates_to: &str,
) -> sqlx::Result<()> {
    sqlx::query!(
        "insert into auth.one_time_tokens (id, user_id, token_type, token_hash, relates_to)
         values (gen_random_uuid(), $1, ($2::text)::auth.one_time_token_type, $3, lower($4))
         on conflict (user_id, token_type) do update
           set id = excluded.id, token_hash = excluded.token_hash, relates_to = excluded.relates_to,
               created_at = now(), updated_at = now()",
        user,
        kind.name(),
        hash,
        relates_to,
    )
    .execute(connection)
    .await
    .map(drop)
}

/// Returns the user and kind of the token with this hash. `None` if there is no such token or its kind is not one of `kinds`.
pub(crate) async fn find(connection: &mut PgConnection, hash: &str, kinds: &[Kind]) -> sqlx::Result<Option<Found>> {
    let kinds: Vec<String> = kinds.iter().map(|kind| kind.name().to_owned()).collect();
    let found = sqlx::query!(
        r#"select user_id, token_type::text as "kind!"
           from auth.one_time_tokens
           where token_hash = $1 and token_type::text = any ($2)
           limit 1"#,
        hash,
        &kinds,
    )
    .fetch_optional(connection)
    .await?;
    Ok(found.and_then(|row| Some(Found { user_id: row.user_id, kind: Kind::from_name(&row.kind)? })))
}

pub(crate) async fn clear(connection: &mut PgConnection, user: Uuid, kind: Kind) -> sqlx::Result<()> {
    sqlx::query!("delete from auth.one_time_tokens where user_id = $1 and token_type::text = $2", user, kind.name(),)
        .execute(connection)
        .await
        .map(drop)
}

/// Deletes the user's one-time tokens, with exceptions. If `of_email` is true, the tokens of the pending change of the e-mail address
/// remain; otherwise, the token of the pending change of the phone number remains. If `sent` is true, the tokens that were sent to the
/// user's current address (or current number) remain too.
pub(crate) async fn clear_others(
    connection: &mut PgConnection,
    user: Uuid,
    of_email: bool,
    sent: bool,
) -> sqlx::Result<()> {
    sqlx::query!(
        "delete from auth.one_time_tokens t using auth.users u
         where u.id = $1 and t.user_id = u.id
           and not coalesce(
             case when $2
               then t.token_type in ('email_change_token_new', 'email_change_token_current')
                    or ($3 and t.relates_to = lower(u.email))
               else t.token_type = 'phone_change_token' or ($3 and t.relates_to = u.phone) end,
             false)",
        user,
        of_email,
        sent,
    )
    .execute(connection)
    .await
    .map(drop)
}

/// Returns the user who has requested a change to this e-mail address or phone number. `None` if several users have requested it.
pub(crate) async fn asker_of_change(
    connection: &mut PgConnection,
    kind: Kind,
    address: &str,
) -> sqlx::Result<Option<Uuid>> {
    let askers = sqlx::query_scalar!(
        "select user_id from auth.one_time_tokens where token_type::text = $1 and relates_to = lower($2) limit 2",
        kind.name(),
        address,
    )
    .fetch_all(connection)
    .await?;
    Ok(match askers.as_slice() {
        [asker] => Some(*asker),
        _ => None,
    })
}

pub(crate) async fn clear_all(connection: &mut PgConnection, user: Uuid) -> sqlx::Result<()> {
    sqlx::query!("delete from auth.one_time_tokens where user_id = $1", user).execute(connection).await.map(drop)
}

impl Kind {
    const ALL: [Self; 6] = [
        Self::ConfirmationToken,
        Self::ReauthenticationToken,
        Self::RecoveryToken,
        Self::EmailChangeTokenNew,
        Self::EmailChangeTokenCurrent,
        Self::PhoneChangeToken,
    ];

    /// Returns the label of the kind in the PostgreSQL enum type `auth.one_time_token_type`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::ConfirmationToken => "confirmation_token",
            Self::ReauthenticationToken => "reauthentication_token",
            Self::RecoveryToken => "recovery_token",
            Self::EmailChangeTokenNew => "email_change_token_new",
            Self::EmailChangeTokenCurrent => "email_change_token_current",
            Self::PhoneChangeToken => "phone_change_token",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Records that a confirmation or invitation was sent, and stores the hash of its one-time token.
pub(crate) async fn sent_confirmation(
    connection: &mut PgConnection,
    user: Uuid,
    hash: &str,
    address: &str,
    invited: bool,
) -> sqlx::Result<()> {
    sqlx::query!(
        "update auth.users
         set confirmation_token = $2, confirmation_sent_at = now(),
             invited_at = case when $3 then now() else invited_at end, updated_at = now()
         where id = $1",
        user,
        hash,
        invited,
    )
    .execute(&mut *connection)
    .await?;
    replace(connection, user, Kind::ConfirmationToken, hash, address).await
}

/// Records that a recovery link or magic link was sent, and stores the hash of its one-time token.
pub(crate) async fn sent_recovery(
    connection: &mut PgConnection,
    user: Uuid,
    hash: &str,
    address: &str,
) -> sqlx::Result<()> {
    sqlx::query!(
        "update auth.users set recovery_token = $2, recovery_sent_at = now(), updated_at = now() where id = $1",
        user,
        hash,
    )
    .execute(&mut *connection)
    .await?;
    replace(connection, user, Kind::RecoveryToken, hash, address).await
}

/// Records that a reauthentication code was sent, and stores the hash of the code.
pub(crate) async fn sent_reauthentication(
    connection: &mut PgConnection,
    user: Uuid,
    hash: &str,
    address: &str,
) -> sqlx::Result<()> {
    sqlx::query!(
        "update auth.users
         set reauthentication_token = $2, reauthentication_sent_at = now(), updated_at = now()
         where id = $1",
        user,
        hash,
    )
    .execute(&mut *connection)
    .await?;
    replace(connection, user, Kind::ReauthenticationToken, hash, address).await
}

/// Records a requested change to the e-mail address `new`, with one hash for each address that must confirm the change. If a hash is
/// `None`, deletes the token that was previously sent to the corresponding address.
pub(crate) async fn sent_email_change(
    connection: &mut PgConnection,
    user: &super::user::User,
    new: &str,
    new_hash: Option<&str>,
    current_hash: Option<&str>,
) -> sqlx::Result<()> {
    sqlx::query!(
        "update auth.users
         set email_change = $2, email_change_token_new = coalesce($3, ''),
             email_change_token_current = coalesce($4, ''), email_change_sent_at = now(),
             email_change_confirm_status = 0, updated_at = now()
         where id = $1",
        user.id,
        new,
        new_hash,
        current_hash,
    )
    .execute(&mut *connection)
    .await?;
    for (kind, hash, address) in
        [(Kind::EmailChangeTokenNew, new_hash, new), (Kind::EmailChangeTokenCurrent, current_hash, user.email.as_str())]
    {
        match hash {
            Some(hash) => replace(&mut *connection, user.id, kind, hash, address).await?,
            None => clear(&mut *connection, user.id, kind).await?,
        }
    }
    Ok(())
}

/// Records a requested change to the phone number `new`, and stores the hash of the code that was sent to `new`.
pub(crate) async fn sent_phone_change(
    connection: &mut PgConnection,
    user: Uuid,
    new: &str,
    hash: &str,
) -> sqlx::Result<()> {
    sqlx::query!(
        "update auth.users
         set phone_change = $2, phone_change_token = $3, phone_change_sent_at = now(), updated_at = now()
         where id = $1",
        user,
        new,
        hash,
    )
    .execute(&mut *connection)
    .await?;
    replace(connection, user, Kind::PhoneChangeToken, hash, new).await
}
