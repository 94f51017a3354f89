//! WebSocket handshake: authenticates a request by its API key and upgrades its connection to a WebSocket.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use axum::Extension;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{Query, State};
use axum::response::Response;
use cloch_http::{CountPermit, InboundMeter};
use cloch_sql::Caller;
use cloch_sql::caller::ClientAddress;
use http::{HeaderMap, HeaderName, HeaderValue};
use serde::Deserialize;
use tokio_util::sync::CancellationToken;

use super::budget::{Account, Held, OverBudget};
use super::error::ConnectError;
use super::frame::Version;
use super::project_limits::Place;
use super::socket::{self, MAX_FRAME_BYTES};
use super::state::RealtimeState;

/// Size in bytes of the read buffer of each socket, allocated when the socket opens. Small, because most clients send little. Larger frames
/// extend the buffer.
const READ_BUFFER_BYTES: usize = 2 * 1024;
/// Estimated memory in bytes that a request header takes in addition to its name and value.
const HEADER_OVERHEAD_BYTES: usize = 100;

#[derive(Debug, Deserialize)]
pub(super) struct Parameters {
    apikey: Option<String>,
    vsn: Option<String>,
}

/// Resolves the caller of a WebSocket or long-polling connection from its API key. Returns the caller, and the cancellation token that
/// disconnects the socket when the program stops or the API key is revoked.
pub(super) async fn caller(
    state: &RealtimeState,
    key: Option<&str>,
    headers: &HeaderMap,
) -> Result<(Caller, CancellationToken), ConnectError> {
    let header = headers.get("x-api-key").and_then(|value| value.to_str().ok());
    let key = header.or(key).filter(|key| !key.is_empty()).ok_or(ConnectError::NoKey)?;
    Ok((state.caller_of_key(key).await?, state.key_sockets.end_of(key)))
}

/// Copies the request's headers, which policies may read while the socket is open. The original headers share memory with the connection's
/// read buffer, which would stay allocated as long as a header is kept. The memory of the copy counts towards the socket's memory limit.
pub(super) fn own(headers: &HeaderMap, account: &Arc<Account>) -> Result<(HeaderMap, Held), ConnectError> {
    let bytes: usize =
        headers.iter().map(|(name, value)| name.as_str().len() + value.len() + HEADER_OVERHEAD_BYTES).sum();
    let held = account.hold(bytes).map_err(|OverBudget| ConnectError::TooManySockets)?;
    let mut own = HeaderMap::with_capacity(headers.keys_len());
    for (name, value) in headers {
        let copies = (HeaderName::from_bytes(name.as_str().as_bytes()), HeaderValue::from_bytes(value.as_bytes()));
        if let (Ok(name), Ok(value)) = copies {
            own.append(name, value);
        }
    }
    Ok((own, held))
}

/// Returns the IP address of the client, or 0.0.0.0 if the address is unknown.
pub(super) fn address(client: Option<Extension<ClientAddress>>) -> IpAddr {
    client.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |Extension(client)| client.0)
}

/// Counts a socket towards the limits of the client's network (IPv4 address or IPv6 /64) and of the project, until the returned permits are
/// dropped.
pub(super) fn admit(state: &RealtimeState, client: IpAddr) -> Result<(CountPermit, Place), ConnectError> {
    let permit = state.sockets.acquire(client).map_err(|_| ConnectError::TooManySockets)?;
    Ok((permit, state.project.open_socket().ok_or(ConnectError::TooManySockets)?))
}

/// Handles GET /websocket. The API key in the header `x-api-key` takes precedence over the API key in the URL.
pub(super) async fn upgrade(
    State(state): State<Arc<RealtimeState>>,
    Query(parameters): Query<Parameters>,
    client: Option<Extension<ClientAddress>>,
    meter: Option<Extension<InboundMeter>>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>,
) -> Result<Response, ConnectError> {
    let (caller, end) = caller(&state, parameters.apikey.as_deref(), &headers).await?;
    let version = Version::from_parameter(parameters.vsn.as_deref()).ok_or(ConnectError::Version)?;
    let permits = admit(&state, address(client))?;
    Ok(match upgrade {
        Ok(upgrade) => {
            let account = state.hub.budget().open();
            let (headers, held) = own(&headers, &account)?;
            if let Some(Extension(meter)) = meter {
                let account = Arc::clone(&account);
                meter.count_with(move |bytes| account.receive(bytes));
            }
            let upgrade = upgrade.max_message_size(MAX_FRAME_BYTES).max_frame_size(MAX_FRAME_BYTES);
            upgrade.read_buffer_size(READ_BUFFER_BYTES).on_upgrade(async move |socket| {
                socket::run(state, version, (caller, account, end), headers, socket).await;
                drop((permits, held));
            })
        }
        Err(rejection) => axum::response::IntoResponse::into_response(rejection),
    })
}
