//! Request pipeline: runs the middleware of every request in a fixed order, then the handler of the API.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use axum::extract::Request;
use axum::response::Response;
use cloch_core::request_ids::{RequestIds, in_scope, in_scope_sync};
use cloch_core::spans::Span;
use cloch_core::trace_context::TraceContext;
use cloch_sql::replica::Replica;
use futures_util::FutureExt;

use super::TrustedProxies;
use super::middleware::access_log::AccessLogEntry;
use super::middleware::authenticate::{self, Authenticator};
use super::middleware::client_ip;
use super::middleware::cors::Cors;
use super::middleware::file_host::FileHost;
use super::middleware::health::Health;
use super::middleware::outage::{self, Forms};
use super::middleware::refusal_delay::RefusalDelay;
use super::middleware::refused_requests::RefusedRequests;
use super::middleware::security_headers::SecurityHeaders;
use super::middleware::{cli_key, host, merged_slashes, panic, request_id, retry_after};
use super::routing::ApiRouter;

/// Settings and shared state that are needed to handle a request.
#[derive(Debug)]
pub struct Pipeline {
    /// Proxies whose forwarding headers are trusted.
    pub trusted_proxies: TrustedProxies,
    /// Determines the caller of each request from its API key and bearer token.
    pub authenticator: Authenticator,
    /// Delays the responses to networks (an IPv4 address or an IPv6 /64) with too many refused requests.
    pub refusal_delay: RefusalDelay,
    /// Separate host name for files, if `[storage] public_host` is set.
    pub file_host: FileHost,
    /// Settings of the security headers.
    pub security_headers: SecurityHeaders,
    /// Readiness of the program, reported by /health.
    pub health: Health,
    /// Recent refused or empty responses, shown in the dashboard. `None` if the dashboard is disabled.
    pub refused_requests: Option<Arc<RefusedRequests>>,
    /// Standby database that executes reads, with a record of recent writes. `None` if no standby is configured.
    pub replica: Option<Replica>,
    /// Format of each API's response during a database outage.
    pub outage_forms: Forms,
    /// Router to the handlers of the APIs and of the web app.
    pub apis: ApiRouter,
}

impl Pipeline {
    /// Handles a request. Order of the middleware, with the reason for each position:
    ///
    /// 1. request id: first, because all later steps and the response use the id;
    /// 2. repeated slashes: all later steps use the path;
    /// 3. client address: logs, limits and authentication depend on this address; forwarding headers are accepted only from a trusted proxy;
    /// 4. authentication: once per request, before the log entry that contains the caller's role;
    /// 5. access log: records the final status, also after panics and timeouts;
    /// 6. panics: converted to 500 responses before the access log, so that the log contains their status;
    /// 7. delay of refusals: after the access log, so that the logged duration does not include the delay.
    ///
    /// The middleware is one function instead of nested tower layers, because each layer would clone all inner layers for every request.
    pub async fn handle(&self, mut request: Request) -> Response {
        let id = request_id::ensure(&mut request);
        merged_slashes::merge(&mut request);
        client_ip::resolve(&self.trusted_proxies, &mut request);
        self.authenticator.prepare(request.headers()).await;
        authenticate::authenticate(&self.authenticator, &mut request);
        self.authenticator.admit(&mut request).await;
        let delayed_client = self.refusal_delay.client(&request);
        let client_trace = TraceContext::of(request.headers());
        let span = Span::of_request(client_trace);
        let ids = RequestIds { id: id.clone(), trace: span.context().or(client_trace) };
        let log_entry = AccessLogEntry::begin(&request, ids.clone(), span);
        let watched = self.refused_requests.as_ref().and_then(|refused| refused.watch(&request));
        let replica = self.replica.as_ref();
        let write =
            replica.and_then(|replica| replica.write_of(request.method(), request.uri().path(), request.extensions()));
        let handling = AssertUnwindSafe(self.with_response_headers(request)).catch_unwind();
        let outcome = in_scope(ids.clone(), handling).await;
        let mut response = outcome.unwrap_or_else(|payload| in_scope_sync(&ids, || panic::response(payload)));
        // Records a possible write of the caller before the client receives the response. A standby that has not yet replayed the write
        // then does not execute the caller's next read.
        drop(write);
        log_entry.write(&response);
        if let Some(refused) = &self.refused_requests {
            refused.keep(watched, &id, &mut response);
        }
        self.refusal_delay.wait(delayed_client, response.status()).await;
        request_id::add_to(&mut response, id);
        response
    }

    /// Handles a request, and adds CORS and security headers to its response. Refusals get these headers too, because a web page must be able
    /// to read their error message.
    async fn with_response_headers(&self, request: Request) -> Response {
        let cors = Cors::of(&request);
        let security_headers = self.security_headers.of(&request);
        let mut response = match self.respond_early(cors, &request) {
            Some(response) => response,
            None => self.within_outage(request).await,
        };
        retry_after::add_to(&mut response, self.health.is_database_lost());
        cors.add_to(&mut response);
        security_headers.add_to(&mut response);
        response
    }

    /// Returns the response of the API. Returns 503 instead if the request waits too long for a database that is unreachable.
    async fn within_outage(&self, request: Request) -> Response {
        match self.health.availability() {
            Some(availability) => {
                outage::answer(availability, &self.outage_forms, request, |request| self.apis.handle(request)).await
            }
            None => self.apis.handle(request).await,
        }
    }

    /// Returns the response to a request that no API handles: a request with an invalid host, a preflight request, a request for /health, a
    /// request with a well-known key of the Supabase CLI, or a request at the wrong host for files. `None` for all other requests. The host
    /// is checked first.
    fn respond_early(&self, cors: Cors, request: &Request) -> Option<Response> {
        host::refuse_invalid(request)
            .or_else(|| cors.preflight_response(request))
            .or_else(|| self.health.response(request))
            .or_else(|| cli_key::refuse(self.authenticator.keys(), request))
            .or_else(|| self.file_host.response(request))
    }
}
