//! Builds the options of WebAuthn ceremonies, in the JSON form that browsers parse (WebAuthn Level 3, sections 5.1.8 and 5.1.9).

use serde_json::{Value, json};

use super::passkeys::CHALLENGE_LIFETIME;
use crate::model::user::User;
use crate::webauthn::{self, RelyingParty};

/// Builds `PublicKeyCredentialCreationOptions` for a registration. `exclude` contains descriptors of the user's existing credentials;
/// `selection` is the `authenticatorSelection`.
pub(crate) fn creation(
    party: &RelyingParty,
    user: &User,
    challenge: &str,
    exclude: &[Value],
    selection: Value,
) -> Value {
    let algorithms: Vec<Value> =
        webauthn::ALGORITHMS.iter().map(|number| json!({ "type": "public-key", "alg": number })).collect();
    json!({
        "rp": { "id": party.id, "name": party.name },
        "user": {
            // The user handle is the user's id as text, as in GoTrue.
            "id": webauthn::encode(user.id.to_string().as_bytes()),
            "name": account_name(user),
            "displayName": display_name(user),
        },
        "challenge": challenge,
        "pubKeyCredParams": algorithms,
        "timeout": CHALLENGE_LIFETIME.num_milliseconds(),
        "excludeCredentials": exclude,
        "authenticatorSelection": selection,
        "attestation": "none",
    })
}

/// Builds `PublicKeyCredentialRequestOptions` for a sign-in, without `allowCredentials`.
pub fn request(party: &RelyingParty, challenge: &str) -> Value {
    json!({
        "challenge": challenge,
        "timeout": CHALLENGE_LIFETIME.num_milliseconds(),
        "rpId": party.id,
        "userVerification": verification(party),
    })
}

pub(crate) const fn verification(party: &RelyingParty) -> &'static str {
    if party.requires_verification { "required" } else { "preferred" }
}

/// Builds a `PublicKeyCredentialDescriptor`. `id` is the credential id, base64url-encoded.
pub fn descriptor(id: &str, transports: &[String]) -> Value {
    json!({ "type": "public-key", "id": id, "transports": transports })
}

/// Returns the account name that the authenticator shows. Browsers refuse an empty name, so the name of a user without an e-mail address
/// and phone number is the user's id.
fn account_name(user: &User) -> String {
    [&user.email, &user.phone].into_iter().find(|name| !name.is_empty()).cloned().unwrap_or_else(|| user.id.to_string())
}

fn display_name(user: &User) -> String {
    let named = user.user_metadata.get("name").or_else(|| user.user_metadata.get("full_name"));
    named.and_then(Value::as_str).filter(|name| !name.is_empty()).map_or_else(|| account_name(user), str::to_owned)
}
