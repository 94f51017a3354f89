//! Web Authentication (W3C WebAuthn Level 3): verifies responses of authenticators. Attestation is not requested and therefore not
//! verified. The supported algorithms are ES256, EdDSA and RS256, which platform authenticators and security keys use.
//!
//! The functions compute only from the response, the challenge and the relying party, without I/O. `flow/passkeys.rs` stores credentials
//! and challenges.

mod authenticator_data;
mod client_data;
mod cose_key;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use authenticator_data::AuthenticatorData;
use client_data::Ceremony;
use cose_key::PublicKey;

/// Maximum length of a credential id in bytes (WebAuthn, section 4).
const MAX_CREDENTIAL_ID_BYTES: usize = 1023;
/// Maximum length in bytes of each base64url-encoded field of a response.
const MAX_PART_BYTES: usize = 64 * 1024;

/// The WebAuthn relying party: the site for which credentials are created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelyingParty {
    /// The relying party id: the domain of the site.
    pub id: String,
    /// The name of the relying party's site, which browsers display.
    pub name: String,
    /// Origins of the web pages that may use the credentials.
    pub origins: Vec<String>,
    /// Whether the authenticator must verify the user, for example by a PIN or fingerprint.
    pub requires_verification: bool,
}

/// The reason why a WebAuthn response is refused. The reason is only logged: clients receive the same error for all reasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what each is")]
pub enum Refusal {
    #[error("the response is malformed")]
    Malformed,
    #[error("the response belongs to another type of ceremony")]
    Ceremony,
    #[error("the challenge does not match")]
    Challenge,
    #[error("the page's origin is not allowed for this relying party")]
    Origin,
    #[error("the credential belongs to another relying party")]
    RelyingParty,
    #[error("the user was not present")]
    UserAbsent,
    #[error("the user was not verified")]
    UserUnverified,
    #[error("the key's algorithm is not supported")]
    Algorithm,
    #[error("the signature is invalid")]
    Signature,
    #[error("the signature counter did not increase: the authenticator was probably cloned")]
    Cloned,
    #[error("the credential's backup flags are inconsistent or have changed")]
    BackupState,
}

/// A browser's `PublicKeyCredential` in JSON, the response of a registration or an authentication.
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

/// A stored WebAuthn credential.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Credential {
    /// The credential id, base64url-encoded.
    pub id: String,
    /// The public key in COSE format, base64url-encoded.
    pub public_key: String,
    /// The signature counter of the authenticator, which increases with each use.
    pub sign_count: u32,
    /// Whether the authenticator may copy the credential to other devices.
    pub backup_eligible: bool,
    /// Whether the credential has been copied to other devices.
    pub backed_up: bool,
    /// The id of the authenticator's model.
    pub aaguid: uuid::Uuid,
    /// The ways in which a browser can reach the authenticator, such as `usb` or `internal`.
    #[serde(default)]
    pub transports: Vec<String>,
}

/// The fields of a credential that an authentication updates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// The new value of [`Credential::sign_count`].
    pub sign_count: u32,
    /// The new value of [`Credential::backed_up`].
    pub backed_up: bool,
}

impl CredentialResponse {
    /// Returns the credential id.
    pub fn id(&self) -> Result<Vec<u8>, Refusal> {
        let id = base64url(&self.raw_id)?;
        if id.is_empty() || id.len() > MAX_CREDENTIAL_ID_BYTES { Err(Refusal::Malformed) } else { Ok(id) }
    }

    /// Returns the user handle in the response, which the authenticator stored at the registration. `None` if the handle is missing or
    /// malformed.
    pub fn user_handle(&self) -> Option<Vec<u8>> {
        base64url(self.response.user_handle.as_deref()?).ok()
    }

    /// Verifies the response of a registration (WebAuthn, section 7.1), and returns the new credential.
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

    /// Verifies the response of an authentication with a stored credential (WebAuthn, section 7.2), and returns the fields to update.
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
        // The signature counter of authenticators that synchronise keys between devices is always zero. If the received and the stored
        // counter are both zero, they are not checked.
        let has_counter = data.sign_count != 0 || credential.sign_count != 0;
        if has_counter && data.sign_count <= credential.sign_count {
            return Err(Refusal::Cloned);
        }
        Ok(Use { sign_count: data.sign_count, backed_up: data.is_backed_up() })
    }

    fn check_kind(&self) -> Result<(), Refusal> {
        if self.kind == "public-key" { Ok(()) } else { Err(Refusal::Malformed) }
    }

    /// Returns the transports in the response that are known, such as `usb`. Browsers use them as hints at the next authentication.
    fn transports(&self) -> Vec<String> {
        let is_named = |name: &str| self.response.transports.iter().any(|own| own == name);
        ["usb", "nfc", "ble", "smart-card", "hybrid", "internal"]
            .into_iter()
            .filter(|name| is_named(name))
            .map(str::to_owned)
            .collect()
    }
}

/// COSE identifiers of the supported signature algorithms, in order of preference.
pub const ALGORITHMS: [i64; 3] = [cose_key::ES256, cose_key::EDDSA, cose_key::RS256];

/// Decodes base64url. Accepts padding, which some libraries add.
fn base64url(text: &str) -> Result<Vec<u8>, Refusal> {
    use base64::Engine;
    let text = text.trim_end_matches('=');
    if text.len() > MAX_PART_BYTES {
        return Err(Refusal::Malformed);
    }
    base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(text).map_err(|_| Refusal::Malformed)
}

/// Encodes bytes in base64url without padding.
#[must_use]
pub fn encode(bytes: &[u8]) -> String {
    use base64::Engine;
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes)
}

/// Decodes base64url.
///
/// # Errors
///
/// Returns [`Refusal::Malformed`] if the text is malformed or longer than 64 KiB.
pub fn decode(text: &str) -> Result<Vec<u8>, Refusal> {
    base64url(text)
}
