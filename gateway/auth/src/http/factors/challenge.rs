//! POST /factors/{id}/challenge: creates a challenge for a second factor.

use axum::Json;
use axum::extract::{Path, State};
use serde_json::{Value, json};

use super::{CHALLENGE_LIFETIME, phone, webauthn};
use crate::error::{Context, Result};
use crate::flow::rate_limit::{self, Limit};
use crate::http::authn::SignedIn;
use crate::http::request::Incoming;
use crate::model::Metadata;
use crate::model::audit::{self, Action};
use crate::model::factor::{self, Expected, PHONE, WEBAUTHN};
use crate::state::AuthState;
use crate::webauthn::encode;

/// Creates a challenge of a second factor. A challenge can be verified only once.
pub(crate) async fn challenge(
    State(state): State<AuthState>,
    signed_in: SignedIn,
    Path(id): Path<String>,
    incoming: Incoming,
) -> Result<Json<Value>> {
    super::check_not_anonymous(&signed_in)?;
    let factor = super::find(signed_in.user.factors(), &id)?;
    rate_limit::check(&state, Limit::Factor, &signed_in.client).await?;
    super::check_verifiable(state.settings(), factor)?;
    let address = signed_in.client.address.0.to_string();
    let mut tx = state.begin_sending().await?;
    let mut expected = Expected::default();
    match factor.factor_type.as_str() {
        PHONE => expected.code = Some(phone::send(&state, &mut tx, &signed_in.user, factor, &incoming).await?),
        WEBAUTHN => expected.webauthn = Some(encode(&rand::random::<[u8; 32]>())),
        _ => {}
    }
    let challenge = factor::challenge(&mut tx, factor.id, &address, &expected)
        .await
        .context("Database error creating challenge")?;
    let traits = json!({ "factor_id": factor.id, "factor_status": factor.status });
    audit::by_user(&mut tx, &signed_in.user, Action::CHALLENGE_CREATED, &address, Some(traits)).await?;
    let options = match &expected.webauthn {
        Some(text) => Some(webauthn::options(&state, &mut tx, &signed_in.user, factor, text).await?),
        None => None,
    };
    tx.commit().await?;
    let expires_at = (challenge.created_at + CHALLENGE_LIFETIME).timestamp();
    let mut answer = Metadata::new();
    answer.insert("id".into(), challenge.id.to_string().into());
    answer.insert("type".into(), factor.factor_type.as_str().into());
    answer.insert("expires_at".into(), expires_at.into());
    if let Some(options) = options {
        answer.insert("webauthn".into(), options);
    }
    Ok(Json(answer.into()))
}
