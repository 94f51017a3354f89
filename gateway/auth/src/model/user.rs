//! `auth.users`: the row type of a user, its JSON form for clients, and queries.

use chrono::{TimeDelta, Utc};
use cloch_core::Secret;
use serde::Serialize;
use sqlx::PgConnection;
use sqlx::types::Json;
use uuid::Uuid;

use super::identity::Identity;
use super::{Metadata, Time};

/// A user, serialised for clients without secrets and without null fields.
#[derive(Clone, Serialize)]
pub(crate) struct User {
    pub(crate) id: Uuid,
    pub(crate) aud: String,
    pub(crate) role: String,
    pub(crate) email: String,
    #[serde(skip)]
    pub(crate) encrypted_password: Secret,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) email_confirmed_at: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) invited_at: Option<Time>,
    pub(crate) phone: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) phone_confirmed_at: Option<Time>,
    #[serde(skip)]
    pub(crate) confirmation_token: Secret,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) confirmation_sent_at: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) confirmed_at: Option<Time>,
    #[serde(skip)]
    pub(crate) recovery_token: Secret,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) recovery_sent_at: Option<Time>,
    #[serde(skip)]
    pub(crate) email_change_token_current: Secret,
    #[serde(skip)]
    pub(crate) email_change_token_new: Secret,
    #[serde(rename = "new_email", skip_serializing_if = "String::is_empty")]
    pub(crate) email_change: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) email_change_sent_at: Option<Time>,
    #[serde(skip)]
    pub(crate) email_change_confirm_status: i16,
    #[serde(skip)]
    pub(crate) phone_change_token: Secret,
    #[serde(rename = "new_phone", skip_serializing_if = "String::is_empty")]
    pub(crate) phone_change: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) phone_change_sent_at: Option<Time>,
    #[serde(skip)]
    pub(crate) reauthentication_token: Secret,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reauthentication_sent_at: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) last_sign_in_at: Option<Time>,
    pub(crate) app_metadata: Json<Metadata>,
    pub(crate) user_metadata: Json<Metadata>,
    #[serde(skip_serializing_if = "no_factors")]
    pub(crate) factors: Option<Json<Vec<super::factor::Factor>>>,
    /// The user's identities. `None` in a list of users for administrators, which does not load identities.
    pub(crate) identities: Option<Json<Vec<Identity>>>,
    pub(crate) created_at: Time,
    pub(crate) updated_at: Time,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) banned_until: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) deleted_at: Option<Time>,
    pub(crate) is_anonymous: bool,
    #[serde(skip)]
    pub(crate) is_sso_user: bool,
}

#[expect(clippy::ref_option, reason = "serde passes the field by reference")]
fn no_factors(factors: &Option<Json<Vec<super::factor::Factor>>>) -> bool {
    factors.as_ref().is_none_or(|factors| factors.is_empty())
}

impl User {
    pub(crate) fn is_banned(&self) -> bool {
        self.banned_until.is_some_and(|until| until > Utc::now())
    }

    pub(crate) fn has_password(&self) -> bool {
        !self.encrypted_password.is_empty()
    }

    pub(crate) fn is_confirmed(&self) -> bool {
        self.email_confirmed_at.is_some()
    }

    /// Whether the newest message to the unconfirmed address was an invitation. If so, `invited_at` and `confirmation_sent_at` are equal,
    /// because one SQL statement sets both columns.
    pub(crate) fn was_invited_last(&self) -> bool {
        self.invited_at.is_some() && self.invited_at == self.confirmation_sent_at
    }

    /// Whether the user has an invitation whose link is still valid. `expiry` is the link's lifetime in seconds.
    pub(crate) fn has_open_invitation(&self, expiry: u64) -> bool {
        let life = TimeDelta::seconds(i64::try_from(expiry).unwrap_or(i64::MAX / 1000));
        !self.is_confirmed() && self.was_invited_last() && self.invited_at.is_some_and(|sent| sent + life > Utc::now())
    }

    pub(crate) fn is_phone_confirmed(&self) -> bool {
        self.phone_confirmed_at.is_some()
    }

    pub(crate) fn identities(&self) -> &[Identity] {
        self.identities.as_ref().map_or(&[], |identities| identities.as_slice())
    }

    pub(crate) fn factors(&self) -> &[super::factor::Factor] {
        self.factors.as_ref().map_or(&[], |factors| factors.as_slice())
    }

    pub(crate) fn has_verified_factor(&self) -> bool {
        self.factors().iter().any(super::factor::Factor::is_verified)
    }
}

