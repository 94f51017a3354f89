//! `grant_type=pkce`: exchanges the authorization code of a redirect for a session. The request must contain the PKCE code verifier, which
//! only the browser that started the flow has.

use serde::Deserialize;
use serde_json::json;

use crate::error::{AuthError, Context, Result};
use crate::flow::issue_session::{self, TokenResponse};
use crate::http::request::Incoming;
use crate::model::audit::{self, Action};
use crate::model::flow_state::{self, FlowState};
use crate::model::user;
use crate::pkce;
use crate::state::AuthState;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Params {
    auth_code: String,
    code_verifier: String,
}

pub(crate) async fn grant(state: &AuthState, incoming: &Incoming) -> Result<TokenResponse> {
    let params: Params = incoming.json()?;
    if params.auth_code.is_empty() || params.code_verifier.is_empty() {
        return Err(AuthError::validation("invalid request: both auth code and code verifier should be non-empty"));
    }
    let missing = || AuthError::not_found("flow_state_not_found", "invalid flow state, no valid flow state found");
    let mut tx = state.begin().await?;
    // Loads the flow and locks its row, so that only one of two concurrent requests with the same code succeeds.
    let flow = flow_state::by_code(&mut tx, &params.auth_code).await?.ok_or_else(missing)?;
    let user_id = flow.user_id.ok_or_else(missing)?;
    if is_expired(&flow) {
        return Err(AuthError::unprocessable("flow_state_expired", "invalid flow state, flow state has expired"));
    }
    let user = user::by_id(&mut tx, user_id).await.context("Database error loading user")?.ok_or_else(missing)?;
    let (challenge, method) = (flow.challenge.as_deref(), flow.challenge_method.as_deref());
    pkce::verify(challenge.unwrap_or_default(), method.unwrap_or_default(), &params.code_verifier)?;
    if user.is_banned() {
        return Err(AuthError::bad_request("user_banned", "User is banned"));
    }
    let traits = json!({ "provider_type": flow.provider_type });
    audit::by_user(&mut tx, &user, Action::LOGIN, "", Some(traits)).await?;
    let method = &flow.authentication_method;
    let mut granted = issue_session::open_session(state, &mut tx, user.id, method, &incoming.client).await?;
    flow_state::delete(&mut tx, flow.id).await?;
    tx.commit().await?;
    granted.provider_token = flow.provider_access_token.filter(|token| !token.is_empty());
    granted.provider_refresh_token = flow.provider_refresh_token.filter(|token| !token.is_empty());
    Ok(granted)
}

fn is_expired(flow: &FlowState) -> bool {
    let begun = match flow.authentication_method.as_str() {
        "magiclink" => flow.auth_code_issued_at.unwrap_or(flow.created_at),
        _ => flow.created_at,
    };
    begun + pkce::FLOW_LIFETIME < chrono::Utc::now()
}
