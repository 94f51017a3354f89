//! /admin/custom-providers: sign-in providers that administrators create at run time. auth-js: `admin.customProviders`.

mod params;

use axum::Json;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde_json::{Value, json};

use crate::error::{AuthError, Context, Result};
use crate::flow::external::custom::{self, PREFIX};
use crate::flow::external::provider_secret;
use crate::http::authn::Admin;
use crate::http::request::Incoming;
use crate::model::custom_provider::{self, CustomProvider, OAUTH2, OIDC};
use crate::oidc_cache;
use crate::state::AuthState;

use params::Params;

const MAX_PROVIDERS: i64 = 100;

/// GET: lists the custom providers of the type in the query parameter `type`, or of all types.
pub(crate) async fn list(State(state): State<AuthState>, _: Admin, incoming: Incoming) -> Result<Json<Value>> {
    let provider_type = incoming.query("type");
    if !["", OAUTH2, OIDC].contains(&provider_type) {
        return Err(AuthError::validation("type must be either 'oauth2' or 'oidc'"));
    }
    let providers = custom_provider::list(&mut *state.connection().await?, provider_type)
        .await
        .context("Error retrieving custom OAuth providers")?;
    Ok(Json(json!({ "providers": providers })))
}

/// POST: creates a custom provider. The discovery document of an OpenID Connect provider must be loadable.
pub(crate) async fn create(State(state): State<AuthState>, _: Admin, incoming: Incoming) -> Result<Response> {
    let params: Params = incoming.json()?;
    let mut provider = params.new_provider()?;
    let count =
        custom_provider::count(&mut *state.connection().await?).await.context("Error checking provider quota")?;
    if count >= MAX_PROVIDERS {
        let message = "Maximum number of custom OAuth/OIDC providers reached";
        return Err(AuthError::bad_request("over_custom_provider_quota", message));
    }
    check_addresses(&state, &params).await?;
    if custom::find(&state, &provider.identifier).await?.is_some() {
        return Err(taken());
    }
    if provider.is_oidc() {
        provider.cached_discovery = Some(discover(&state, &provider).await?);
    }
    provider.client_secret = provider_secret::seal(&state.setup.provider_key, provider.id, &params.client_secret)?;
    let mut tx = state.begin().await?;
    custom_provider::insert(&mut tx, &provider)
        .await
        .map_err(AuthError::from)
        .map_err(|error| if error.is_unique_violation() { taken() } else { error })?;
    tx.commit().await?;
    let provider = stored(&state, &provider.identifier).await?;
    Ok((StatusCode::CREATED, Json(provider)).into_response())
}

pub(crate) async fn get(
    State(state): State<AuthState>,
    _: Admin,
    Path(identifier): Path<String>,
) -> Result<Json<CustomProvider>> {
    check_identifier(&identifier)?;
    stored(&state, &identifier).await.map(Json)
}

/// PUT /{identifier}: updates a custom provider. Absent fields remain unchanged; type and identifier cannot be changed.
pub(crate) async fn update(
    State(state): State<AuthState>,
    _: Admin,
    Path(identifier): Path<String>,
    incoming: Incoming,
) -> Result<Json<CustomProvider>> {
    check_identifier(&identifier)?;
    let params: Params = incoming.json()?;
    let mut provider = stored(&state, &identifier).await?;
    params.change(&mut provider)?;
    check_addresses(&state, &params).await?;
    if provider.is_oidc() && params.names_issuer() {
        provider.cached_discovery = Some(discover(&state, &provider).await?);
    }
    if !params.client_secret.is_empty() {
        provider.client_secret = provider_secret::seal(&state.setup.provider_key, provider.id, &params.client_secret)?;
    }
    let mut tx = state.begin().await?;
    if !custom_provider::update(&mut tx, &provider).await.context("Error updating custom OAuth provider")? {
        return Err(missing());
    }
    tx.commit().await?;
    stored(&state, &identifier).await.map(Json)
}

/// DELETE /{identifier}: deletes a custom provider. The identities of users who signed in with the provider remain.
pub(crate) async fn delete(
    State(state): State<AuthState>,
    _: Admin,
    Path(identifier): Path<String>,
) -> Result<StatusCode> {
    check_identifier(&identifier)?;
    let mut tx = state.begin().await?;
    if !custom_provider::delete(&mut tx, &identifier).await.context("Error deleting custom OAuth provider")? {
        return Err(missing());
    }
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn stored(state: &AuthState, identifier: &str) -> Result<CustomProvider> {
    custom::find(state, identifier).await?.ok_or_else(missing)
}

fn check_identifier(identifier: &str) -> Result<()> {
    if identifier.starts_with(PREFIX) && !identifier.contains('\0') { Ok(()) } else { Err(unnamed(identifier)) }
}

fn unnamed(identifier: &str) -> AuthError {
    let start: String = identifier.chars().filter(|character| !character.is_control()).take(50).collect();
    AuthError::validation(format!("identifier must start with 'custom:' prefix, e.g. 'custom:{start}'"))
}

fn missing() -> AuthError {
    AuthError::not_found("custom_provider_not_found", "Custom OAuth provider not found")
}

fn taken() -> AuthError {
    AuthError::bad_request("conflict", "A custom OAuth provider with this identifier already exists")
}

/// Refuses a provider whose URLs violate the rules for outbound requests.
async fn check_addresses(state: &AuthState, params: &Params) -> Result<()> {
    for address in params.addresses() {
        state.custom_provider_http().check(address).await?;
    }
    Ok(())
}

/// Loads the discovery document of an OpenID Connect provider. Returns the document's fields that the admin API shows.
async fn discover(state: &AuthState, provider: &CustomProvider) -> Result<Value> {
    let address = provider.discovery_address().unwrap_or_default();
    let issuer = provider.issuer.as_deref().unwrap_or_default();
    match oidc_cache::load(&state.custom_provider_http(), &address, issuer).await {
        Ok(document) => Ok(json!(document)),
        Err(error) => {
            let why = std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string);
            let why = if why.contains(&address) { "it cannot be loaded".to_owned() } else { why };
            Err(AuthError::validation(format!("OIDC discovery from {address:?} failed: {why}")))
        }
    }
}
