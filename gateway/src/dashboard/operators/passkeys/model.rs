//! Reads and writes the tables `cloch.operator_passkeys` and `cloch.operator_challenges`.

use std::time::Duration;

use chrono::{DateTime, Utc};
use cloch_auth::webauthn::{self, Credential, Refusal, Use};
use cloch_core::Secret;
use serde::Serialize;
use sqlx::{PgConnection, PgExecutor, PgPool};
use uuid::Uuid;

use super::ceremony::Purpose;

const CHALLENGE_LIFETIME: Duration = Duration::from_mins(5);
/// Maximum number of open challenges per operator and purpose. Several are needed because an operator may use several browser windows.
const MAX_CHALLENGES: i64 = 5;

/// A passkey in API responses.
#[derive(Serialize, sqlx::FromRow)]
pub(in crate::dashboard::operators) struct PasskeyResponse {
    pub(in crate::dashboard::operators) id: Uuid,
    name: String,
    /// Whether the passkey is also stored on other devices of its holder (WebAuthn backup state).
    backed_up: bool,
    created_at: DateTime<Utc>,
    last_used_at: Option<DateTime<Utc>>,
}

/// A stored passkey with its public key.
#[derive(sqlx::FromRow)]
pub(in crate::dashboard::operators) struct Known {
    pub(in crate::dashboard::operators) id: Uuid,
    pub(in crate::dashboard::operators) operator_id: Uuid,
    credential_id: Vec<u8>,
    public_key: Vec<u8>,
    sign_count: i64,
    aaguid: Option<Uuid>,
    transports: Vec<String>,
    backup_eligible: bool,
    backed_up: bool,
}

const KNOWN: &str =
    "select id, operator_id, credential_id, public_key, sign_count, aaguid, transports, backup_eligible, backed_up
                       from cloch.operator_passkeys where ";
const SHOWN: &str = "id, name, backed_up, created_at, last_used_at";

impl Known {
    pub(in crate::dashboard::operators) fn credential(&self) -> Credential {
        Credential {
            id: webauthn::encode(&self.credential_id),
            public_key: webauthn::encode(&self.public_key),
            sign_count: u32::try_from(self.sign_count).unwrap_or(u32::MAX),
            backup_eligible: self.backup_eligible,
            backed_up: self.backed_up,
            aaguid: self.aaguid.unwrap_or_default(),
            transports: self.transports.clone(),
        }
    }
}

/// Stores a challenge. Deletes expired challenges and the operator's oldest challenges for this purpose beyond the maximum.
pub(in crate::dashboard::operators) async fn insert_challenge(
    pool: &PgPool,
    purpose: Purpose,
    challenge: &str,
) -> sqlx::Result<Uuid> {
    sqlx::query_scalar(
        "with old as (
           delete from cloch.operator_challenges where expires_at < now() or id in (
             select id from cloch.operator_challenges where purpose = $1 and operator_id = $2
              order by expires_at desc offset $5))
         insert into cloch.operator_challenges (purpose, operator_id, challenge, expires_at)
         values ($1, $2, $3, now() + make_interval(secs => $4)) returning id",
    )
    .bind(purpose.name())
    .bind(purpose.operator())
    .bind(challenge)
    .bind(CHALLENGE_LIFETIME.as_secs_f64())
    .bind(MAX_CHALLENGES - 1)
    .fetch_one(pool)
    .await
}

/// Deletes and returns a challenge. Each challenge is valid for one verification, successful or not. Returns `None` if the challenge is
/// unknown or expired.
pub(in crate::dashboard::operators) async fn take_challenge(
    pool: &PgPool,
    id: Uuid,
    purpose: Purpose,
) -> sqlx::Result<Option<Secret>> {
    let taken: Option<(String, bool)> = sqlx::query_as(
        "delete from cloch.operator_challenges where id = $1 and purpose = $2 and operator_id is not distinct from $3
         returning challenge, expires_at > now()",
    )
    .bind(id)
    .bind(purpose.name())
    .bind(purpose.operator())
    .fetch_optional(pool)
    .await?;
    Ok(taken.filter(|(_, holds)| *holds).map(|(challenge, _)| Secret::new(challenge)))
}

/// Returns the passkey with this credential id, and locks its row until the end of the transaction. `None` if there is no such passkey.
pub(in crate::dashboard::operators) async fn lock(
    connection: &mut PgConnection,
    credential_id: &[u8],
) -> sqlx::Result<Option<Known>> {
    let text = format!("{KNOWN} credential_id = $1 for update");
    sqlx::query_as(sqlx::AssertSqlSafe(text)).bind(credential_id).fetch_optional(connection).await
}

