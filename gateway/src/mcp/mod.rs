//! `/mcp`: tools for language models, by the Model Context Protocol over HTTP, with the tool names of Supabase's MCP server.
//!
//! The server is stateless: it keeps no sessions, so every node can process every request. Clients need the same access rights and access
//! token as for the Management API. Requests are read-only unless `[management] mcp_writes` is set; `?read_only=true` in the URL makes a
//! request read-only in any case.

mod service;
mod tables;
mod tools;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use cloch_core::log_fields::LogFields;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use crate::token_access::{MAX_BODY_BYTES, MCP_PATH, TokenAccess, query_value, with_headers};
use tools::Tools;

/// Origins of the web pages that may send requests: pages that this machine serves. Pages of other origins are refused, so that they cannot
/// use an access token that the browser stores.
const ALLOWED_ORIGINS: [&str; 3] = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];

type Service = StreamableHttpService<Tools, NeverSessionManager>;

/// MCP services for read-only and, if enabled, for read-write requests.
#[derive(Clone)]
struct Services {
    read_only: Service,
    /// MCP service for read-write requests; `None` if `mcp_writes` is off.
    read_write: Option<Service>,
}

/// Returns the router of `/mcp`, to be merged into the server's router. `writes`: whether tools may write (`mcp_writes`).
pub fn router(access: Arc<TokenAccess>, writes: bool) -> Router {
    let services = Services { read_only: service(&access, true), read_write: writes.then(|| service(&access, false)) };
    Router::new().route(MCP_PATH, any(answer)).with_state(services).layer(from_fn_with_state(access, admit))
}

/// Checks whether the client may use the API. Audit entries are not written here, but by the calls of tools.
async fn admit(State(access): State<Arc<TokenAccess>>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let response = match access.check(&parts).await {
        Ok(()) => {
            let mut response = next.run(Request::from_parts(parts, body)).await;
            LogFields::set(response.extensions_mut(), |fields| fields.caller = Some("access token"));
            response
        }
        Err(error) => error.into_response(),
    };
    with_headers(response)
}

fn service(access: &TokenAccess, read_only: bool) -> Service {
    // rmcp's own check of the `Host` header is disabled, because `admit` checks clients according to the setting `[management] access`.
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .with_allowed_origins(ALLOWED_ORIGINS)
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(MAX_BODY_BYTES);
    let project = Arc::clone(&access.project);
    let tools = move || Ok(Tools::new(Arc::clone(&project), read_only));
    StreamableHttpService::new(tools, Arc::new(NeverSessionManager::default()), config)
}

async fn answer(State(services): State<Services>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let asks_read_only = query_value(&parts, "read_only").is_some_and(|value| value != "false");
    let service = services.read_write.filter(|_| !asks_read_only).unwrap_or(services.read_only);
    service.handle(Request::from_parts(parts, body)).await.into_response()
}
