//! Web Authentication (W3C WebAuthn Level 3): verifies what an authenticator answers to a challenge. Attestation is not asked for, so none
//! is verified; keys are ES256, EdDSA and RS256, those that platforms and security keys make.
//!
//! A pure computation over the response, the challenge and the relying party. Rows and challenges are `flow/passkeys.rs`'s.

mod authenticator_data;
mod client_data;
mod cose_key;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use authenticator_data::AuthenticatorData;
use client_data::Ceremony;
use cose_key::PublicKey;

/// Bytes of a credential's id (WebAuthn, section 4).
const MAX_CREDENTIAL_ID_BYTES: usize = 1023;
/// Bytes of each part of a response.
const MAX_PART_BYTES: usize = 64 * 1024;

/// For whom credentials are made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelyingParty {
    /// The domain.
    pub id: String,
    /// What a browser shows.
    pub name: String,
    /// The pages that may use its credentials.
    pub origins: Vec<String>,
    /// Whether the authenticator must have verified its user, by a PIN or a finger.
    pub requires_verification: bool,
}

/// Why a response is refused; for the log, as clients are told that the verification failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what each is")]
pub enum Refusal {
    #[error("the response is malformed")]
    Malformed,
    #[error("the response is of another ceremony")]
    Ceremony,
    #[error("the challenge is another one")]
    Challenge,
    #[error("the page's origin is not one of the relying party's")]
    Origin,
    #[error("the credential is another relying party's")]
    RelyingParty,
    #[error("the user was not present")]
    UserAbsent,
    #[error("the user was not verified")]
    UserUnverified,
    #[error("the kind of key is not supported")]
    Algorithm,
    #[error("the signature is invalid")]
    Signature,
    #[error("the signature counter went back: the authenticator was probably cloned")]
    Cloned,
    #[error("the credential was backed up although it cannot be, or changed in this")]
    BackupState,
}

/// A browser's `PublicKeyCredential` as JSON, of either ceremony.
#[derive(Deserialize)]
pub struct CredentialResponse {
    #[serde(rename = "rawId")]
    raw_id: String,
    #[serde(rename = "type")]
    kind: String,
    response: AuthenticatorResponse,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AuthenticatorResponse {
    #[serde(rename = "clientDataJSON")]
    client_data: String,
    #[serde(default)]
    attestation_object: String,
    #[serde(default)]
    authenticator_data: String,
    #[serde(default)]
    signature: String,
    #[serde(default)]
    user_handle: Option<String>,
    #[serde(default)]
    transports: Vec<String>,
}

/// A credential as it is stored.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Credential {
    /// Base64url.
    pub id: String,
    /// The COSE key, base64url.
    pub public_key: String,
    /// The authenticator's signature counter.
    pub sign_count: u32,
    /// Whether the authenticator may copy the credential to other devices.
    pub backup_eligible: bool,
    /// Whether it has.
    pub backed_up: bool,
    /// The model of the authenticator.
    pub aaguid: uuid::Uuid,
    /// How a browser reaches the authenticator, such as `usb` or `internal`.
    #[serde(default)]
    pub transports: Vec<String>,
}

/// What changes in a credential by its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// [`Credential::sign_count`].
    pub sign_count: u32,
    /// [`Credential::backed_up`].
    pub backed_up: bool,
}

impl CredentialResponse {
    /// The credential's id.
    pub fn id(&self) -> Result<Vec<u8>, Refusal> {
        let id = base64url(&self.raw_id)?;
        if id.is_empty() || id.len() > MAX_CREDENTIAL_ID_BYTES { Err(Refusal::Malformed) } else { Ok(id) }
    }

    /// The user that the authenticator names.
    pub fn user_handle(&self) -> Option<Vec<u8>> {
        base64url(self.response.user_handle.as_deref()?).ok()
    }

    /// Verifies a registration (WebAuthn, section 7.1).
    pub fn register(&self, party: &RelyingParty, challenge: &str) -> Result<Credential, Refusal> {
        self.check_kind()?;
        client_data::check(&base64url(&self.response.client_data)?, Ceremony::Create, challenge, &party.origins)?;
        let data = authenticator_data::of_attestation(&base64url(&self.response.attestation_object)?)?;
        let data = AuthenticatorData::read(&data)?;
        data.check(party)?;
        let made = data.credential.as_ref().ok_or(Refusal::Malformed)?;
        if made.id != self.id()? {
            return Err(Refusal::Malformed);
        }
        PublicKey::read(&made.public_key)?;
        Ok(Credential {
            id: encode(&made.id),
            public_key: encode(&made.public_key),
            sign_count: data.sign_count,
            backup_eligible: data.is_backup_eligible(),
            backed_up: data.is_backed_up(),
            aaguid: made.aaguid,
            transports: self.transports(),
        })
    }

    /// Verifies an authentication by a stored credential (WebAuthn, section 7.2).
    pub fn authenticate(&self, party: &RelyingParty, challenge: &str, credential: &Credential) -> Result<Use, Refusal> {
        self.check_kind()?;
        if self.id()? != base64url(&credential.id)? {
            return Err(Refusal::Malformed);
        }
        let client_data = base64url(&self.response.client_data)?;
        client_data::check(&client_data, Ceremony::Get, challenge, &party.origins)?;
        let bytes = base64url(&self.response.authenticator_data)?;
        let data = AuthenticatorData::read(&bytes)?;
        data.check(party)?;
        let signed = [bytes.as_slice(), Sha256::digest(&client_data).as_slice()].concat();
        let key = PublicKey::read(&base64url(&credential.public_key)?)?;
        key.verify(&signed, &base64url(&self.response.signature)?)?;
        if data.is_backup_eligible() != credential.backup_eligible {
            return Err(Refusal::BackupState);
        }
        // Authenticators whose keys are synchronised have no counter: it stays zero.
        let has_counter = data.sign_count != 0 || credential.sign_count != 0;
        if has_counter && data.sign_count <= credential.sign_count {
            return Err(Refusal::Cloned);
        }
        Ok(Use { sign_count: data.sign_count, backed_up: data.is_backed_up() })
    }

    fn check_kind(&self) -> Result<(), Refusal> {
        if self.kind == "public-key" { Ok(()) } else { Err(Refusal::Malformed) }
    }

    /// Hints for the browser at the next use; names that are not known are dropped.
    fn transports(&self) -> Vec<String> {
        let is_named = |name: &str| self.response.transports.iter().any(|own| own == name);
        ["usb", "nfc", "ble", "smart-card", "hybrid", "internal"]
            .into_iter()
            .filter(|name| is_named(name))
            .map(str::to_owned)
            .collect()
    }
}

/// The algorithms that credentials may have, by their COSE numbers and in the order of preference.
pub const ALGORITHMS: [i64; 3] = [cose_key::ES256, cose_key::EDDSA, cose_key::RS256];

/// Base64url; padding, which some libraries add, does not matter.
fn base64url(text: &str) -> Result<Vec<u8>, Refusal> {
    use base64::Engine;
    let text = text.trim_end_matches('=');
    if text.len() > MAX_PART_BYTES {
        return Err(Refusal::Malformed);
    }
    base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(text).map_err(|_| Refusal::Malformed)
}

/// Base64url without padding.
#[must_use]
pub fn encode(bytes: &[u8]) -> String {
    use base64::Engine;
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes)
}

/// The bytes of a text in base64url.
///
/// # Errors
/// [`Refusal::Malformed`] for another text, or for more than 64 KiB.
pub fn decode(text: &str) -> Result<Vec<u8>, Refusal> {
    base64url(text)
}
