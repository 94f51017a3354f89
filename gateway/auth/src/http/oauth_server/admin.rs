//! /admin/oauth/clients: endpoints with which administrators manage OAuth clients. auth-js: `admin.oauth`.

use axum::Json;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde_json::json;
use sqlx::PgConnection;

use super::register::{self, Registered};
use crate::error::{AuthError, Context, Result};
use crate::flow::oauth_server::client_metadata::{self, ClientMetadata, Refusal};
use crate::flow::oauth_server::codes;
use crate::http::admin::pagination::Page;
use crate::http::authn::Admin;
use crate::http::request::Incoming;
use crate::model::oauth_client::{self, Client, Values};
use crate::state::AuthState;

/// GET: returns a page of OAuth clients, newest first.
pub(crate) async fn list(State(state): State<AuthState>, _: Admin, incoming: Incoming) -> Result<Response> {
    let page = Page::of(&incoming)?;
    let mut connection = state.connection().await?;
    let (clients, total) = oauth_client::page(&mut connection, page.limit(), page.offset())
        .await
        .context("Error listing OAuth clients")?;
    let clients: Vec<Registered> = clients.into_iter().map(|client| Registered::new(client, None)).collect();
    let headers = page.headers("/admin/oauth/clients", &incoming, total);
    Ok((headers, Json(json!({ "clients": clients }))).into_response())
}

pub(crate) async fn create(State(state): State<AuthState>, _: Admin, incoming: Incoming) -> Result<Response> {
    let metadata: ClientMetadata = incoming.json()?;
    register::check(&metadata).map_err(refused)?;
    register::insert(&state, &metadata, false).await.map(Registered::created)
}

pub(crate) async fn get(State(state): State<AuthState>, _: Admin, Path(id): Path<String>) -> Result<Json<Registered>> {
    let client = find(&mut *state.connection().await?, &id).await?;
    Ok(Json(Registered::new(client, None)))
}

/// PUT /{id}: updates an OAuth client. Absent fields remain unchanged.
pub(crate) async fn update(
    State(state): State<AuthState>,
    _: Admin,
    Path(id): Path<String>,
    incoming: Incoming,
) -> Result<Json<Registered>> {
    let metadata: ClientMetadata = incoming.json()?;
    let mut tx = state.begin().await?;
    let client = find(&mut tx, &id).await?;
    if metadata.is_empty() {
        return Err(AuthError::validation("No fields provided for update"));
    }
    metadata.check().map_err(refused)?;
    let method = metadata.token_endpoint_auth_method.as_deref();
    if method.is_some_and(|method| !client_metadata::is_method_of(client.is_public(), method)) {
        return Err(AuthError::validation(format!(
            "token_endpoint_auth_method is not valid for client_type '{}'",
            client.client_type
        )));
    }
    let values = Values {
        id: client.id,
        secret_hash: &client.secret_hash,
        redirect_uris: &metadata.redirect_uris.unwrap_or_else(|| client.redirect_uris()),
        grant_types: &metadata.grant_types.unwrap_or_else(|| client.grant_types()),
        name: metadata.client_name.as_deref().unwrap_or(&client.name),
        uri: metadata.client_uri.as_deref().unwrap_or(&client.uri),
        logo_uri: metadata.logo_uri.as_deref().unwrap_or(&client.logo_uri),
        token_endpoint_auth_method: method.unwrap_or(&client.token_endpoint_auth_method),
    };
    oauth_client::update(&mut tx, &values).await.context("Error updating OAuth client")?;
    let client = find(&mut tx, &id).await?;
    tx.commit().await?;
    Ok(Json(Registered::new(client, None)))
}

/// DELETE /{id}: deletes an OAuth client, the sessions of the client and the users' grants to the client.
pub(crate) async fn delete(State(state): State<AuthState>, _: Admin, Path(id): Path<String>) -> Result<StatusCode> {
    let mut tx = state.begin().await?;
    let client = find(&mut tx, &id).await?;
    oauth_client::delete(&mut tx, client.id).await.context("Error deleting OAuth client")?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// POST /{id}/regenerate_secret: replaces the secret of an OAuth client. The old secret becomes invalid immediately.
pub(crate) async fn regenerate_secret(
    State(state): State<AuthState>,
    _: Admin,
    Path(id): Path<String>,
) -> Result<Json<Registered>> {
    let mut tx = state.begin().await?;
    let client = find(&mut tx, &id).await?;
    if client.is_public() {
        return Err(AuthError::validation("Cannot regenerate secret for public client"));
    }
    let secret = codes::random();
    let values = Values {
        id: client.id,
        secret_hash: &codes::hash_of_secret(&secret),
        redirect_uris: &client.redirect_uris(),
        grant_types: &client.grant_types(),
        name: &client.name,
        uri: &client.uri,
        logo_uri: &client.logo_uri,
        token_endpoint_auth_method: &client.token_endpoint_auth_method,
    };
    oauth_client::update(&mut tx, &values).await.context("Error regenerating OAuth client secret")?;
    let client = find(&mut tx, &id).await?;
    tx.commit().await?;
    Ok(Json(Registered::new(client, Some(secret))))
}

async fn find(connection: &mut PgConnection, id: &str) -> Result<Client> {
    let id = id.parse().map_err(|_| AuthError::validation("invalid client_id format"))?;
    oauth_client::by_id(connection, id)
        .await
        .context("Error loading OAuth client")?
        .ok_or_else(|| AuthError::not_found("oauth_client_not_found", "OAuth client not found"))
}

fn refused(refusal: Refusal) -> AuthError {
    AuthError::validation(refusal.message())
}
