//! The WebSocket handshake: authenticates a request by its key and upgrades it.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use axum::Extension;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{Query, State};
use axum::response::Response;
use cloch_sql::caller::ClientAddress;
use http::HeaderMap;
use serde::Deserialize;

use super::error::ConnectError;
use super::frame::Version;
use super::socket::{self, MAX_FRAME_BYTES};
use super::state::RealtimeState;
use crate::http::InboundMeter;

/// Buffer that each socket reads into, allocated with the socket: most clients send little. A larger frame gets what it needs.
const READ_BUFFER_BYTES: usize = 2 * 1024;

#[derive(Debug, Deserialize)]
pub(super) struct Parameters {
    apikey: Option<String>,
    vsn: Option<String>,
}

/// GET /websocket. A key in the header `x-api-key` takes precedence over one in the URL.
pub(super) async fn upgrade(
    State(state): State<RealtimeState>,
    Query(parameters): Query<Parameters>,
    client: Option<Extension<ClientAddress>>,
    meter: Option<Extension<InboundMeter>>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>,
) -> Result<Response, ConnectError> {
    let header = headers.get("x-api-key").and_then(|value| value.to_str().ok());
    let key = header.or(parameters.apikey.as_deref()).filter(|key| !key.is_empty()).ok_or(ConnectError::NoKey)?;
    let caller = state.caller_of_key(key)?;
    let version = Version::from_parameter(parameters.vsn.as_deref()).ok_or(ConnectError::Version)?;
    let client = client.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |Extension(client)| client.0);
    let permit = state.sockets.acquire(client).map_err(|_| ConnectError::TooManySockets)?;
    Ok(match upgrade {
        Ok(upgrade) => {
            let account = state.hub.budget().open();
            if let Some(Extension(meter)) = meter {
                let account = Arc::clone(&account);
                meter.count_with(move |bytes| account.receive(bytes));
            }
            let upgrade = upgrade.max_message_size(MAX_FRAME_BYTES).max_frame_size(MAX_FRAME_BYTES);
            upgrade.read_buffer_size(READ_BUFFER_BYTES).on_upgrade(async move |socket| {
                socket::run(state, version, (caller, account), headers, socket).await;
                drop(permit);
            })
        }
        Err(rejection) => axum::response::IntoResponse::into_response(rejection),
    })
}