/// Runs `select … from auth.users u` with all columns. Replaces nulls by empty strings and metadata that is not an object by an empty
/// object, because other tools may have inserted such rows.
macro_rules! select_users {
    ($connection:expr, $fetch:ident, $rest:tt $(, $value:expr)* $(,)?) => {
        select_users!(@with
            "(select json_agg(row_to_json(i) order by i.created_at, i.id) from auth.identities i where i.user_id = u.id)"
            "(select json_agg(row_to_json(f) order by f.created_at) from (select id, friendly_name, factor_type::text, status::text, created_at, updated_at, phone, last_challenged_at, web_authn_aaguid from auth.mfa_factors where user_id = u.id union all select id, friendly_name, 'recovery_code', 'verified', created_at, updated_at, null, null, null from cloch.recovery_code_sets where user_id = u.id) f)"
            $connection, $fetch, $rest $(, $value)*)
    };
    (@with $identities:literal $factors:literal $connection:expr, $fetch:ident, $rest:tt $(, $value:expr)*) => {
        sqlx::query_as!(
            User,
            r#"select
                 u.id,
                 coalesce(u.aud, '') as "aud!",
                 coalesce(u.role, '') as "role!",
                 coalesce(u.email, '') as "email!",
                 coalesce(u.encrypted_password, '') as "encrypted_password!",
                 u.email_confirmed_at,
                 u.invited_at,
                 coalesce(u.phone, '') as "phone!",
                 u.phone_confirmed_at,
                 coalesce(u.confirmation_token, '') as "confirmation_token!",
                 u.confirmation_sent_at,
                 u.confirmed_at,
                 coalesce(u.recovery_token, '') as "recovery_token!",
                 u.recovery_sent_at,
                 coalesce(u.email_change_token_current, '') as "email_change_token_current!",
                 coalesce(u.email_change_token_new, '') as "email_change_token_new!",
                 coalesce(u.email_change, '') as "email_change!",
                 u.email_change_sent_at,
                 coalesce(u.email_change_confirm_status, 0::smallint) as "email_change_confirm_status!",
                 coalesce(u.phone_change_token, '') as "phone_change_token!",
                 coalesce(u.phone_change, '') as "phone_change!",
                 u.phone_change_sent_at,
                 coalesce(u.reauthentication_token, '') as "reauthentication_token!",
                 u.reauthentication_sent_at,
                 u.last_sign_in_at,
                 case when jsonb_typeof(u.raw_app_meta_data) = 'object'
                      then u.raw_app_meta_data else '{}' end as "app_metadata!: Json<Metadata>",
                 case when jsonb_typeof(u.raw_user_meta_data) = 'object'
                      then u.raw_user_meta_data else '{}' end as "user_metadata!: Json<Metadata>",
                 "# + $factors + r#" as "factors: Json<Vec<super::factor::Factor>>",
                 "# + $identities + r#" as "identities: Json<Vec<Identity>>",
                 coalesce(u.created_at, 'epoch') as "created_at!",
                 coalesce(u.updated_at, u.created_at, 'epoch') as "updated_at!",
                 u.banned_until,
                 u.deleted_at,
                 u.is_anonymous,
                 u.is_sso_user
               from auth.users u "# + $rest
            $(, $value)*
        )
        .$fetch(&mut *$connection)
        .await
    };
}

/// Sets `identities` to an empty list if the query returned no identities. The value `None` is used only in the list of users for
/// administrators, which does not load identities.
pub(crate) fn complete(mut user: User) -> User {
    user.identities.get_or_insert_default();
    user
}

pub(crate) async fn by_id(connection: &mut PgConnection, id: Uuid) -> sqlx::Result<Option<User>> {
    Ok(select_users!(connection, fetch_optional, "where u.id = $1", id)?.map(complete))
}

/// Returns a user by id, and locks the user's row until the transaction ends.
pub(crate) async fn by_id_locked(connection: &mut PgConnection, id: Uuid) -> sqlx::Result<Option<User>> {
    Ok(select_users!(connection, fetch_optional, "where u.id = $1 for update of u", id)?.map(complete))
}

/// Returns a user by id, and locks the user's row until the transaction ends. A query that waits for a lock returns data from before the
/// wait. Therefore, a second query loads the user again after the lock was acquired, so that the factors and identities are current.
/// [`by_id_locked`] does not run the second query.
pub(crate) async fn by_id_exclusive(connection: &mut PgConnection, id: Uuid) -> sqlx::Result<Option<User>> {
    match by_id_locked(connection, id).await? {
        Some(_) => by_id(connection, id).await,
        None => Ok(None),
    }
}

