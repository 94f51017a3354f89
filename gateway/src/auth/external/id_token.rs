//! `grant_type=id_token`: a token that the provider gave to an app directly; and the checking of such tokens.

use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256, Sha384, Sha512};

use super::discovery::{Document, is_azure};
use super::{account, profile, providers};
use crate::auth::authn::SignedIn;
use crate::auth::error::{AuthError, Result};
use crate::auth::grant::{self, Granted};
use crate::auth::models::Metadata;
use crate::auth::request::Incoming;
use crate::auth::settings;
use crate::auth::state::AuthState;

const INVALID: &str = "invalid request";

#[derive(Default, Deserialize)]
#[serde(default)]
struct Params {
    id_token: String,
    access_token: String,
    nonce: String,
    provider: String,
    client_id: String,
    issuer: String,
    link_identity: bool,
}

pub(crate) async fn grant(state: &AuthState, incoming: &Incoming) -> Result<Granted> {
    let params: Params = incoming.json()?;
    if params.id_token.is_empty() {
        return Err(AuthError::oauth(INVALID, "id_token required"));
    }
    if params.provider.is_empty() && (params.client_id.is_empty() || params.issuer.is_empty()) {
        return Err(AuthError::oauth(INVALID, "provider or client_id and issuer required"));
    }
    let target = match params.link_identity {
        true if incoming.header("authorization").is_empty() => {
            let why = "Linking requires a valid user access token in Authorization";
            return Err(AuthError::oauth(INVALID, why));
        }
        true => Some(SignedIn::of(state, incoming).await?.user),
        false => None,
    };
    let provider = provider(state, &params).await?;
    let document = provider
        .document
        .as_ref()
        .ok_or_else(|| AuthError::internal("Error loading OpenID configuration", "there is none"))?;
    let claims = verify(state, document, &params.id_token, provider.settings).await?;
    check_access_token(&claims, &params)?;
    // As upstream: those of Facebook's Limited Login are taken without.
    if !provider.settings.skip_nonce_check && provider.name != "facebook" {
        check_nonce(&claims, &params.nonce)?;
    }
    let profile = profile::of_claims(claims, &document.issuer, provider.settings);
    let arrival = account::Arrival {
        provider: &provider.name,
        profile: &profile,
        aud: &incoming.audience(),
        target: &incoming.target(state),
        email_optional: provider.settings.email_optional,
        client: &incoming.client,
    };
    if target.is_none() {
        account::ask_project(state, &arrival).await?;
    }
    let mut tx = state.begin().await?;
    let outcome = match &target {
        Some(user) => account::link(state, &mut tx, &arrival, user.id).await?,
        None => account::sign_in(state, &mut tx, &arrival).await?,
    };
    let user = outcome.settle(&mut tx).await?;
    let granted = match user {
        account::Settled::Refused(error) => {
            tx.commit().await?;
            return Err(error);
        }
        account::Settled::User { id, .. } => grant::open_session(state, &mut tx, id, "oauth", &incoming.client).await?,
    };
    tx.commit().await?;
    Ok(granted)
}

/// By name, or by one of the issuers that are switched on: never by what the token says of itself.
async fn provider<'a>(state: &'a AuthState, params: &Params) -> Result<super::Provider<'a>> {
    let not_allowed = || AuthError::validation(format!("Custom OIDC provider {:?} not allowed", params.provider));
    if !params.provider.is_empty() {
        let name = params.provider.to_ascii_lowercase();
        let own = state.settings().external.get(&name);
        let issuer = providers::token_issuer(&name, own.map_or("", |own| &own.url)).ok_or_else(not_allowed)?;
        if !own.is_some_and(|own| own.enabled) {
            let message = format!("Provider (issuer {issuer:?}) is not enabled");
            return Err(AuthError::bad_request("provider_disabled", message));
        }
        let mut provider = super::resolve(state, &name).await?;
        if provider.document.is_none() {
            provider.document = Some(state.discoveries.document(state, issuer).await?);
        }
        return Ok(provider);
    }
    for (name, settings) in &state.settings().external {
        if settings.enabled && settings.client_ids().any(|id| id == params.client_id) {
            let provider = super::resolve(state, name).await?;
            if provider.document.as_ref().is_some_and(|document| document.issuer == params.issuer) {
                return Ok(provider);
            }
        }
    }
    Err(not_allowed())
}

