//! `grant_type=refresh_token`.

use serde::Deserialize;

use crate::auth::error::Result;
use crate::auth::flow::issue_session::TokenResponse;
use crate::auth::flow::refresh;
use crate::auth::http::request::Incoming;
use crate::auth::state::AuthState;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Params {
    refresh_token: String,
}

pub(crate) async fn grant(state: &AuthState, incoming: &Incoming) -> Result<TokenResponse> {
    let params: Params = incoming.json()?;
    refresh::refresh(state, &incoming.client, &params.refresh_token).await
}
