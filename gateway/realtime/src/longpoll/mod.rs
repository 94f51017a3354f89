//! /longpoll: sockets for clients that cannot use WebSocket, in Phoenix's long-polling protocol (phoenix.js's `LongPoll`, which supabase-js
//! accepts as `transport`). A client repeatedly requests queued messages (GET) and sends frames (POST). Between requests, the client's
//! [session](super::poll_sessions) stays on the node where the session began.
//!
//! As in Supabase's Realtime server, the field `status` in the response body contains the outcome: 410 with a token begins a session, 410
//! without a token means the session has ended.

mod answer;
mod polled;
mod posted;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::body::Body;
use axum::extract::{Query, State};
use axum::response::{IntoResponse, Response};
use cloch_sql::caller::ClientAddress;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, StatusCode};
use serde::Deserialize;

use super::connect;
use super::error::ConnectError;
use super::frame::Version;
use super::socket;
use super::state::RealtimeState;
use crate::poll_sessions::{Carried, Session};
use answer::{of_frames, of_status};
use polled::Polled;

/// Maximum time that a GET request waits for messages.
const WINDOW: Duration = Duration::from_secs(10);
/// Maximum time that a POST request waits until its frames are handled.
const PUBLISH_TIMEOUT: Duration = Duration::from_secs(15);
/// Content type of a POST request body with several frames, one frame per line.
const LINES: &str = "application/x-ndjson";

#[derive(Debug, Deserialize)]
pub(super) struct Parameters {
    apikey: Option<String>,
    vsn: Option<String>,
    token: Option<String>,
}

/// Handles GET /longpoll: returns queued messages, or begins a long-polling session if the request has no session token.
pub(super) async fn poll(
    State(state): State<Arc<RealtimeState>>,
    Query(parameters): Query<Parameters>,
    client: Option<Extension<ClientAddress>>,
    headers: HeaderMap,
) -> Response {
    if let Some(token) = parameters.token.as_deref().filter(|token| !token.is_empty()) {
        return match state.polls.find(token) {
            Some(session) => listen(&session).await,
            None => of_status(StatusCode::GONE, None),
        };
    }
    match begin(&state, &parameters, connect::address(client), &headers).await {
        Ok(token) => of_status(StatusCode::GONE, Some(&token)),
        Err(error) => refuse(&error),
    }
}

/// Converts an error to the status that phoenix.js expects: after 403, phoenix.js does not retry. After 500, it retries later.
fn refuse(error: &ConnectError) -> Response {
    let status = match error {
        ConnectError::TooManySockets => StatusCode::INTERNAL_SERVER_ERROR,
        ConnectError::NoKey | ConnectError::Version | ConnectError::Token(_) => StatusCode::FORBIDDEN,
    };
    of_status(status, None)
}

async fn begin(
    state: &Arc<RealtimeState>,
    parameters: &Parameters,
    client: IpAddr,
    headers: &HeaderMap,
) -> Result<String, ConnectError> {
    let (caller, end) = connect::caller(state, parameters.apikey.as_deref(), headers).await?;
    let version = Version::from_parameter(parameters.vsn.as_deref()).ok_or(ConnectError::Version)?.text_only();
    let permits = connect::admit(state, client)?;
    let account = state.hub.budget().open();
    let (headers, held) = connect::own(headers, &account)?;
    let (session, posted) = state.polls.begin(permits.0.network(), &account).ok_or(ConnectError::TooManySockets)?;
    let polled = Polled::new(state.polls.clone(), Arc::clone(&session), posted);
    let state = Arc::clone(state);
    tokio::spawn(async move {
        socket::run(state, version, (caller, account, end), headers, polled).await;
        drop((permits, held));
    });
    Ok(session.token().to_owned())
}

async fn listen(session: &Session) -> Response {
    match session.take(WINDOW).await {
        None => of_status(StatusCode::GONE, None),
        Some(frames) if frames.is_empty() => of_status(StatusCode::NO_CONTENT, Some(session.token())),
        Some(frames) => of_frames(session.token(), frames),
    }
}

/// Handles POST /longpoll: passes frames from the client to its socket. A client sends its next frames only after it has received the
/// response.
pub(super) async fn publish(
    State(state): State<Arc<RealtimeState>>,
    Query(parameters): Query<Parameters>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let Some(session) = parameters.token.as_deref().and_then(|token| state.polls.find(token)) else {
        return of_status(StatusCode::GONE, None);
    };
    let Ok(_only) = session.post() else { return of_status(StatusCode::TOO_MANY_REQUESTS, None) };
    let (body, _held) = match posted::read(body, session.account()).await {
        Ok(read) => read,
        Err(status) => return status.into_response(),
    };
    let is_lines = headers.get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(LINES.as_bytes()));
    let Some(frames) = posted::frames(&body, is_lines) else { return StatusCode::BAD_REQUEST.into_response() };
    let status = match tokio::time::timeout(PUBLISH_TIMEOUT, session.carry(frames)).await {
        Ok(Carried::Handled) => StatusCode::OK,
        Ok(Carried::Gone) => StatusCode::GONE,
        Err(_) => StatusCode::REQUEST_TIMEOUT,
    };
    of_status(status, None)
}
