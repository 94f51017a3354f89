//! /admin/users/{id}/passkeys: lists and deletes a user's passkeys.

use axum::Json;
use axum::extract::{Path, State};
use http::StatusCode;
use serde_json::json;
use uuid::Uuid;

use crate::error::{AuthError, Context, Result};
use crate::http::authn::Admin;
use crate::model::audit::{self, Action};
use crate::model::passkey::{self, Passkey};
use crate::state::AuthState;

pub(crate) async fn list(
    State(state): State<AuthState>,
    _: Admin,
    Path(user): Path<String>,
) -> Result<Json<Vec<Passkey>>> {
    let user = super::find(&state, &user).await?;
    let mut connection = state.connection().await?;
    passkey::of_user(&mut connection, user.id).await.context("Database error finding passkeys").map(Json)
}

pub(crate) async fn delete(
    State(state): State<AuthState>,
    admin: Admin,
    Path((user, id)): Path<(String, String)>,
) -> Result<StatusCode> {
    let user = super::find(&state, &user).await?;
    let missing = || AuthError::not_found("validation_failed", "Passkey not found");
    let id: Uuid = id.parse().map_err(|_| missing())?;
    let mut tx = state.begin().await?;
    if !passkey::delete(&mut tx, id, user.id).await? {
        return Err(missing());
    }
    let traits = json!({ "user_id": user.id, "passkey_id": id });
    audit::by_admin(&mut tx, &admin.role, Action::PASSKEY_DELETED, traits).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
