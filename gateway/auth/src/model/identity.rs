//! `auth.identities`: the identities (e-mail address, phone number or account at an external provider) with which users sign in.

use serde::{Deserialize, Serialize};
use sqlx::PgConnection;
use sqlx::types::Json;
use uuid::Uuid;

use super::{Metadata, Time};

/// An identity of a user. Deserialised from `row_to_json`; serialised with the field names of the API, in which `id` is the user's id at
/// the provider.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Identity {
    #[serde(rename(serialize = "identity_id", deserialize = "id"))]
    pub(crate) row_id: Uuid,
    #[serde(rename(serialize = "id", deserialize = "provider_id"))]
    pub(crate) provider_id: String,
    pub(crate) user_id: Uuid,
    #[serde(skip_serializing_if = "Metadata::is_empty")]
    pub(crate) identity_data: Metadata,
    pub(crate) provider: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) last_sign_in_at: Option<Time>,
    pub(crate) created_at: Option<Time>,
    pub(crate) updated_at: Option<Time>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) email: Option<String>,
}

impl Identity {
    pub(crate) fn is_email_verified(&self) -> bool {
        self.identity_data.get("email_verified").and_then(serde_json::Value::as_bool).unwrap_or_default()
    }
}

/// Inserts an identity and returns the id of its row. `data` must contain the claim `sub`.
pub(crate) async fn insert(
    connection: &mut PgConnection,
    user: Uuid,
    provider: &str,
    data: &Metadata,
) -> sqlx::Result<Uuid> {
    let subject = data.get("sub").and_then(serde_json::Value::as_str).unwrap_or_default();
    // Identities are listed by `created_at`: two of one transaction keep the order in which they were made.
    sqlx::query_scalar!(
        "insert into auth.identities
           (id, provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
         values (gen_random_uuid(), $1, $2, $3, $4, now(), clock_timestamp(), now())
         returning id",
        subject,
        user,
        Json(data) as _,
        provider,
    )
    .fetch_one(connection)
    .await
}

pub(crate) async fn update_data(
    connection: &mut PgConnection,
    identity: &Identity,
    changes: &Metadata,
) -> sqlx::Result<()> {
    let mut data = identity.identity_data.clone();
    super::merge(&mut data, changes);
    sqlx::query!(
        "update auth.identities set identity_data = $2, updated_at = now() where id = $1",
        identity.row_id,
        Json(data) as _,
    )
    .execute(connection)
    .await
    .map(drop)
}

pub(crate) async fn delete(connection: &mut PgConnection, id: Uuid) -> sqlx::Result<()> {
    sqlx::query!("delete from auth.identities where id = $1", id).execute(connection).await.map(drop)
}

pub(crate) async fn owner(connection: &mut PgConnection, provider: &str, subject: &str) -> sqlx::Result<Option<Uuid>> {
    sqlx::query_scalar!(
        "select user_id from auth.identities where provider = $1 and provider_id = $2",
        provider,
        subject,
    )
    .fetch_optional(connection)
    .await
}

/// Records a sign-in with an identity, and replaces the identity's data by the provider's current claims. Returns the id of the identity's
/// row.
pub(crate) async fn signed_in(
    connection: &mut PgConnection,
    provider: &str,
    subject: &str,
    data: &Metadata,
) -> sqlx::Result<Uuid> {
    sqlx::query_scalar!(
        "update auth.identities set identity_data = $3, last_sign_in_at = now(), updated_at = now()
         where provider = $1 and provider_id = $2
         returning id",
        provider,
        subject,
        Json(data) as _,
    )
    .fetch_one(connection)
    .await
}
