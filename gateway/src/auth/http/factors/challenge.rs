//! POST /factors/{id}/challenge.

use axum::Json;
use axum::extract::{Path, State};
use serde_json::{Value, json};

use super::CHALLENGE_LIFETIME;
use crate::auth::error::{Context, Result};
use crate::auth::flow::rate_limit::{self, Limit};
use crate::auth::http::authn::SignedIn;
use crate::auth::model::audit::{self, Action};
use crate::auth::model::factor;
use crate::auth::state::AuthState;

/// Creates a challenge, which can be answered once.
pub(crate) async fn challenge(
    State(state): State<AuthState>,
    signed_in: SignedIn,
    Path(id): Path<String>,
) -> Result<Json<Value>> {
    super::check_not_anonymous(&signed_in)?;
    let factor = super::find(signed_in.user.factors(), &id)?;
    rate_limit::check(&state, Limit::Factor, &signed_in.client).await?;
    super::check_verifiable(state.settings(), factor)?;
    let address = signed_in.client.address.0.to_string();
    let mut tx = state.begin().await?;
    let challenge =
        factor::challenge(&mut tx, factor.id, &address).await.context("Database error creating challenge")?;
    let traits = json!({ "factor_id": factor.id, "factor_status": factor.status });
    audit::by_user(&mut tx, &signed_in.user, Action::CHALLENGE_CREATED, &address, Some(traits)).await?;
    tx.commit().await?;
    let expires_at = (challenge.created_at + CHALLENGE_LIFETIME).timestamp();
    Ok(Json(json!({ "id": challenge.id, "type": factor.factor_type, "expires_at": expires_at })))
}
