//! `/mcp`: the project's tools for language models, by the Model Context Protocol over HTTP, under the names that Supabase's server has.
//!
//! Every request is complete in itself: no sessions are kept, so any node answers any request. A caller needs the access token of the
//! Management API and is admitted as there. Sessions only read, unless `[management] mcp_writes` is set; `?read_only=true` in the URL
//! makes one read-only all the same.

mod service;
mod tables;
mod tools;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use super::access::{self, query_value};
use super::{MAX_BODY_BYTES, MCP_PATH, ManagementState};
use tools::Tools;

/// Pages of other origins may not use a token that a browser holds; tools with a page on this machine may.
const ALLOWED_ORIGINS: [&str; 3] = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];

type Service = StreamableHttpService<Tools, NeverSessionManager>;

/// Answers requests of both kinds of sessions.
#[derive(Clone)]
struct Services {
    read_only: Service,
    /// None where the project lets no session write.
    read_write: Option<Service>,
}

/// The route: merge it.
pub fn router(state: ManagementState) -> Router {
    let services =
        Services { read_only: service(&state, true), read_write: state.mcp_writes.then(|| service(&state, false)) };
    Router::new().route(MCP_PATH, any(answer)).with_state(services).layer(from_fn_with_state(state, access::admit_mcp))
}

fn service(state: &ManagementState, read_only: bool) -> Service {
    // The Host header is checked where requests are admitted, by the setting for that.
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .with_allowed_origins(ALLOWED_ORIGINS)
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(MAX_BODY_BYTES);
    let project = Arc::clone(state);
    let tools = move || Ok(Tools::new(Arc::clone(&project), read_only));
    StreamableHttpService::new(tools, Arc::new(NeverSessionManager::default()), config)
}

async fn answer(State(services): State<Services>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let asks_read_only = query_value(&parts, "read_only").is_some_and(|value| value != "false");
    let service = services.read_write.filter(|_| !asks_read_only).unwrap_or(services.read_only);
    service.handle(Request::from_parts(parts, body)).await.into_response()
}
