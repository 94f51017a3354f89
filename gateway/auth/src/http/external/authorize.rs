//! GET /authorize and, for signed-in users, GET /user/identities/authorize: start a sign-in with an external provider.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::StatusCode;
use serde_json::json;
use sha2::{Digest, Sha256};
use url::Url;
use uuid::Uuid;

use crate::error::{AuthError, Context, Result};
use crate::flow::external::{self, Provider};
use crate::http::authn::SignedIn;
use crate::http::redirect;
use crate::http::request::Incoming;
use crate::model::flow_state::{self, Outward};
use crate::model::oauth_client_state;
use crate::model::one_time_token::{self, Kind};
use crate::pkce::ChallengeParams;
use crate::state::AuthState;

/// Query parameters of the provider's authorization request that clients cannot set, because this server sets them.
const RESERVED_PARAMETERS: [&str; 19] = [
    "provider",
    "scopes",
    "scope",
    "client_id",
    "client_secret",
    "redirect_uri",
    "redirect_to",
    "response_type",
    "response_mode",
    "state",
    "code",
    "code_challenge",
    "code_challenge_method",
    "code_verifier",
    "grant_type",
    "invite_token",
    "skip_http_redirect",
    "apikey",
    "request",
];

pub(crate) async fn authorize(State(state): State<AuthState>, incoming: Incoming) -> Result<Response> {
    let address = begin(&state, &incoming, None).await?;
    redirect::redirect(StatusCode::FOUND, &address)
}

/// GET /user/identities/authorize: redirects the browser to the provider, so that the provider's identity is linked to the account of the
/// signed-in user.
pub(crate) async fn link(State(state): State<AuthState>, signed_in: SignedIn, incoming: Incoming) -> Result<Response> {
    if !state.settings().enable_manual_linking {
        return Err(AuthError::not_found("manual_linking_disabled", "Manual linking is disabled"));
    }
    let address = begin(&state, &incoming, Some(signed_in.user.id)).await?;
    if incoming.query("skip_http_redirect") == "true" {
        return Ok(Json(json!({ "url": address })).into_response());
    }
    redirect::redirect(StatusCode::FOUND, &address)
}

async fn begin(state: &AuthState, incoming: &Incoming, linking_target: Option<Uuid>) -> Result<String> {
    let provider = external::resolve(state, incoming.query("provider")).await?;
    let invite_token = incoming.query("invite_token");
    let mut tx = state.begin().await?;
    if !invite_token.is_empty()
        && one_time_token::find(&mut tx, invite_token, &[Kind::ConfirmationToken]).await?.is_none()
    {
        return Err(AuthError::not_found("user_not_found", "User identified by token not found"));
    }
    let challenge = ChallengeParams {
        code_challenge: incoming.query("code_challenge").to_owned(),
        code_challenge_method: incoming.query("code_challenge_method").to_owned(),
    }
    .check()?;
    let verifier = provider.proves_key().then(new_verifier);
    let client_state = match &verifier {
        Some(verifier) => Some(oauth_client_state::begin(&mut tx, &provider.name, verifier).await?),
        None => None,
    };
    let flow = Outward {
        provider: &provider.name,
        challenge: challenge.as_ref(),
        referrer: &incoming.target(state),
        invite_token,
        linking_target,
        client_state,
        email_optional: provider.settings.email_optional,
    };
    let id = flow_state::begin_outward(&mut tx, &flow).await.context("Error creating flow state")?;
    tx.commit().await?;
    address(state, &provider, incoming, id, verifier.as_deref())
}

fn address(
    state: &AuthState,
    provider: &Provider<'_>,
    incoming: &Incoming,
    id: Uuid,
    verifier: Option<&str>,
) -> Result<String> {
    let mut address = Url::parse(&provider.authorization).context("Error reading the provider's address")?;
    let scopes = provider.scopes(incoming.query("scopes"));
    let mut query = address.query_pairs_mut();
    query
        .append_pair("client_id", provider.client_id())
        .append_pair("redirect_uri", &provider.redirect_uri(state))
        .append_pair("response_type", "code")
        .append_pair("scope", &scopes)
        .append_pair("state", &id.to_string())
        .extend_pairs(provider.known.more)
        .extend_pairs(provider.custom.iter().flat_map(|custom| &custom.authorization_params));
    if let Some(verifier) = verifier {
        query
            .append_pair("code_challenge", &URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes())))
            .append_pair("code_challenge_method", "S256");
    }
    let is_set = |name: &str| {
        provider.custom.as_ref().is_some_and(|custom| custom.authorization_params.iter().any(|(set, _)| set == name))
    };
    let passed = |name: &str| !is_set(name) && !RESERVED_PARAMETERS.contains(&name.to_ascii_lowercase().as_str());
    query.extend_pairs(incoming.query_pairs().iter().filter(|(name, _)| passed(name)));
    drop(query);
    Ok(address.into())
}

fn new_verifier() -> String {
    URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>())
}
