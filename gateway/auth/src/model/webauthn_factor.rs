//! Security keys as second factors (rows of `auth.mfa_factors`): their WebAuthn credentials and challenges.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use sqlx::PgConnection;
use sqlx::types::Json;
use uuid::Uuid;

use super::factor::Challenge;
use crate::webauthn::{self, Credential, Refusal};

/// A WebAuthn credential in the format that GoTrue's library (go-webauthn) stores in `web_authn_credential`, so that security keys remain
/// valid after an import or export of the database.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct StoredCredential {
    /// The WebAuthn credential id, base64-encoded.
    id: String,
    /// The public key in COSE format, base64-encoded.
    #[serde(rename = "publicKey")]
    public_key: String,
    #[serde(rename = "attestationType", default)]
    attestation_type: String,
    #[serde(default)]
    transport: Option<Vec<String>>,
    #[serde(default)]
    flags: Flags,
    authenticator: Authenticator,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Flags {
    user_present: bool,
    user_verified: bool,
    backup_eligible: bool,
    backup_state: bool,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Authenticator {
    /// The id of the authenticator's model (AAGUID), base64-encoded.
    #[serde(rename = "AAGUID", default)]
    aaguid: Option<String>,
    #[serde(default)]
    sign_count: u32,
    #[serde(default)]
    clone_warning: bool,
    #[serde(default)]
    attachment: String,
}

impl StoredCredential {
    pub(crate) fn new(credential: &Credential) -> Result<Self, Refusal> {
        Ok(Self {
            id: STANDARD.encode(webauthn::decode(&credential.id)?),
            public_key: STANDARD.encode(webauthn::decode(&credential.public_key)?),
            attestation_type: "none".to_owned(),
            transport: Some(credential.transports.clone()),
            flags: Flags {
                user_present: true,
                user_verified: false,
                backup_eligible: credential.backup_eligible,
                backup_state: credential.backed_up,
            },
            authenticator: Authenticator {
                aaguid: Some(STANDARD.encode(credential.aaguid.as_bytes())),
                sign_count: credential.sign_count,
                clone_warning: false,
                attachment: String::new(),
            },
        })
    }

    pub(crate) fn read(&self) -> Result<Credential, Refusal> {
        let bytes = |text: &str| STANDARD.decode(text).map_err(|_| Refusal::Malformed);
        let aaguid = bytes(self.authenticator.aaguid.as_deref().unwrap_or_default())?;
        Ok(Credential {
            id: webauthn::encode(&bytes(&self.id)?),
            public_key: webauthn::encode(&bytes(&self.public_key)?),
            sign_count: self.authenticator.sign_count,
            backup_eligible: self.flags.backup_eligible,
            backed_up: self.flags.backup_state,
            aaguid: Uuid::from_slice(&aaguid).unwrap_or_default(),
            transports: self.transport.clone().unwrap_or_default(),
        })
    }
}

/// Returns the WebAuthn credentials of a user's verified security keys, each with the factor's id.
pub(crate) async fn of_user(
    connection: &mut PgConnection,
    user: Uuid,
) -> sqlx::Result<Vec<(Uuid, Json<StoredCredential>)>> {
    let rows = sqlx::query!(
        r#"select id, web_authn_credential as "credential!: Json<StoredCredential>" from auth.mfa_factors
           where user_id = $1 and factor_type = 'webauthn' and status = 'verified' and web_authn_credential is not null
           order by created_at"#,
        user,
    )
    .fetch_all(connection)
    .await?;
    Ok(rows.into_iter().map(|row| (row.id, row.credential)).collect())
}

pub(crate) async fn save(
    connection: &mut PgConnection,
    factor: Uuid,
    credential: StoredCredential,
    aaguid: Uuid,
) -> sqlx::Result<()> {
    sqlx::query!(
        "update auth.mfa_factors set web_authn_credential = $2, web_authn_aaguid = $3, updated_at = now() where id = $1",
        factor,
        Json(credential) as _,
        aaguid,
    )
    .execute(connection)
    .await
    .map(drop)
}

/// Deletes and returns a challenge of a security key. The second value is the WebAuthn challenge that the key has to sign,
/// base64url-encoded.
pub(crate) async fn take_challenge(
    connection: &mut PgConnection,
    id: Uuid,
    factor: Uuid,
) -> sqlx::Result<Option<(Challenge, String)>> {
    let row = sqlx::query!(
        r#"delete from auth.mfa_challenges where id = $1 and factor_id = $2
           returning id, created_at, verified_at, host(ip_address) as "ip_address!",
                     coalesce(web_authn_session_data ->> 'challenge', '') as "text!""#,
        id,
        factor,
    )
    .fetch_optional(connection)
    .await?;
    Ok(row.map(|row| {
        let challenge = Challenge {
            id: row.id,
            created_at: row.created_at,
            verified_at: row.verified_at,
            ip_address: row.ip_address,
        };
        (challenge, row.text)
    }))
}
