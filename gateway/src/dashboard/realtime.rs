//! `/realtime/token`: a token with which the dashboard's Realtime inspector joins channels as a chosen role or user.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::on;
use chrono::{TimeDelta, Utc};
use cloch_sql::caller::token::REALTIME_ONLY;
use serde::Deserialize;
use serde_json::json;

use super::audit::Note;
use super::database::As;
use super::extract::Input;
use super::route::{Access, Method, Route};
use super::{ApiError, DashboardState};

/// Maximum lifetime of the inspector's token in seconds.
const MAX_SECONDS: i64 = 3600;
const DEFAULT_SECONDS: i64 = 600;

pub(super) const ROUTES: &[Route] = &[Route::new(
    Method::Post,
    "/realtime/token",
    "realtime.token",
    "A token for the realtime inspector",
    Access::DEVELOPER,
    |method| on(method, make_token),
)];

#[derive(Deserialize)]
struct ChannelsRequest {
    r#as: As,
    seconds: Option<i64>,
}

async fn make_token(
    State(state): State<DashboardState>,
    Input(asked): Input<ChannelsRequest>,
) -> Result<Response, ApiError> {
    let none = || ApiError::bad_request("Realtime has no role postgres: choose anon, a user or service_role");
    let caller = state.caller(&asked.r#as).await?.ok_or_else(none)?;
    let expires_at = Utc::now() + TimeDelta::seconds(asked.seconds.unwrap_or(DEFAULT_SECONDS).clamp(1, MAX_SECONDS));
    // This claim limits the token to Realtime: operators with the role developer may not get a key for the other APIs.
    let (_, token) = state.token_for(&caller, expires_at, [(REALTIME_ONLY, "yes".into())])?;
    let note = Note(json!({ "role": caller.role(), "sub": caller.claim("sub") }));
    let url = state.config.url("/realtime/v1").replacen("http", "ws", 1);
    let body = json!({ "token": token, "expires_at": expires_at, "url": url, "apikey": state.secrets.anon_key });
    Ok((axum::Extension(note), Json(body)).into_response())
}
