//! `/api-keys`: creates, lists and revokes API keys. To replace a key without an interruption, an owner creates a new key, and revokes the
//! old key when no client uses it.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::on;
use cloch_sql::caller::KeyKind;
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use super::audit::Note;
use super::extract::{At, Input};
use super::route::{Access, Method, Route};
use super::{ApiError, DashboardState};
use crate::project::api_keys::ListedKey;

pub(super) const ROUTES: &[Route] = &[
    Route::new(
        Method::Get,
        "/api-keys",
        "api_keys.list",
        "The API keys, without the keys themselves",
        Access::DEVELOPER,
        |method| on(method, list),
    ),
    Route::new(Method::Post, "/api-keys", "api_keys.create", "Create an API key", Access::OWNER, |method| {
        on(method, create)
    }),
    Route::new(Method::Delete, "/api-keys/{id}", "api_keys.revoke", "Revoke an API key", Access::OWNER, |method| {
        on(method, revoke)
    }),
];

async fn list(State(state): State<DashboardState>) -> Result<Json<Value>, ApiError> {
    let keys = state.project.list_api_keys().await?;
    let keys = keys.into_iter().map(|ListedKey { id, kind, name, created_at, is_revoked }| {
        json!({ "id": id, "kind": kind, "name": name, "created_at": created_at, "is_revoked": is_revoked })
    });
    Ok(Json(json!({ "keys": keys.collect::<Vec<_>>() })))
}

#[derive(Deserialize)]
struct NewKey {
    kind: String,
    #[serde(default)]
    name: String,
}

async fn create(State(state): State<DashboardState>, Input(asked): Input<NewKey>) -> Result<Response, ApiError> {
    let kind = KeyKind::named(&asked.kind).ok_or_else(|| ApiError::bad_request("kind is publishable or secret"))?;
    let name = asked.name.trim();
    let created = state.project.create_api_key(kind, name).await?;
    let mut response = Json(json!({ "id": created.id, "key": created.key.expose() })).into_response();
    let note = json!({ "id": created.id, "kind": kind.as_str(), "name": name });
    response.extensions_mut().insert(Note(note));
    Ok(response)
}

async fn revoke(State(state): State<DashboardState>, At(id): At<String>) -> Result<StatusCode, ApiError> {
    state.project.revoke_api_key(&id).await?;
    Ok(StatusCode::NO_CONTENT)
}
