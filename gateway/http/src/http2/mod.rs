//! HTTP/2 connections, which clients choose by ALPN during the TLS handshake. Requests are converted to the form of HTTP/1.1 ([`request`]),
//! so that the rest of the program does not depend on the version. A client that could hold many requests open on one connection has the same
//! limits as with HTTP/1.1: each further concurrent request counts as a connection, and [`stream_task`] resets a request whose response the
//! client reads too slowly. WebSockets use HTTP/1.1, because the server does not offer RFC 8441; browsers then open another connection.

mod open_requests;
mod request;
mod request_body;
mod response_body;
mod stream_task;

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use cloch_core::min_rate::MinRate;
use http::{Method, StatusCode, header};
use hyper::body::{Body as _, Incoming};
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;
use tokio_util::sync::CancellationToken;

use crate::connection::limiter::ConnectionLimiter;
use crate::connection::network_count::CountPermit;
use crate::connection::{ClientStream, MAX_HEAD_BYTES, Transport};
use crate::tls::HTTP2_PROTOCOL;

use open_requests::OpenRequests;
use response_body::ResponseBody;
use stream_task::StreamTasks;

/// Maximum number of concurrent requests on a connection. RFC 9113, section 6.5.2, recommends at least 100.
const MAX_CONCURRENT_REQUESTS: u32 = 100;

/// Number of bytes of request bodies that a client may send before a handler reads them, per request and per connection. A client can make
/// the server buffer this number of bytes. A larger number would make uploads over a long distance faster, because a client can send at
/// most this number of bytes per round trip.
const RECEIVE_WINDOW_BYTES: u32 = 256 * 1024;

/// Maximum number of bytes of a response that are buffered until the client reads them, per request.
const SEND_BUFFER_BYTES: usize = 32 * 1024;

/// Time without an open request after which the server announces the end of a connection.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);

/// Settings and limits that all HTTP/2 connections of a server share.
#[derive(Debug)]
pub(crate) struct Settings {
    /// Minimum rate at which a client must read a response.
    pub min_rate: MinRate,
    /// Limits of the number of connections. Each further concurrent request of a connection counts as a connection.
    pub limiter: Arc<ConnectionLimiter>,
    /// Cancelled when the server stops.
    pub shutdown: CancellationToken,
}

/// Whether the client has chosen HTTP/2 during the TLS handshake.
pub(crate) fn is_negotiated(stream: &TlsStream<TcpStream>) -> bool {
    stream.get_ref().1.alpn_protocol() == Some(HTTP2_PROTOCOL)
}

/// Serves the requests of a connection with `answer`. The connection ends when the client closes it, or when it was idle for
/// [`IDLE_TIMEOUT`]. When the server stops, the connection ends after the running requests.
///
/// # Errors
/// When the client disconnects during a request, or violates the protocol.
pub(crate) async fn serve<A, R>(
    stream: impl Transport + Send + 'static,
    peer: SocketAddr,
    settings: &Settings,
    answer: A,
) -> Result<(), hyper::Error>
where
    A: Fn(Request) -> R + Clone + Send + 'static,
    R: Future<Output = Response> + Send + 'static,
{
    let stream = TokioIo::new(ClientStream::http2(stream, settings.min_rate));
    let (requests, limiter) = (OpenRequests::default(), Arc::clone(&settings.limiter));
    let opened = requests.clone();
    let service = service_fn(move |request: Request<Incoming>| {
        // The connection itself counts as one connection, so its first request needs no permit.
        let permit = admit(&limiter, peer.ip(), opened.count() > 0);
        let (open, answer, is_head) = (opened.open(), answer.clone(), request.method() == Method::HEAD);
        async move {
            let (response, permit) = match permit {
                Ok(permit) => (answer(request::to_http1_form(request, peer)).await, permit),
                Err(TooManyRequests) => (TooManyRequests.into_response(), None),
            };
            Ok::<_, Infallible>(with_http1_framing(response, is_head).map(|body| ResponseBody::new(body, open, permit)))
        }
    });
    let mut connection = pin!(builder(settings.min_rate).serve_connection(stream, service));
    // Each connection has its own child of the cancellation token, because polling the shared token would lock its list of waiters.
    let shutdown = settings.shutdown.child_token();
    tokio::select! {
        ended = connection.as_mut() => return ended,
        () = shutdown.cancelled() => {}
        () = requests.idle_for(IDLE_TIMEOUT) => {}
    }
    connection.as_mut().graceful_shutdown();
    // A client that has read all responses closes the connection at once. If a client does not, the connection ends after one window of the
    // minimum rate without an open request, and buffered bytes that the client has not read are discarded.
    tokio::select! {
        ended = connection => ended,
        () = requests.idle_for(settings.min_rate.window) => Ok(()),
    }
}

fn builder(min_rate: MinRate) -> http2::Builder<StreamTasks> {
    let mut builder = http2::Builder::new(StreamTasks { min_rate });
    builder
        .timer(TokioTimer::new())
        .max_concurrent_streams(MAX_CONCURRENT_REQUESTS)
        .max_header_list_size(u32::try_from(MAX_HEAD_BYTES).unwrap_or(u32::MAX))
        .initial_stream_window_size(RECEIVE_WINDOW_BYTES)
        .initial_connection_window_size(RECEIVE_WINDOW_BYTES)
        .max_send_buf_size(SEND_BUFFER_BYTES);
    builder
}

fn admit(
    limiter: &ConnectionLimiter,
    client: IpAddr,
    needs_permit: bool,
) -> Result<Option<CountPermit>, TooManyRequests> {
    if !needs_permit {
        return Ok(None);
    }
    limiter.admit_request(client).map(Some).ok_or(TooManyRequests)
}

/// Gives a response the same content and `Content-Length` as over HTTP/1.1, where hyper sets them: no content for HEAD, 204 and 304, and a
/// length if the size of the body is known.
fn with_http1_framing(mut response: Response, is_head: bool) -> Response {
    let has_no_content = matches!(response.status(), StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED);
    match response.body().size_hint().exact() {
        _ if has_no_content => drop(response.headers_mut().remove(header::CONTENT_LENGTH)),
        // The body of a response to HEAD was already removed, so its length is unknown.
        Some(0) if is_head => {}
        Some(length) => drop(response.headers_mut().entry(header::CONTENT_LENGTH).or_insert(length.into())),
        None => {}
    }
    if has_no_content || is_head {
        *response.body_mut() = Body::empty();
    }
    response
}

/// Error: a request is refused, because the client's network has too many connections and requests.
struct TooManyRequests;

impl IntoResponse for TooManyRequests {
    fn into_response(self) -> Response {
        let headers = [(header::RETRY_AFTER, "5"), (header::CONTENT_TYPE, "application/json")];
        (StatusCode::SERVICE_UNAVAILABLE, headers, r#"{"message":"Too many connections"}"#).into_response()
    }
}

#[cfg(test)]
mod tests;
