//! The edge: what every request passes before and after its API, and what is served beside the APIs.

mod address;
mod caller;
mod cors;
mod gate;
mod greeting;
mod health;
mod log;
mod oversize;
mod panic;
mod serve;
mod stall;
mod streams;
mod target;

pub use caller::CallerResolver;
pub use gate::StartGate;
pub use health::Health;
pub use serve::{Patience, ServeError, bind, serve};
pub use stall::Pace;

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use futures_util::FutureExt;
use http::StatusCode;
use tower::ServiceBuilder;
use tower_http::request_id::{PropagateRequestIdLayer, SetRequestIdLayer};
use tower_http::timeout::TimeoutLayer;
use tracing::Instrument;

pub use address::TrustedProxies;

/// The name of the header with a request's id: taken from a client that sends one, made otherwise, always returned.
pub const REQUEST_ID: http::HeaderName = http::HeaderName::from_static("x-request-id");

/// The time an API that moves no files may take, and the body it may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Until a request is given up.
    pub timeout: Duration,
    /// Largest body in bytes.
    pub body: usize,
}

/// Limits for an API that moves no files: the largest body, and the longest time.
pub fn limited<S: Clone + Send + Sync + 'static>(router: Router<S>, limits: Limits) -> Router<S> {
    router
        .layer(axum::extract::DefaultBodyLimit::max(limits.body))
        .layer(tower_http::limit::RequestBodyLimitLayer::new(limits.body))
        .layer(TimeoutLayer::with_status_code(StatusCode::GATEWAY_TIMEOUT, limits.timeout))
}

/// What the edge knows of the project. Cheap enough to clone for each request.
#[derive(Clone, Debug)]
pub struct Edge {
    /// Whose forwarding headers are believed.
    pub proxies: TrustedProxies,
    /// Who is asking.
    pub callers: CallerResolver,
    /// Whether requests can be served.
    pub health: Health,
}

/// Wraps the whole program. First of all a request gets its id: everything after it can name the request.
pub fn wrap(router: Router, edge: Edge) -> Router {
    router.layer(
        ServiceBuilder::new()
            .layer(SetRequestIdLayer::new(REQUEST_ID, log::RequestIds))
            .layer(PropagateRequestIdLayer::new(REQUEST_ID))
            .layer(from_fn_with_state(edge, pass)),
    )
}

/// The way of a request, and why in this order:
///
/// 1. client address: what logs, limits and the caller's check rely on, taken from a proxy only if it is trusted;
/// 2. caller: resolved once, before the log line that names its role;
/// 3. log: sees the final status, of panics and timeouts too;
/// 4. panics become answers inside the log, so that they are logged as such.
///
/// One function, for each layer of its own would cost every request a copy of all that lie below it.
async fn pass(State(edge): State<Edge>, mut request: Request, next: Next) -> Response {
    address::resolve(&edge.proxies, &mut request);
    caller::resolve(&edge.callers, &mut request);
    let line = log::Line::of(&request);
    let answering = AssertUnwindSafe(answer(&edge.health, request, next)).catch_unwind();
    let outcome = answering.instrument(line.span()).await;
    let response = outcome.unwrap_or_else(|panic| line.span().in_scope(|| panic::answer(panic)));
    line.write(&response);
    response
}

/// The answer, and who may read it:
///
/// 1. CORS outside of everything that can refuse, so that a browser may read the refusal; preflights end here;
/// 2. oversize: what was cut off a request is asked of nobody;
/// 3. health: its path is the edge's own.
async fn answer(health: &Health, request: Request, next: Next) -> Response {
    let sharing = cors::Sharing::of(&request);
    if let Some(preflight) = sharing.preflight(&request) {
        return preflight;
    }
    let mut response = match oversize::refusal(&request).or_else(|| health.answer(&request)) {
        Some(response) => response,
        None => next.run(request).await,
    };
    sharing.allow(&mut response);
    response
}
