//! `auth.webauthn_credentials` and `auth.webauthn_challenges`: passkeys, and the challenges of their ceremonies.

use serde::Serialize;
use sqlx::PgConnection;
use sqlx::types::Json;
use uuid::Uuid;

use super::Time;

/// A passkey, serialised for clients.
#[derive(Serialize)]
pub(crate) struct Passkey {
    pub(crate) id: Uuid,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) friendly_name: String,
    pub(crate) created_at: Time,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) last_used_at: Option<Time>,
}

/// A passkey with its public key and the other data that the verification of its signatures requires.
pub(crate) struct StoredPasskey {
    pub(crate) id: Uuid,
    pub(crate) credential_id: Vec<u8>,
    /// The passkey's public key in COSE format.
    pub(crate) public_key: Vec<u8>,
    pub(crate) sign_count: i64,
    pub(crate) aaguid: Option<Uuid>,
    pub(crate) transports: Json<Vec<String>>,
    pub(crate) backup_eligible: bool,
    pub(crate) backed_up: bool,
}

pub(crate) async fn of_user(connection: &mut PgConnection, user: Uuid) -> sqlx::Result<Vec<Passkey>> {
    sqlx::query_as!(
        Passkey,
        "select id, friendly_name, created_at, last_used_at
         from auth.webauthn_credentials where user_id = $1 order by created_at",
        user,
    )
    .fetch_all(connection)
    .await
}

/// Returns a user's passkeys, each with its public key and the other data that the verification of its signatures requires.
pub(crate) async fn stored_of_user(connection: &mut PgConnection, user: Uuid) -> sqlx::Result<Vec<StoredPasskey>> {
    sqlx::query_as!(
        StoredPasskey,
        r#"select id, credential_id, public_key, sign_count, aaguid,
                  (case when jsonb_typeof(transports) = 'array' then transports else '[]' end)
                    as "transports!: Json<Vec<String>>",
                  backup_eligible, backed_up
           from auth.webauthn_credentials where user_id = $1 order by created_at"#,
        user,
    )
    .fetch_all(connection)
    .await
}

/// Returns a user's passkey by its credential id, and locks its row until the transaction ends.
pub(crate) async fn lock_by_credential(
    connection: &mut PgConnection,
    user: Uuid,
    credential_id: &[u8],
) -> sqlx::Result<Option<StoredPasskey>> {
    sqlx::query_as!(
        StoredPasskey,
        r#"select id, credential_id, public_key, sign_count, aaguid,
                  (case when jsonb_typeof(transports) = 'array' then transports else '[]' end)
                    as "transports!: Json<Vec<String>>",
                  backup_eligible, backed_up
           from auth.webauthn_credentials where user_id = $1 and credential_id = $2 for update"#,
        user,
        credential_id,
    )
    .fetch_optional(connection)
    .await
}

/// Inserts a passkey. Fails with a unique violation if a passkey with this credential id exists, of any user.
pub(crate) async fn insert(
    connection: &mut PgConnection,
    user: Uuid,
    passkey: &StoredPasskey,
    name: &str,
) -> sqlx::Result<Passkey> {
    sqlx::query_as!(
        Passkey,
        "insert into auth.webauthn_credentials
           (id, user_id, credential_id, public_key, attestation_type, aaguid, sign_count, transports, backup_eligible,
            backed_up, friendly_name)
         values ($1, $2, $3, $4, 'none', $5, $6, $7, $8, $9, $10)
         returning id, friendly_name, created_at, last_used_at",
        passkey.id,
        user,
        passkey.credential_id,
        passkey.public_key,
        passkey.aaguid,
        passkey.sign_count,
        &passkey.transports as _,
        passkey.backup_eligible,
        passkey.backed_up,
        name,
    )
    .fetch_one(connection)
    .await
}

pub(crate) async fn used(
    connection: &mut PgConnection,
    id: Uuid,
    sign_count: i64,
    backed_up: bool,
) -> sqlx::Result<()> {
    sqlx::query!(
        "update auth.webauthn_credentials
         set sign_count = $2, backed_up = $3, last_used_at = now(), updated_at = now() where id = $1",
        id,
        sign_count,
        backed_up,
    )
    .execute(connection)
    .await
    .map(drop)
}

/// Renames a passkey of a user. Returns `None` if the passkey does not exist.
pub(crate) async fn rename(
    connection: &mut PgConnection,
    id: Uuid,
    user: Uuid,
    name: &str,
) -> sqlx::Result<Option<Passkey>> {
    sqlx::query_as!(
        Passkey,
        "update auth.webauthn_credentials set friendly_name = $3, updated_at = now() where id = $1 and user_id = $2
         returning id, friendly_name, created_at, last_used_at",
        id,
        user,
        name,
    )
    .fetch_optional(connection)
    .await
}

/// Deletes a passkey of a user. Returns whether the passkey existed.
pub(crate) async fn delete(connection: &mut PgConnection, id: Uuid, user: Uuid) -> sqlx::Result<bool> {
    let done = sqlx::query!("delete from auth.webauthn_credentials where id = $1 and user_id = $2", id, user)
        .execute(connection)
        .await?;
    Ok(done.rows_affected() > 0)
}

pub(crate) struct Challenge {
    /// The WebAuthn challenge, base64url-encoded.
    pub(crate) challenge: String,
    pub(crate) expires_at: Time,
}

/// Stores a WebAuthn challenge of kind `registration` (for one user) or `authentication` (for any user). Returns the challenge's id.
pub(crate) async fn insert_challenge(
    connection: &mut PgConnection,
    user: Option<Uuid>,
    kind: &str,
    challenge: &str,
    expires_at: Time,
) -> sqlx::Result<Uuid> {
    sqlx::query_scalar!(
        "insert into auth.webauthn_challenges (user_id, challenge_type, session_data, expires_at)
         values ($1, $2, jsonb_build_object('challenge', $3::text), $4) returning id",
        user,
        kind,
        challenge,
        expires_at,
    )
    .fetch_one(connection)
    .await
}

/// Deletes and returns a WebAuthn challenge, so that the challenge can be used only once.
pub(crate) async fn take_challenge(
    connection: &mut PgConnection,
    id: Uuid,
    user: Option<Uuid>,
    kind: &str,
) -> sqlx::Result<Option<Challenge>> {
    sqlx::query_as!(
        Challenge,
        r#"delete from auth.webauthn_challenges
           where id = $1 and challenge_type = $2 and user_id is not distinct from $3
           returning coalesce(session_data ->> 'challenge', '') as "challenge!", expires_at"#,
        id,
        kind,
        user,
    )
    .fetch_optional(connection)
    .await
}
