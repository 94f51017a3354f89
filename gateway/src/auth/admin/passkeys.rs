//! /admin/users/{id}/passkeys: what a restored project may hold.

use axum::Json;
use axum::extract::{Path, State};
use http::StatusCode;
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use crate::auth::authn::Admin;
use crate::auth::error::{AuthError, Doing, Result};
use crate::auth::models::Time;
use crate::auth::models::audit::{self, Action};
use crate::auth::state::AuthState;

#[derive(Serialize)]
pub(crate) struct Passkey {
    id: Uuid,
    #[serde(skip_serializing_if = "String::is_empty")]
    friendly_name: String,
    created_at: Time,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_used_at: Option<Time>,
}

pub(crate) async fn list(
    State(state): State<AuthState>,
    _: Admin,
    Path(user): Path<String>,
) -> Result<Json<Vec<Passkey>>> {
    let user = super::find(&state, &user).await?;
    let mut connection = state.connection().await?;
    sqlx::query_as!(
        Passkey,
        "select id, friendly_name, created_at, last_used_at
         from auth.webauthn_credentials where user_id = $1 order by created_at",
        user.id,
    )
    .fetch_all(&mut *connection)
    .await
    .doing("Database error finding passkeys")
    .map(Json)
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
    let deleted = sqlx::query!("delete from auth.webauthn_credentials where id = $1 and user_id = $2", id, user.id)
        .execute(&mut *tx)
        .await?
        .rows_affected();
    if deleted == 0 {
        return Err(missing());
    }
    let traits = json!({ "user_id": user.id, "passkey_id": id });
    audit::by_admin(&mut tx, &admin.role, Action::PASSKEY_DELETED, traits).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