/// The claims of a token that this issuer signed for one of our client ids.
pub(super) async fn verify(
    state: &AuthState,
    document: &Document,
    token: &str,
    settings: &settings::Provider,
) -> Result<Metadata> {
    let bad = || AuthError::oauth(INVALID, "Bad ID token");
    let header = jsonwebtoken::decode_header(token).map_err(|_| bad())?;
    // Only signatures by the issuer's private key: a shared secret or none at all proves nothing.
    let asymmetric = [
        Algorithm::RS256,
        Algorithm::RS384,
        Algorithm::RS512,
        Algorithm::PS256,
        Algorithm::PS384,
        Algorithm::PS512,
        Algorithm::ES256,
        Algorithm::ES384,
        Algorithm::EdDSA,
    ];
    if !asymmetric.contains(&header.alg) {
        return Err(bad());
    }
    let keys = state.discoveries.keys(state, document, header.kid.as_deref()).await?;
    let key = match &header.kid {
        Some(kid) => keys.find(kid),
        None => keys.keys.first().filter(|_| keys.keys.len() == 1),
    };
    let key = DecodingKey::from_jwk(key.ok_or_else(bad)?).map_err(|_| bad())?;
    let mut validation = Validation::new(header.alg);
    validation.validate_aud = false;
    validation.set_required_spec_claims(&["exp", "iss", "sub", "aud"]);
    let Value::Object(claims) = jsonwebtoken::decode::<Value>(token, &key, &validation).map_err(|_| bad())?.claims
    else {
        return Err(bad());
    };
    let issuer = claims.get("iss").and_then(Value::as_str).unwrap_or_default();
    if !is_issuer(document, issuer, claims.get("tid").and_then(Value::as_str)) {
        return Err(bad());
    }
    if claims.get("sub").and_then(Value::as_str).is_none_or(str::is_empty) {
        return Err(AuthError::oauth(INVALID, "Missing sub claim in id_token"));
    }
    let audience: Vec<&str> = match claims.get("aud") {
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).collect(),
        Some(Value::String(one)) => vec![one],
        _ => Vec::new(),
    };
    if !settings.client_ids().any(|id| audience.contains(&id)) {
        return Err(AuthError::oauth(INVALID, format!("Unacceptable audience in id_token: {audience:?}")));
    }
    Ok(claims)
}

/// Microsoft's common document names `{tenantid}` in place of the tenant that signs in.
fn is_issuer(document: &Document, issuer: &str, tenant: Option<&str>) -> bool {
    if issuer == document.issuer {
        return true;
    }
    is_azure(&document.issuer) && tenant.is_some_and(|tenant| document.issuer.replace("{tenantid}", tenant) == issuer)
}

/// `at_hash`: half of the hash of the access token that belongs to this id token.
fn check_access_token(claims: &Metadata, params: &Params) -> Result<()> {
    use base64::Engine;
    let access_token = params.access_token.as_bytes();
    let Some(expected) = claims.get("at_hash").and_then(Value::as_str).filter(|_| !access_token.is_empty()) else {
        return Ok(());
    };
    // OpenID Connect Core, 3.1.3.6: the hash is that of the token's own algorithm.
    let digest = match jsonwebtoken::decode_header(&params.id_token).map(|header| header.alg) {
        Ok(Algorithm::RS384 | Algorithm::PS384 | Algorithm::ES384) => Sha384::digest(access_token).to_vec(),
        Ok(Algorithm::RS512 | Algorithm::PS512 | Algorithm::EdDSA) => Sha512::digest(access_token).to_vec(),
        _ => Sha256::digest(access_token).to_vec(),
    };
    let half = digest.get(..digest.len() / 2).unwrap_or_default();
    if base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(half) == expected {
        Ok(())
    } else {
        Err(AuthError::oauth(INVALID, "Bad ID token"))
    }
}

/// The token holds the hash of what only the app that asked for it knows.
fn check_nonce(claims: &Metadata, nonce: &str) -> Result<()> {
    let expected = claims.get("nonce").and_then(Value::as_str).unwrap_or_default();
    match (expected, nonce) {
        ("", "") => Ok(()),
        ("", _) | (_, "") => {
            Err(AuthError::oauth(INVALID, "Passed nonce and nonce in id_token should either both exist or not."))
        }
        (expected, nonce) if hex::encode(Sha256::digest(nonce.as_bytes())) == expected => Ok(()),
        _ => Err(AuthError::oauth("invalid nonce", "Nonces mismatch")),
    }
}
