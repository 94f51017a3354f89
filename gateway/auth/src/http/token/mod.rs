//! POST /token: issues sessions, with one file for each grant type.

mod id_token;
mod password;
mod pkce;
mod refresh_token;
mod web3;

use axum::extract::State;
use axum::response::{IntoResponse, Response};

use super::captcha;
use super::request::Incoming;
use crate::error::{AuthError, Result};
use crate::flow::rate_limit::{self, Limit};
use crate::state::AuthState;

pub(crate) async fn token(State(state): State<AuthState>, incoming: Incoming) -> Result<Response> {
    let grant_type = match incoming.query("grant_type") {
        "" => incoming.form().into_iter().find(|(name, _)| name == "grant_type").map(|(_, value)| value),
        named => Some(named.to_owned()),
    };
    let grant_type = grant_type.unwrap_or_default();
    if matches!(grant_type.as_str(), "password" | "web3") {
        captcha::check(&state, &incoming).await?;
    }
    let limit = if grant_type == "web3" { Limit::Web3 } else { Limit::Token };
    if matches!(grant_type.as_str(), "password" | "refresh_token" | "pkce" | "id_token" | "web3") {
        rate_limit::check(&state, limit, &incoming.client).await?;
    }
    let response = match grant_type.as_str() {
        "password" => password::grant(&state, &incoming).await?,
        "refresh_token" => refresh_token::grant(&state, &incoming).await?,
        "pkce" => pkce::grant(&state, &incoming).await?,
        "id_token" => id_token::grant(&state, &incoming).await?,
        "web3" => web3::grant(&state, &incoming).await?,
        _ => {
            return Err(AuthError::bad_request("invalid_credentials", "unsupported_grant_type"));
        }
    };
    Ok(response.into_response())
}
