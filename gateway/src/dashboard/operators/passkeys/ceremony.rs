//! Parts of WebAuthn that registration and sign-in with a passkey share: relying party, challenges, and verification of a passkey.

use cloch_auth::webauthn::{self, CredentialResponse, Refusal, RelyingParty};
use cloch_auth::webauthn_options;
use cloch_core::Secret;
use serde::Deserialize;
use serde_json::{Value, json};
use url::{Host, Url};
use uuid::Uuid;

use super::model;
use crate::dashboard::{ApiError, Dashboard};

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(in crate::dashboard::operators) enum Purpose {
    /// Sign-in of a client. Which operator signs in is known only after the passkey was verified.
    SignIn,
    Add(Uuid),
    /// A signed-in operator confirms a change of the operator's own account.
    Confirm(Uuid),
}

impl Purpose {
    pub(in crate::dashboard::operators) fn name(self) -> &'static str {
        match self {
            Self::SignIn => "sign_in",
            Self::Add(_) => "add",
            Self::Confirm(_) => "confirm",
        }
    }

    pub(in crate::dashboard::operators) fn operator(self) -> Option<Uuid> {
        match self {
            Self::SignIn => None,
            Self::Add(id) | Self::Confirm(id) => Some(id),
        }
    }
}

/// Response of an authenticator (passkey) to a challenge.
#[derive(Deserialize)]
pub(in crate::dashboard::operators) struct Assertion {
    pub(in crate::dashboard::operators) challenge_id: Uuid,
    /// The browser's `PublicKeyCredential`.
    pub(in crate::dashboard::operators) credential: CredentialResponse,
}

/// A WebAuthn challenge that was created for a browser.
pub(in crate::dashboard::operators) struct CeremonyRequest {
    pub(in crate::dashboard::operators) id: Uuid,
    pub(in crate::dashboard::operators) challenge: Secret,
    pub(in crate::dashboard::operators) party: RelyingParty,
}

/// Returns the WebAuthn relying party: the host name under which browsers reach this server. A loopback address counts as `localhost`.
/// `None` for any other IP address, because passkeys require a host name.
pub(in crate::dashboard::operators) fn relying_party(url: &Url, project: &str) -> Option<RelyingParty> {
    let is_loopback = match url.host()? {
        Host::Domain(_) => false,
        Host::Ipv4(address) if address.is_loopback() => true,
        Host::Ipv6(address) if address.is_loopback() => true,
        Host::Ipv4(_) | Host::Ipv6(_) => return None,
    };
    let mut url = url.clone();
    if is_loopback {
        url.set_host(Some("localhost")).ok()?;
    }
    Some(RelyingParty {
        id: url.host_str()?.to_owned(),
        name: format!("Cloch {project}"),
        origins: vec![url.origin().ascii_serialization()],
        requires_verification: true,
    })
}

pub(in crate::dashboard::operators) fn party_of(state: &Dashboard) -> Result<RelyingParty, ApiError> {
    relying_party(&state.config.external_url, &state.config.project_id).ok_or_else(|| {
        ApiError::conflict("This server has no name, and passkeys belong to a name")
            .with_hint("Set [api] external_url in config.toml to its https address")
    })
}

/// Returns the URL of the page on which the relying party's passkeys work.
pub(in crate::dashboard::operators) fn address_of(party: &RelyingParty) -> Option<String> {
    party.origins.first().map(|origin| format!("{origin}/_/"))
}

/// Creates and stores a WebAuthn challenge.
pub(in crate::dashboard::operators) async fn ask(
    state: &Dashboard,
    purpose: Purpose,
) -> Result<CeremonyRequest, ApiError> {
    let party = party_of(state)?;
    let challenge = Secret::new(webauthn::encode(&rand::random::<[u8; 32]>()));
    let id = model::insert_challenge(state.database.operators(), purpose, challenge.expose()).await?;
    Ok(CeremonyRequest { id, challenge, party })
}

impl CeremonyRequest {
    /// Returns the options for `navigator.credentials.get`. `allowed` contains the descriptors of the permitted passkeys; if it is empty,
    /// every passkey is permitted.
    pub(in crate::dashboard::operators) fn request(&self, allowed: &[Value]) -> Value {
        let mut options = webauthn_options::request(&self.party, self.challenge.expose());
        if let (Some(options), false) = (options.as_object_mut(), allowed.is_empty()) {
            options.insert("allowCredentials".to_owned(), json!(allowed));
        }
        json!({ "challenge_id": self.id, "address": address_of(&self.party), "options": options })
    }
}

/// Logs why a passkey was refused, and returns the error response. The response does not contain the reason, so that it reveals nothing about
/// operators. `operator` is `None` if the operator is not known yet.
pub(in crate::dashboard::operators) fn refused(operator: Option<Uuid>, refusal: Refusal) -> ApiError {
    tracing::info!(
        operator = operator.map(tracing::field::display),
        reason = %refusal,
        "dashboard: passkey of an operator refused, responding with an error"
    );
    ApiError::invalid_credentials("This passkey is not accepted")
}

/// Verifies an authenticator's response to a challenge and returns the id of the operator whose passkey was used. The challenge is deleted,
/// even if the verification fails. If the challenge was issued to an operator, passkeys of other operators are refused.
pub(in crate::dashboard::operators) async fn prove(
    state: &Dashboard,
    purpose: Purpose,
    Assertion { challenge_id, credential: response }: &Assertion,
) -> Result<Uuid, ApiError> {
    let party = party_of(state)?;
    let pool = state.database.operators();
    let expected = purpose.operator();
    let challenge = model::take_challenge(pool, *challenge_id, purpose).await?;
    let challenge = challenge.ok_or_else(|| refused(expected, Refusal::Challenge))?;
    let id = response.id().map_err(|refusal| refused(expected, refusal))?;
    let mut transaction = cloch_sql::transaction::begin(pool).await?;
    // The row lock makes concurrent uses of a passkey run one after the other, so that each use checks the latest signature counter.
    let known = model::lock(&mut transaction, &id).await?.ok_or_else(|| refused(expected, Refusal::RelyingParty))?;
    let is_of_another = expected.is_some_and(|operator| operator != known.operator_id);
    let names_another = response.user_handle().is_some_and(|handle| handle != known.operator_id.as_bytes());
    if is_of_another || names_another {
        return Err(refused(Some(known.operator_id), Refusal::RelyingParty));
    }
    let used = response
        .authenticate(&party, challenge.expose(), &known.credential())
        .map_err(|refusal| refused(Some(known.operator_id), refusal))?;
    model::used(&mut transaction, known.id, used).await?;
    transaction.commit().await?;
    Ok(known.operator_id)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn party(url: &str) -> Option<(String, String)> {
        let party = relying_party(&Url::parse(url).unwrap(), "club")?;
        assert!(party.requires_verification && party.origins.len() == 1);
        Some((party.id, party.origins.concat()))
    }

    #[test]
    fn passkeys_belong_to_the_servers_name() {
        assert_eq!(party("http://192.168.1.20:54321"), None);
        assert_eq!(party("http://[fd00::1]/"), None);
        let of = |id: &str, origin: &str| Some((id.to_owned(), origin.to_owned()));
        assert_eq!(party("https://api.club.example:8443/x"), of("api.club.example", "https://api.club.example:8443"));
        for local in ["http://127.0.0.1:54321", "http://[::1]:54321", "http://localhost:54321"] {
            assert_eq!(party(local), of("localhost", "http://localhost:54321"), "{local}");
        }
    }
}
