//! Shared parts of the WebAuthn ceremonies (registration and sign-in) of passkeys: the relying party, challenges, and the conversion of
//! stored credentials.

use chrono::{TimeDelta, Utc};
use sqlx::PgConnection;
use sqlx::types::Json;
use url::Url;
use uuid::Uuid;

use crate::error::{AuthError, Context, Result};
use crate::model::Time;
use crate::model::passkey::{self, StoredPasskey};
use crate::settings::Settings;
use crate::webauthn::{self, Credential, Refusal, RelyingParty};

pub(crate) const MAX_PASSKEYS: usize = 10;
/// Time within which the browser must complete a WebAuthn ceremony.
pub(crate) const CHALLENGE_LIFETIME: TimeDelta = TimeDelta::seconds(300);

/// Display names of common authenticators, by AAGUID (the id of an authenticator's model).
const AUTHENTICATORS: [(&str, &str); 9] = [
    ("fbfc3007-154e-4ecc-8c0b-6e020557d7bd", "iCloud Keychain"),
    ("ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4", "Google Password Manager"),
    ("08987058-cadc-4b81-b6e1-30de50dcbe96", "Windows Hello"),
    ("9ddd1817-af5a-4672-a2b9-3e3dd95000a9", "Windows Hello"),
    ("6028b017-b1d4-4c02-b4b3-afcdafc96bb2", "Windows Hello"),
    ("bada5566-a7aa-401f-bd96-45619a55120d", "1Password"),
    ("d548826e-79b4-db40-a3d8-11116f7e8349", "Bitwarden"),
    ("531126d6-e717-415c-9320-3d9aa6981239", "Dashlane"),
    ("adce0002-35bc-c60a-648b-0b25f1f05503", "Chrome on Mac"),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Registration,
    Authentication,
}

impl Purpose {
    const fn name(self) -> &'static str {
        match self {
            Self::Registration => "registration",
            Self::Authentication => "authentication",
        }
    }
}

/// Returns the WebAuthn relying party that `[auth.webauthn]` configures. Missing values are derived from `site_url`.
pub(crate) fn relying_party(settings: &Settings, requires_verification: bool) -> RelyingParty {
    let site = Url::parse(&settings.site_url).ok();
    let host = site.as_ref().and_then(Url::host_str).unwrap_or_default().to_owned();
    let own = &settings.webauthn;
    let id = if own.rp_id.is_empty() { host } else { own.rp_id.clone() };
    let name = if own.rp_display_name.is_empty() { id.clone() } else { own.rp_display_name.clone() };
    let origins = match own.rp_origins.as_slice() {
        [] => site.iter().map(|site| site.origin().ascii_serialization()).collect(),
        named => named.to_vec(),
    };
    RelyingParty { id, name, origins, requires_verification }
}

pub(crate) struct NewChallenge {
    pub(crate) id: Uuid,
    pub(crate) challenge: String,
    pub(crate) expires_at: Time,
}

/// Stores a new WebAuthn challenge. `user` is `None` for a sign-in, in which any user can respond to the challenge.
pub(crate) async fn challenge(
    connection: &mut PgConnection,
    user: Option<Uuid>,
    purpose: Purpose,
) -> Result<NewChallenge> {
    let challenge = webauthn::encode(&rand::random::<[u8; 32]>());
    let expires_at = Utc::now() + CHALLENGE_LIFETIME;
    let id = passkey::insert_challenge(connection, user, purpose.name(), &challenge, expires_at)
        .await
        .context("Database error storing challenge")?;
    Ok(NewChallenge { id, challenge, expires_at })
}

/// Deletes and returns a WebAuthn challenge, so that the challenge cannot be used again, whether the response is valid or not.
pub(crate) async fn take_challenge(
    connection: &mut PgConnection,
    id: &str,
    user: Option<Uuid>,
    purpose: Purpose,
) -> Result<String> {
    if id.is_empty() {
        return Err(AuthError::validation("challenge_id is required"));
    }
    let id = id.parse().map_err(|_| AuthError::validation("challenge_id must be a valid UUID"))?;
    let taken = passkey::take_challenge(connection, id, user, purpose.name())
        .await
        .context("Database error consuming challenge")?
        .ok_or_else(|| AuthError::bad_request("webauthn_challenge_not_found", "Challenge not found or already used"))?;
    if taken.expires_at <= Utc::now() {
        return Err(AuthError::bad_request("webauthn_challenge_expired", "Challenge has expired"));
    }
    Ok(taken.challenge)
}

pub(crate) fn to_stored(credential: &Credential) -> Result<StoredPasskey> {
    Ok(StoredPasskey {
        id: Uuid::new_v4(),
        credential_id: webauthn::decode(&credential.id).map_err(failed)?,
        public_key: webauthn::decode(&credential.public_key).map_err(failed)?,
        sign_count: credential.sign_count.into(),
        aaguid: (!credential.aaguid.is_nil()).then_some(credential.aaguid),
        transports: Json(credential.transports.clone()),
        backup_eligible: credential.backup_eligible,
        backed_up: credential.backed_up,
    })
}

pub(crate) fn of_stored(passkey: &StoredPasskey) -> Credential {
    Credential {
        id: webauthn::encode(&passkey.credential_id),
        public_key: webauthn::encode(&passkey.public_key),
        sign_count: u32::try_from(passkey.sign_count).unwrap_or(u32::MAX),
        backup_eligible: passkey.backup_eligible,
        backed_up: passkey.backed_up,
        aaguid: passkey.aaguid.unwrap_or_default(),
        transports: passkey.transports.0.clone(),
    }
}

/// Returns a default name for a new passkey, derived from the model of its authenticator (AAGUID).
pub fn name_of(credential: &Credential) -> &'static str {
    let aaguid = credential.aaguid.to_string();
    AUTHENTICATORS.iter().find(|(known, _)| *known == aaguid).map_or("Passkey", |(_, name)| name)
}

/// Logs the reason why a WebAuthn response was refused. Returns the same error for all reasons, so that the client does not learn the
/// reason.
pub(crate) fn failed(refusal: Refusal) -> AuthError {
    tracing::info!(reason = %refusal, "auth: passkey response of a client refused, responding with status 400");
    AuthError::bad_request("webauthn_verification_failed", "Credential verification failed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_relying_party_is_the_site_by_default() {
        let mut settings = Settings { site_url: "https://www.club.example:8443/app".into(), ..Settings::default() };
        let party = relying_party(&settings, true);
        assert_eq!((party.id.as_str(), party.name.as_str()), ("www.club.example", "www.club.example"));
        assert_eq!(party.origins, ["https://www.club.example:8443"]);
        settings.webauthn.rp_id = "club.example".into();
        settings.webauthn.rp_origins = vec!["https://club.example".into()];
        let party = relying_party(&settings, true);
        assert_eq!((party.id.as_str(), party.origins), ("club.example", vec!["https://club.example".to_owned()]));
    }
}
