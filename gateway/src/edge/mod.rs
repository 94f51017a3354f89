//! The edge: what every request passes before and after its API, and what is served beside the APIs.

mod address;
mod apis;
mod caller;
mod cors;
mod descriptors;
mod door;
mod farewell;
mod filtered;
mod forwarding;
mod gate;
mod greeting;
mod health;
mod host;
mod inbound;
mod lanes;
mod log;
mod network_count;
mod oversize;
mod panic;
mod refusal_delay;
mod request_id;
mod security_headers;
mod sendfile;
mod serve;
mod stall;
mod streams;
mod target;
mod watchdog;

pub use apis::Apis;
pub use caller::CallerResolver;
pub use gate::StartGate;
pub use health::Health;
pub use inbound::InboundMeter;
pub use lanes::Lanes;
pub use network_count::{CountLimits, CountedPlace, LimitReached, NetworkCount};
pub use refusal_delay::RefusalDelay;
pub use security_headers::SecurityHeaders;
pub use serve::{Admission, Patience, ServeError, bind, serve};

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::middleware::map_request;
use axum::response::Response;
use cloch_sql::pace::{Pace, paced};
use futures_util::FutureExt;
use http::StatusCode;
use tower_http::timeout::TimeoutLayer;

pub use address::TrustedProxies;

use crate::logging::request::{within, within_now};

/// The time an API that moves no files may take, and the body it may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Until a request is given up.
    pub timeout: Duration,
    /// Largest body in bytes.
    pub body: usize,
    /// How fast a body must come at least.
    pub pace: Pace,
}

/// Limits for an API that moves no files: the largest body, how fast it must come, and the longest time.
pub fn limited<S: Clone + Send + Sync + 'static>(router: Router<S>, limits: Limits) -> Router<S> {
    watched(router, limits.pace)
        .layer(axum::extract::DefaultBodyLimit::max(limits.body))
        .layer(tower_http::limit::RequestBodyLimitLayer::new(limits.body))
        .layer(TimeoutLayer::with_status_code(StatusCode::GATEWAY_TIMEOUT, limits.timeout))
}

/// Ends bodies that come more slowly than this.
pub fn watched<S: Clone + Send + Sync + 'static>(router: Router<S>, pace: Pace) -> Router<S> {
    router.layer(map_request(move |request: Request| std::future::ready(request.map(|body| paced(body, pace)))))
}

/// What every request passes, and the APIs behind it.
#[derive(Debug)]
pub struct Edge {
    /// Whose forwarding headers are believed.
    pub proxies: TrustedProxies,
    /// Who is asking.
    pub callers: CallerResolver,
    /// Delays what is refused too often.
    pub refusals: RefusalDelay,
    /// What protects the readers of answers.
    pub security_headers: SecurityHeaders,
    /// Whether requests can be served.
    pub health: Health,
    /// What they ask for.
    pub apis: Apis,
}

impl Edge {
    /// The way of a request, and why in this order:
    ///
    /// 1. id: everything after it can name the request, and the answer names it;
    /// 2. client address: what logs, limits and the caller's check rely on, taken from a proxy only if it is trusted;
    /// 3. caller: resolved once, before the log line that names its role;
    /// 4. log: sees the final status, of panics and timeouts too;
    /// 5. panics become answers inside the log, so that they are logged as such;
    /// 6. the delay of refusals is after the log, whose time is that of the work.
    ///
    /// One function, for each layer of its own would cost every request a copy of all that lie below it.
    pub async fn answer(&self, mut request: Request) -> Response {
        let id = request_id::of(&mut request);
        address::resolve(&self.proxies, &mut request);
        caller::resolve(&self.callers, &mut request);
        let client = self.refusals.client(&request);
        let line = log::Line::of(&request, id.clone());
        let answering = AssertUnwindSafe(self.shared(request)).catch_unwind();
        let outcome = within(id.clone(), answering).await;
        let mut response = outcome.unwrap_or_else(|panic| within_now(&id, || panic::answer(panic)));
        line.write(&response);
        self.refusals.wait(client, response.status()).await;
        request_id::tell(&mut response, id);
        response
    }

    /// The answer, and who may read it:
    ///
    /// 1. CORS and the security headers outside of everything that can refuse: a browser may read the refusal;
    /// 2. oversize: what was cut off a request is asked of nobody;
    /// 3. host: whose site is meant has to be clear before anything is answered for it;
    /// 4. preflights, and health: its path is the edge's own.
    async fn shared(&self, request: Request) -> Response {
        let sharing = cors::Sharing::of(&request);
        let protection = self.security_headers.needed(&request);
        let mut response = match self.own_answer(sharing, &request) {
            Some(response) => response,
            None => self.apis.answer(request).await,
        };
        sharing.allow(&mut response);
        protection.add(&mut response);
        response
    }

    /// The answer to what no API is asked.
    fn own_answer(&self, sharing: cors::Sharing, request: &Request) -> Option<Response> {
        oversize::refusal(request)
            .or_else(|| host::refusal(request))
            .or_else(|| sharing.preflight(request))
            .or_else(|| self.health.answer(request))
    }
}
