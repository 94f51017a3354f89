//! `auth.mfa_factors`: second factors, and their challenges (`auth.mfa_challenges`).

use serde::{Deserialize, Serialize};
use sqlx::PgConnection;
use uuid::Uuid;

use super::Time;

pub(crate) const RECOVERY_CODE: &str = "recovery_code";
pub(crate) const PHONE: &str = "phone";
pub(crate) const WEBAUTHN: &str = "webauthn";

/// A second factor, serialised for clients. The secret of an authenticator app is not a field: a query loads the secret when a code is
/// checked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Factor {
    pub(crate) id: Uuid,
    #[serde(default, skip_serializing_if = "is_blank")]
    pub(crate) friendly_name: Option<String>,
    pub(crate) factor_type: String,
    pub(crate) status: String,
    pub(crate) created_at: Time,
    pub(crate) updated_at: Time,
    #[serde(default, deserialize_with = "or_empty")]
    pub(crate) phone: String,
    pub(crate) last_challenged_at: Option<Time>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) web_authn_aaguid: Option<Uuid>,
}

impl Factor {
    pub(crate) fn is_verified(&self) -> bool {
        self.status == "verified"
    }

    /// Whether the factor is the user's set of recovery codes ([`super::recovery_code`]), which is not stored in `auth.mfa_factors`.
    pub(crate) fn is_recovery_code(&self) -> bool {
        self.factor_type == RECOVERY_CODE
    }
}

#[expect(clippy::ref_option, reason = "serde passes the field by reference")]
fn is_blank(name: &Option<String>) -> bool {
    name.as_ref().is_none_or(String::is_empty)
}

fn or_empty<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Option::<String>::deserialize(deserializer).map(Option::unwrap_or_default)
}

pub(crate) struct NewFactor<'a> {
    pub(crate) id: Uuid,
    pub(crate) user: Uuid,
    pub(crate) friendly_name: &'a str,
    pub(crate) kind: NewKind<'a>,
}

#[derive(Clone, Copy)]
pub(crate) enum NewKind<'a> {
    /// The secret of an authenticator app, base32-encoded without padding.
    Totp(&'a str),
    /// The phone number to which codes are sent, digits only.
    Phone(&'a str),
    /// A security key. The key's credential is stored when the user responds to the first challenge.
    WebAuthn,
}

impl<'a> NewKind<'a> {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Totp(_) => "totp",
            Self::Phone(_) => PHONE,
            Self::WebAuthn => WEBAUTHN,
        }
    }

    const fn secret(self) -> Option<&'a str> {
        if let Self::Totp(secret) = self { Some(secret) } else { None }
    }

    const fn phone(self) -> Option<&'a str> {
        if let Self::Phone(phone) = self { Some(phone) } else { None }
    }
}

pub(crate) async fn insert(connection: &mut PgConnection, factor: &NewFactor<'_>) -> sqlx::Result<()> {
    sqlx::query!(
        "insert into auth.mfa_factors
           (id, user_id, friendly_name, factor_type, status, secret, phone, created_at, updated_at)
         values ($1, $2, $3, ($4::text)::auth.factor_type, 'unverified', $5, $6, now(), now())",
        factor.id,
        factor.user,
        factor.friendly_name,
        factor.kind.name(),
        factor.kind.secret(),
        factor.kind.phone(),
    )
    .execute(connection)
    .await
    .map(drop)
}

/// Deletes all users' unverified factors that were enrolled more than five minutes ago and never challenged.
pub(crate) async fn delete_abandoned(connection: &mut PgConnection) -> sqlx::Result<()> {
    sqlx::query!(
        "delete from auth.mfa_factors f
         where f.status = 'unverified' and f.created_at < now() - interval '300 seconds'
           and not exists (select from auth.mfa_challenges c where c.factor_id = f.id)",
    )
    .execute(connection)
    .await
    .map(drop)
}

pub(crate) async fn secret(connection: &mut PgConnection, id: Uuid) -> sqlx::Result<Option<cloch_core::Secret>> {
    let secret =
        sqlx::query_scalar!("select secret from auth.mfa_factors where id = $1", id).fetch_optional(connection).await?;
    Ok(secret.flatten().map(cloch_core::Secret::new))
}

/// Marks the TOTP code of a time step as used. Returns false if the code of this or of a later time step was already used, so that only one
/// of several concurrent uses of a code succeeds.
pub(crate) async fn spend_step(connection: &mut PgConnection, id: Uuid, step: i64) -> sqlx::Result<bool> {
    let spent = sqlx::query!(
        "insert into cloch.totp_steps as newest (factor_id, step) values ($1, $2)
         on conflict (factor_id) do update set step = excluded.step where newest.step < excluded.step",
        id,
        step,
    )
    .execute(connection)
    .await?;
    Ok(spent.rows_affected() == 1)
}

