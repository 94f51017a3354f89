//! `grant_type=refresh_token`: exchanges a refresh token for a new access token and refresh token.

use serde::Deserialize;

use crate::error::Result;
use crate::flow::issue_session::TokenResponse;
use crate::flow::refresh;
use crate::http::request::Incoming;
use crate::state::AuthState;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Params {
    refresh_token: String,
}

pub(crate) async fn grant(state: &AuthState, incoming: &Incoming) -> Result<TokenResponse> {
    let params: Params = incoming.json()?;
    refresh::refresh(state, &incoming.client, &params.refresh_token).await
}
