//! `grant_type=id_token`: sign-in with an ID token that an external sign-in provider issued to an app.

use jsonwebtoken::Algorithm;
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256, Sha384, Sha512};

use crate::error::{AuthError, Result};
use crate::flow::external::id_token::{self, INVALID};
use crate::flow::external::{self, Provider, account, custom, profile, providers};
use crate::flow::issue_session::{self, TokenResponse};
use crate::http::authn::SignedIn;
use crate::http::request::Incoming;
use crate::model::Metadata;
use crate::provider_http::ProviderHttp;
use crate::state::AuthState;

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

pub(crate) async fn grant(state: &AuthState, incoming: &Incoming) -> Result<TokenResponse> {
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
    let claims = id_token::verify(state, &provider, document, &params.id_token).await?;
    check_access_token(&claims, &params)?;
    // As in GoTrue, ID tokens of Facebook's Limited Login are accepted without a nonce.
    if !provider.settings.skip_nonce_check && provider.name != "facebook" {
        check_nonce(&claims, &params.nonce)?;
    }
    let profile = profile::of_provider(&provider, claims, &document.issuer);
    let login = account::ExternalLogin {
        provider: &provider.name,
        profile: &profile,
        aud: &incoming.audience(),
        target: &incoming.target(state),
        email_optional: provider.settings.email_optional,
        client: &incoming.client,
    };
    if target.is_none() {
        account::call_hook(state, &login).await?;
    }
    let mut tx = state.begin().await?;
    let outcome = match &target {
        Some(user) => account::link(state, &mut tx, &login, user.id).await?,
        None => account::sign_in(state, &mut tx, &login).await?,
    };
    let user = outcome.settle(&mut tx).await?;
    let response = match user {
        account::Settled::Refused(error) => {
            tx.commit().await?;
            return Err(error);
        }
        account::Settled::User { id, .. } => {
            issue_session::open_session(state, &mut tx, id, "oauth", &incoming.client).await?
        }
    };
    tx.commit().await?;
    Ok(response)
}

/// Returns the enabled provider that the request selects, by name or by issuer and client id. The claims of the ID token do not influence
/// the selection.
async fn provider<'a>(state: &'a AuthState, params: &Params) -> Result<Provider<'a>> {
    let not_allowed = || AuthError::validation(format!("Custom OIDC provider {:?} not allowed", params.provider));
    if !params.provider.is_empty() {
        let name = params.provider.to_ascii_lowercase();
        if name.starts_with(custom::PREFIX) {
            return custom_provider(state, params, &name).await;
        }
        let own = state.settings().external.get(&name);
        let issuer = providers::token_issuer(&name, own.map_or("", |own| &own.url)).ok_or_else(not_allowed)?;
        if !own.is_some_and(|own| own.enabled) {
            let message = format!("Provider (issuer {issuer:?}) is not enabled");
            return Err(AuthError::bad_request("provider_disabled", message));
        }
        check_form(&params.id_token)?;
        let mut provider = external::resolve(state, &name).await?;
        if provider.document.is_none() {
            let http = ProviderHttp::unrestricted(state.http());
            provider.document = Some(state.oidc_cache.document(&http, issuer).await?);
        }
        return Ok(provider);
    }
    check_form(&params.id_token)?;
    for (name, settings) in &state.settings().external {
        if settings.enabled && settings.client_ids().any(|id| id == params.client_id) {
            let provider = external::resolve(state, name).await?;
            if provider.document.as_ref().is_some_and(|document| document.issuer == params.issuer) {
                return Ok(provider);
            }
        }
    }
    Err(not_allowed())
}

/// Returns an enabled custom provider with OpenID Connect. Refuses other custom providers, because they cannot issue ID tokens.
async fn custom_provider<'a>(state: &'a AuthState, params: &Params, name: &str) -> Result<Provider<'a>> {
    let refused = |why: String| Err(AuthError::validation(why));
    match custom::find(state, name).await? {
        None => refused(format!("Custom provider {name:?} not found")),
        Some(row) if !row.enabled => {
            Err(AuthError::bad_request("provider_disabled", format!("Custom provider {name:?} is disabled")))
        }
        Some(row) if !row.is_oidc() => refused(format!("Provider {name:?} is not an OIDC provider")),
        Some(row) => {
            check_form(&params.id_token)?;
            custom::of_row(state, row).await
        }
    }
}

/// Refuses malformed ID tokens before any request is sent to the provider.
fn check_form(token: &str) -> Result<()> {
    jsonwebtoken::decode_header(token).map(drop).map_err(|_| AuthError::oauth(INVALID, "Bad ID token"))
}

/// Checks the ID token's `at_hash` claim: it must be the first half of the hash of the access token in the request (OpenID Connect Core,
/// section 3.1.3.6). Does nothing if the claim or the access token is absent.
fn check_access_token(claims: &Metadata, params: &Params) -> Result<()> {
    use base64::Engine;
    let access_token = params.access_token.as_bytes();
    let Some(expected) = claims.get("at_hash").and_then(Value::as_str).filter(|_| !access_token.is_empty()) else {
        return Ok(());
    };
    // The signature algorithm of the ID token determines the hash function (OpenID Connect Core, section 3.1.3.6).
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

/// Checks that the ID token's `nonce` claim is the SHA-256 hash of the nonce in the request (OpenID Connect Core, section 3.1.2.1). An app
/// that did not request the ID token therefore cannot use it. The token is also accepted if both the claim and the nonce in the request are
/// absent.
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
