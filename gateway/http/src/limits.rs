//! Limits of requests to one API: timeout, body size, and minimum transfer rate of the request body.

use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::middleware::map_request;
use cloch_core::min_rate::{MinRate, enforce_min_rate};
use http::StatusCode;
use tower_http::limit::RequestBodyLimitLayer;
use tower_http::timeout::TimeoutLayer;

/// Request limits of an API that does not transfer files.
#[derive(Clone, Copy, Debug)]
pub struct RequestLimits {
    /// Maximum duration of a request. A request that takes longer gets status 504.
    pub timeout: Duration,
    /// Maximum size of a request body in bytes.
    pub body_bytes: usize,
    /// Minimum rate at which a request body must arrive.
    pub min_rate: MinRate,
}

/// Applies all limits of [`RequestLimits`] to the routes of an API.
pub fn with_limits<S: Clone + Send + Sync + 'static>(router: Router<S>, limits: RequestLimits) -> Router<S> {
    with_min_rate(router, limits.min_rate)
        .layer(DefaultBodyLimit::max(limits.body_bytes))
        .layer(RequestBodyLimitLayer::new(limits.body_bytes))
        .layer(TimeoutLayer::with_status_code(StatusCode::GATEWAY_TIMEOUT, limits.timeout))
}

/// Applies only the minimum transfer rate of request bodies to the routes of an API.
pub fn with_min_rate<S: Clone + Send + Sync + 'static>(router: Router<S>, rate: MinRate) -> Router<S> {
    router.layer(map_request(move |request: Request| {
        std::future::ready(request.map(|body| enforce_min_rate(body, rate)))
    }))
}
