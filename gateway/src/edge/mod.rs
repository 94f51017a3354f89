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

use std::time::Duration;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use http::StatusCode;
use tower::ServiceBuilder;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::request_id::{PropagateRequestIdLayer, SetRequestIdLayer};
use tower_http::timeout::TimeoutLayer;

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

/// Wraps the whole program. From the outside in, and why in this order:
///
/// 1. request id: everything after it can name the request;
/// 2. client address: what logs, limits and the caller's check rely on, taken from a proxy only if it is trusted;
/// 3. caller: resolved once, before the log line that names its role;
/// 4. log: sees the final status, of panics and timeouts too;
/// 5. panics become answers inside the log, so that they are logged as such;
/// 6. CORS outside of everything that can refuse, so that a browser may read the refusal; preflights end here;
/// 7. oversize: what was cut off a request is asked of nobody;
/// 8. health: while draining or before the start's end, nothing but /health is answered.
pub fn wrap(router: Router, proxies: TrustedProxies, resolver: CallerResolver, health: Health) -> Router {
    router.layer(
        ServiceBuilder::new()
            .layer(SetRequestIdLayer::new(REQUEST_ID, log::RequestIds))
            .layer(PropagateRequestIdLayer::new(REQUEST_ID))
            .layer(from_fn_with_state(proxies, address::resolve))
            .layer(from_fn_with_state(resolver, caller::resolve))
            .layer(from_fn(log::record))
            .layer(CatchPanicLayer::custom(panic::answer))
            .layer(from_fn(cors::allow))
            .layer(from_fn(oversize::refuse))
            .layer(from_fn_with_state(health, health::gate)),
    )
}