pub(in crate::dashboard::operators) async fn operator_of(
    executor: impl PgExecutor<'_>,
    credential_id: &[u8],
) -> sqlx::Result<Option<Uuid>> {
    let text = "select operator_id from cloch.operator_passkeys where credential_id = $1";
    sqlx::query_scalar(text).bind(credential_id).fetch_optional(executor).await
}

/// Returns an operator's passkeys with their public keys.
pub(in crate::dashboard::operators) async fn of_operator(
    executor: impl PgExecutor<'_>,
    operator: Uuid,
) -> sqlx::Result<Vec<Known>> {
    let text = format!("{KNOWN} operator_id = $1 order by created_at");
    sqlx::query_as(sqlx::AssertSqlSafe(text)).bind(operator).fetch_all(executor).await
}

/// Returns an operator's passkeys for an API response.
pub(in crate::dashboard::operators) async fn list(
    executor: impl PgExecutor<'_>,
    operator: Uuid,
) -> sqlx::Result<Vec<PasskeyResponse>> {
    let text = format!("select {SHOWN} from cloch.operator_passkeys where operator_id = $1 order by created_at");
    sqlx::query_as(sqlx::AssertSqlSafe(text)).bind(operator).fetch_all(executor).await
}

/// Adds a passkey and returns it. `None` if the credential id is already registered.
pub(in crate::dashboard::operators) async fn insert(
    connection: &mut PgConnection,
    operator: Uuid,
    name: &str,
    credential: &Credential,
) -> sqlx::Result<Option<PasskeyResponse>> {
    let bytes = |text: &str| webauthn::decode(text).map_err(|refusal: Refusal| sqlx::Error::Encode(Box::new(refusal)));
    let text = format!(
        "insert into cloch.operator_passkeys
           (operator_id, name, credential_id, public_key, sign_count, aaguid, transports, backup_eligible, backed_up)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict (credential_id) do nothing returning {SHOWN}"
    );
    sqlx::query_as(sqlx::AssertSqlSafe(text))
        .bind(operator)
        .bind(name)
        .bind(bytes(&credential.id)?)
        .bind(bytes(&credential.public_key)?)
        .bind(i64::from(credential.sign_count))
        .bind((!credential.aaguid.is_nil()).then_some(credential.aaguid))
        .bind(&credential.transports)
        .bind(credential.backup_eligible)
        .bind(credential.backed_up)
        .fetch_optional(connection)
        .await
}

/// Stores the signature counter, backup state and time of a passkey's last use.
pub(in crate::dashboard::operators) async fn used(
    connection: &mut PgConnection,
    id: Uuid,
    used: Use,
) -> sqlx::Result<()> {
    let text = "update cloch.operator_passkeys set sign_count = $2, backed_up = $3, last_used_at = now() where id = $1";
    let update = sqlx::query(text).bind(id).bind(i64::from(used.sign_count)).bind(used.backed_up);
    update.execute(connection).await.map(drop)
}

/// Renames an operator's passkey. Returns `None` if the operator has no passkey with this id.
pub(in crate::dashboard::operators) async fn rename(
    pool: &PgPool,
    operator: Uuid,
    id: Uuid,
    name: &str,
) -> sqlx::Result<Option<PasskeyResponse>> {
    let text =
        format!("update cloch.operator_passkeys set name = $3 where id = $1 and operator_id = $2 returning {SHOWN}");
    sqlx::query_as(sqlx::AssertSqlSafe(text)).bind(id).bind(operator).bind(name).fetch_optional(pool).await
}

/// Deletes an operator's passkey. Returns whether it existed.
pub(in crate::dashboard::operators) async fn remove(
    connection: &mut PgConnection,
    operator: Uuid,
    id: Uuid,
) -> sqlx::Result<bool> {
    let delete = sqlx::query("delete from cloch.operator_passkeys where id = $1 and operator_id = $2");
    Ok(delete.bind(id).bind(operator).execute(connection).await?.rows_affected() > 0)
}

pub(in crate::dashboard::operators) async fn remove_all(
    connection: &mut PgConnection,
    operator: Uuid,
) -> sqlx::Result<()> {
    let delete = sqlx::query("delete from cloch.operator_passkeys where operator_id = $1");
    delete.bind(operator).execute(connection).await.map(drop)
}
