//! GET /passkeys, PATCH and DELETE /passkeys/{id}: lists, renames and deletes passkeys of the signed-in user. auth-js: `passkey.list`,
//! `update`, `delete`.

use axum::Json;
use axum::extract::{Path, State};
use http::StatusCode;
use serde::Deserialize;
use serde_json::json;

use crate::error::{AuthError, Context, Result};
use crate::flow::mail::send;
use crate::http::authn::SignedIn;
use crate::http::request::Incoming;
use crate::mail_templates::MailKind;
use crate::model::audit::{self, Action};
use crate::model::passkey::{self, Passkey};
use crate::state::AuthState;

const MAX_NAME_BYTES: usize = 120;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Params {
    friendly_name: String,
}

pub(crate) async fn list(State(state): State<AuthState>, signed_in: SignedIn) -> Result<Json<Vec<Passkey>>> {
    let mut connection = state.connection().await?;
    passkey::of_user(&mut connection, signed_in.user.id).await.context("Database error loading passkeys").map(Json)
}

pub(crate) async fn rename(
    State(state): State<AuthState>,
    signed_in: SignedIn,
    Path(id): Path<String>,
    incoming: Incoming,
) -> Result<Json<Passkey>> {
    let id = id.parse().map_err(|_| missing())?;
    let params: Params = incoming.json()?;
    if params.friendly_name.is_empty() {
        return Err(AuthError::validation("friendly_name is required"));
    }
    if params.friendly_name.len() > MAX_NAME_BYTES {
        return Err(AuthError::validation("friendly_name must be 120 characters or less"));
    }
    let user = &signed_in.user;
    let mut tx = state.begin().await?;
    let renamed = passkey::rename(&mut tx, id, user.id, &params.friendly_name).await?.ok_or_else(missing)?;
    let address = incoming.client.address.0.to_string();
    audit::by_user(&mut tx, user, Action::PASSKEY_UPDATED, &address, Some(json!({ "passkey_id": id }))).await?;
    tx.commit().await?;
    Ok(Json(renamed))
}

pub(crate) async fn delete(
    State(state): State<AuthState>,
    signed_in: SignedIn,
    Path(id): Path<String>,
) -> Result<StatusCode> {
    super::check_may_manage(&signed_in)?;
    let id = id.parse().map_err(|_| missing())?;
    let user = &signed_in.user;
    let mut tx = state.begin().await?;
    if !passkey::delete(&mut tx, id, user.id).await? {
        return Err(missing());
    }
    let address = signed_in.client.address.0.to_string();
    audit::by_user(&mut tx, user, Action::PASSKEY_DELETED, &address, Some(json!({ "passkey_id": id }))).await?;
    let more = [("Provider", "a passkey")];
    send::notification(&state, &mut tx, MailKind::IdentityUnlinked, user, &user.email, &more, &signed_in.client).await;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

fn missing() -> AuthError {
    AuthError::not_found("validation_failed", "Passkey not found")
}
