//! /admin/users/{id}/factors: lists, renames and deletes a user's second factors.

use axum::Json;
use axum::extract::{Path, State};
use serde::Deserialize;
use serde_json::json;

use crate::error::{AuthError, Context, Result};
use crate::http::authn::Admin;
use crate::http::factors;
use crate::http::request::Incoming;
use crate::model::audit::{self, Action};
use crate::model::factor::{self, Factor};
use crate::model::session;
use crate::state::AuthState;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Params {
    friendly_name: String,
}

pub(crate) async fn list(
    State(state): State<AuthState>,
    _: Admin,
    Path(user): Path<String>,
) -> Result<Json<Vec<Factor>>> {
    let user = super::find(&state, &user).await?;
    Ok(Json(user.factors().to_vec()))
}

pub(crate) async fn update(
    State(state): State<AuthState>,
    admin: Admin,
    Path((user, id)): Path<(String, String)>,
    incoming: Incoming,
) -> Result<Json<Factor>> {
    let user = super::find(&state, &user).await?;
    let found = factors::find(user.factors(), &id)?;
    let params: Params = incoming.json()?;
    factors::check_name("friendly_name", &params.friendly_name)?;
    let mut tx = state.begin().await?;
    if !params.friendly_name.is_empty() {
        factor::rename(&mut tx, found.id, &params.friendly_name).await.map_err(AuthError::from).map_err(|error| {
            if error.is_unique_violation() { factors::name_conflict(&params.friendly_name) } else { error }
        })?;
    }
    let traits = json!({ "user_id": user.id, "factor_id": found.id, "factor_type": found.factor_type });
    audit::by_admin(&mut tx, &admin.role, Action::FACTOR_UPDATED, traits).await?;
    tx.commit().await?;
    let user = super::find(&state, &user.id.to_string()).await?;
    factors::find(user.factors(), &id).cloned().map(Json)
}

/// Deletes a second factor of a user. Sessions that were raised to aal2 by the factor return to aal1. As in GoTrue, the audit log names the
/// user, not the administrator, as the actor.
pub(crate) async fn delete(
    State(state): State<AuthState>,
    _: Admin,
    Path((user, id)): Path<(String, String)>,
    incoming: Incoming,
) -> Result<Json<Factor>> {
    let user = super::find(&state, &user).await?;
    let found = factors::find(user.factors(), &id)?;
    let mut tx = state.begin().await?;
    session::lower(&mut tx, found.id, factors::method(found))
        .await
        .map_err(|error| AuthError::internal("Database error downgrading sessions", error))?;
    factor::delete(&mut tx, found.id).await.context("Database error deleting factor")?;
    factors::recovery_codes::drop_without_factor(&mut tx, &user, found).await?;
    let traits = json!({ "user_id": user.id, "factor_id": found.id });
    let address = incoming.client.address.0.to_string();
    audit::by_user(&mut tx, &user, Action::FACTOR_DELETED, &address, Some(traits)).await?;
    tx.commit().await?;
    Ok(Json(found.clone()))
}
