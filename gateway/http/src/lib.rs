//! The HTTP server of all APIs. [`server`] and [`connection`] serve connections, [`pipeline`] and [`middleware`] process every request, and
//! [`routing`] passes requests to the APIs.

pub mod certificate;
mod connection;
mod http2;
mod https_redirect;
mod limits;
pub mod metrics;
mod middleware;
mod per_core_runtime;
mod pipeline;
mod readiness_gate;
mod routing;
mod server;
mod tls;
mod trusted_proxies;
mod watchdog;

pub use connection::inbound_meter::InboundMeter;
pub use connection::network_count::{CountLimits, CountPermit, LimitReached, NetworkCount};
pub use https_redirect::HttpsRedirect;
pub use limits::{RequestLimits, with_limits, with_min_rate};
pub use middleware::access_log::OwnRequest;
pub use middleware::authenticate::Authenticator;
pub use middleware::authenticate::is_operator;
pub use middleware::file_host::FileHost;
pub use middleware::health::Health;
pub use middleware::outage::Forms as OutageForms;
pub use middleware::refusal_delay::RefusalDelay;
pub use middleware::refused_requests::{RefusedRequest, RefusedRequests};
pub use middleware::security_headers::SecurityHeaders;
pub use per_core_runtime::PerCoreRuntimes;
pub use pipeline::Pipeline;
pub use readiness_gate::ReadinessGate;
pub use routing::{ApiRouter, LiveRouter};
pub use server::{Listener, Protocol, ServeError, ServerOptions, bind, serve};
pub use tls::{Challenges, Tls, TlsError, TlsFiles, challenge_config};
pub use trusted_proxies::TrustedProxies;