/// Returns the user who has the e-mail address `email` and the audience `aud`. Ignores SSO users. Also finds rows without `instance_id`,
/// because rows that were inserted manually may lack it.
pub(crate) async fn by_email(connection: &mut PgConnection, email: &str, aud: &str) -> sqlx::Result<Option<User>> {
    Ok(select_users!(
        connection,
        fetch_optional,
        "where (u.instance_id = '00000000-0000-0000-0000-000000000000' or u.instance_id is null)
           and lower(u.email) = $1 and u.aud = $2 and not u.is_sso_user
         order by u.created_at limit 1",
        email.to_lowercase(),
        aud,
    )?
    .map(complete))
}

pub(crate) async fn by_phone(connection: &mut PgConnection, phone: &str, aud: &str) -> sqlx::Result<Option<User>> {
    Ok(select_users!(
        connection,
        fetch_optional,
        "where u.phone = $1 and u.aud = $2 and not u.is_sso_user",
        phone,
        aud,
    )?
    .map(complete))
}

/// Returns the user who most recently requested a change to this phone number.
pub(crate) async fn by_phone_change(
    connection: &mut PgConnection,
    phone: &str,
    aud: &str,
) -> sqlx::Result<Option<User>> {
    Ok(select_users!(
        connection,
        fetch_optional,
        "where u.phone_change = $1 and u.aud = $2 and not u.is_sso_user order by u.phone_change_sent_at desc nulls last limit 1",
        phone,
        aud,
    )?
    .map(complete))
}

/// Whether a user of any audience has this e-mail address. SSO users are ignored, because they may share addresses.
pub(crate) async fn email_taken(connection: &mut PgConnection, email: &str) -> sqlx::Result<bool> {
    sqlx::query_scalar!(
        r#"select exists (select from auth.users where email = $1 and not is_sso_user) as "taken!""#,
        email,
    )
    .fetch_one(connection)
    .await
}

pub(crate) async fn phone_taken(connection: &mut PgConnection, phone: &str) -> sqlx::Result<bool> {
    sqlx::query_scalar!(r#"select exists (select from auth.users where phone = $1) as "taken!""#, phone)
        .fetch_one(connection)
        .await
}

/// Returns a user who has this e-mail address, either as the account's address or in an identity. Ignores identities of SSO providers and
/// the user `but`. `None` if no other user has the address.
pub(crate) async fn holding_email(
    connection: &mut PgConnection,
    email: &str,
    aud: &str,
    but: Option<Uuid>,
) -> sqlx::Result<Option<User>> {
    let email = email.to_lowercase();
    let owner = sqlx::query_scalar!(
        "select i.user_id
         from auth.identities i
         join auth.users u on u.id = i.user_id
         where i.email = $1 and i.provider not like 'sso:%' and u.aud = $2
           and ($3::uuid is null or i.user_id <> $3)
         order by i.created_at
         limit 1",
        email,
        aud,
        but,
    )
    .fetch_optional(&mut *connection)
    .await?;
    match owner {
        Some(id) => by_id(connection, id).await,
        None => Ok(by_email(connection, &email, aud).await?.filter(|user| Some(user.id) != but)),
    }
}

/// Returns a page of users (without identities and second factors), and the total number of users.
pub(crate) async fn page(
    connection: &mut PgConnection,
    aud: &str,
    filter: &str,
    ascending: bool,
    limit: i64,
    offset: i64,
) -> sqlx::Result<(Vec<User>, i64)> {
    // The filter is searched as a text, not as a pattern: in a pattern, an underscore, which addresses often contain, would match any
    // letter.
    let literal = filter.replace('\\', r"\\").replace('%', r"\%").replace('_', r"\_");
    let filter = literal.as_str();
    let total = sqlx::query_scalar!(
        r#"select count(*) as "total!"
           from auth.users
           where aud = $1
             and ($2 = '' or email like '%' || $2 || '%' or raw_user_meta_data ->> 'full_name' ilike '%' || $2 || '%')"#,
        aud,
        filter,
    )
    .fetch_one(&mut *connection)
    .await?;
    let users = select_users!(@with
        "null::json" "null::json" connection, fetch_all,
        "where u.aud = $1
           and ($2 = '' or u.email like '%' || $2 || '%' or u.raw_user_meta_data ->> 'full_name' ilike '%' || $2 || '%')
         order by case when $3 then u.created_at end, u.created_at desc, u.id
         limit $4 offset $5",
        aud, filter, ascending, limit, offset)?;
    Ok((users, total))
}
