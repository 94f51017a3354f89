//! DELETE /admin/users/{id}: deletes a user.

use axum::Json;
use axum::extract::{Path, State};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::error::{Context, Result};
use crate::http::authn::Admin;
use crate::http::request::Incoming;
use crate::model::audit::{self, Action};
use crate::model::{session, soft_delete, user_contact, user_update};
use crate::state::AuthState;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Params {
    should_soft_delete: bool,
}

pub(crate) async fn delete(
    State(state): State<AuthState>,
    admin: Admin,
    Path(id): Path<String>,
    incoming: Incoming,
) -> Result<Json<Value>> {
    let user = super::find(&state, &id).await?;
    let params = if incoming.has_body() { incoming.json()? } else { Params::default() };
    let mut tx = state.begin().await?;
    let traits = json!({ "user_id": user.id, "user_email": user.email, "user_phone": user.phone });
    audit::by_admin(&mut tx, &admin.role, Action::DELETED, traits).await.context("Error recording audit log entry")?;
    user_contact::drop_issued_codes(&mut tx, user.id).await.context("Error deleting user's flows")?;
    if !params.should_soft_delete {
        user_update::delete(&mut tx, user.id).await.context("Database error deleting user")?;
    } else if user.deleted_at.is_none() {
        soft_delete::user(&mut tx, &user).await.context("Error soft deleting user")?;
        session::delete_all(&mut tx, user.id).await.context("Error deleting user's sessions")?;
    }
    tx.commit().await?;
    Ok(Json(json!({})))
}