/// Deletes a second factor or a set of recovery codes.
pub(crate) async fn delete(connection: &mut PgConnection, id: Uuid) -> sqlx::Result<()> {
    sqlx::query!(
        "with codes as (delete from cloch.recovery_code_sets where id = $1) delete from auth.mfa_factors where id = $1",
        id,
    )
    .execute(connection)
    .await
    .map(drop)
}

/// Deletes all second factors of a user, including recovery codes.
pub(crate) async fn delete_of_user(connection: &mut PgConnection, user: Uuid) -> sqlx::Result<()> {
    sqlx::query!(
        "with codes as (delete from cloch.recovery_code_sets where user_id = $1)
         delete from auth.mfa_factors where user_id = $1",
        user,
    )
    .execute(connection)
    .await
    .map(drop)
}

/// Renames a second factor or a set of recovery codes.
pub(crate) async fn rename(connection: &mut PgConnection, id: Uuid, name: &str) -> sqlx::Result<()> {
    sqlx::query!(
        "with codes as (
           update cloch.recovery_code_sets set friendly_name = $2, updated_at = now() where id = $1
         )
         update auth.mfa_factors set friendly_name = $2, updated_at = now() where id = $1",
        id,
        name,
    )
    .execute(connection)
    .await
    .map(drop)
}

/// Marks a second factor as verified, and deletes the user's other unverified factors of the same type.
pub(crate) async fn verified(connection: &mut PgConnection, factor: &Factor, user: Uuid) -> sqlx::Result<()> {
    sqlx::query!(
        "update auth.mfa_factors set status = 'verified', updated_at = now() where id = $1 and status <> 'verified'",
        factor.id,
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!(
        "delete from auth.mfa_factors
         where user_id = $1 and factor_type::text = $2 and status = 'unverified' and id <> $3",
        user,
        factor.factor_type,
        factor.id,
    )
    .execute(connection)
    .await
    .map(drop)
}

pub(crate) struct Challenge {
    pub(crate) id: Uuid,
    pub(crate) created_at: Time,
    pub(crate) verified_at: Option<Time>,
    pub(crate) ip_address: String,
}

/// The expected response to a challenge of a phone or security key. Empty for an authenticator app, whose codes are checked against its
/// stored secret.
#[derive(Clone, Default)]
pub(crate) struct Expected {
    /// Hash of the code that was sent to the phone.
    pub(crate) code: Option<String>,
    /// The challenge that a security key must sign, base64url-encoded.
    pub(crate) webauthn: Option<String>,
}

pub(crate) async fn challenge(
    connection: &mut PgConnection,
    factor: Uuid,
    address: &str,
    expected: &Expected,
) -> sqlx::Result<Challenge> {
    // The factor's row is updated before the challenge is inserted, to avoid a deadlock: `last_challenged_at` is unique, so two concurrent
    // transactions that reference the factor before they update it would wait for each other.
    sqlx::query!(
        "update auth.mfa_factors set last_challenged_at = clock_timestamp(), updated_at = now() where id = $1",
        factor,
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query_as!(
        Challenge,
        r#"insert into auth.mfa_challenges (id, factor_id, created_at, ip_address, otp_code, web_authn_session_data)
           values (gen_random_uuid(), $1, now(), ($2::text)::inet, $3,
                   case when $4::text is not null then jsonb_build_object('challenge', $4::text) end)
           returning id, created_at, verified_at, host(ip_address) as "ip_address!""#,
        factor,
        address,
        // GoTrue, which may use the same database, cannot read a null here.
        expected.code.as_deref().unwrap_or_default(),
        expected.webauthn,
    )
    .fetch_one(connection)
    .await
}

/// Returns a factor's challenge, and locks its row until the transaction ends.
pub(crate) async fn find_challenge(
    connection: &mut PgConnection,
    id: Uuid,
    factor: Uuid,
) -> sqlx::Result<Option<Challenge>> {
    sqlx::query_as!(
        Challenge,
        r#"select id, created_at, verified_at, host(ip_address) as "ip_address!"
           from auth.mfa_challenges where id = $1 and factor_id = $2 for update"#,
        id,
        factor,
    )
    .fetch_optional(connection)
    .await
}

pub(crate) async fn answered(connection: &mut PgConnection, id: Uuid) -> sqlx::Result<()> {
    sqlx::query!("update auth.mfa_challenges set verified_at = now() where id = $1", id)
        .execute(connection)
        .await
        .map(drop)
}

pub(crate) async fn expected_code(connection: &mut PgConnection, challenge: Uuid) -> sqlx::Result<Option<String>> {
    let code = sqlx::query_scalar!("select otp_code from auth.mfa_challenges where id = $1", challenge)
        .fetch_optional(connection)
        .await?;
    Ok(code.flatten().filter(|code| !code.is_empty()))
}
