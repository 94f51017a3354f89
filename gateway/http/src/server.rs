//! HTTP server: accepts connections and serves HTTP/1.1 ([`http2`] serves the other version). When it stops, running requests are finished
//! first.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{ConnectInfo, Request};
use axum::response::Response;
use cloch_core::listen;
use cloch_core::min_rate::MinRate;
use cloch_core::supervise;
use futures_util::future::join_all;
use http::{HeaderValue, Method, header};
use hyper::body::{Body as _, Incoming};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::TrustedProxies;
use super::connection::limiter::{ConnectionLimiter, ThrottledLog};
use super::connection::lingering_close::{BodyUnread, TrackedBody};
use super::connection::network_count::CountLimits;
use super::connection::{ClientStream, MAX_HEAD_BYTES, SharedState, Transport};
use super::http2;
use super::https_redirect::HttpsRedirect;
use super::per_core_runtime::PerCoreRuntimes;
use super::readiness_gate::ReadinessGate;
use super::tls::Tls;

/// Time without a request after which an HTTP/1 connection is closed: the default of nginx, on which Supabase's gateway (Kong) is based. Load
/// balancers reuse a connection for up to 60 seconds, and a request that arrives when the server closes the connection is lost.
const KEEP_ALIVE_TIMEOUT: Duration = Duration::from_secs(75);

const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);

/// Reasons why the server cannot listen on an address.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Another program listens on the port.
    #[error("port {port} on {host} is taken by another program: stop it, or choose another port with --port")]
    PortTaken {
        /// Address to listen on.
        host: IpAddr,
        /// Port to listen on.
        port: u16,
    },
    /// The server waited until its timeout for the port, but a connection of another program used the port as its local port the whole
    /// time.
    #[error(
        "port {port} on {host} was not free within {} s: it is the local port of another program's connection (`ss -tnp 'sport = :{port}'` \
         names the program). End the connection, or choose another port with --port",
        listen::PORT_WAIT_TIMEOUT.as_secs()
    )]
    PortConnected {
        /// Address to listen on.
        host: IpAddr,
        /// Port to listen on.
        port: u16,
    },
    /// The account that runs the server has no right to listen on a port below 1024.
    #[error(
        "port {port} on {host} needs a right that this account lacks: give the service AmbientCapabilities=CAP_NET_BIND_SERVICE \
         (docs/installing.md), or choose a port above 1023"
    )]
    Privileged {
        /// Address to listen on.
        host: IpAddr,
        /// Port to listen on.
        port: u16,
    },
    /// The operating system refuses the address, for example because it does not belong to this machine.
    #[error("cannot listen on {host}:{port}: {source}")]
    Refused {
        /// Address to listen on.
        host: IpAddr,
        /// Port to listen on.
        port: u16,
        /// Error of the operating system.
        source: std::io::Error,
    },
}

/// Binds the socket on which the server listens.
///
/// # Errors
/// When the operating system refuses the address or the port.
pub async fn bind(host: IpAddr, port: u16) -> Result<TcpListener, ServeError> {
    listen::bind((host, port).into()).await.map_err(|source| match source.kind() {
        std::io::ErrorKind::AddrInUse => ServeError::PortTaken { host, port },
        std::io::ErrorKind::TimedOut => ServeError::PortConnected { host, port },
        std::io::ErrorKind::PermissionDenied => ServeError::Privileged { host, port },
        _ => ServeError::Refused { host, port, source },
    })
}

/// Options of the HTTP server.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// Maximum numbers of open connections, in total and per network (an IPv4 address or an IPv6 /64). The total is reduced to the number
    /// that the process's limit of file descriptors allows.
    pub connection_limits: CountLimits,
    /// Proxies whose forwarding headers are trusted. The connection limit per network does not apply to their connections, because these
    /// connections belong to many clients.
    pub trusted_proxies: TrustedProxies,
    /// Minimum rate at which a client must read a response.
    pub min_rate: MinRate,
    /// Maximum time that running requests get to finish after the shutdown has begun.
    pub drain_timeout: Duration,
}

/// A socket that is bound, and the protocol that the server uses on it.
#[derive(Debug)]
pub struct Listener {
    /// The bound socket.
    pub socket: TcpListener,
    /// Protocol that the server uses on the socket.
    pub protocol: Protocol,
}

/// Protocol that the server uses on a listening socket.
#[derive(Clone, Debug)]
pub enum Protocol {
    /// Plain HTTP.
    Http,
    /// HTTPS with the certificate of the [`Tls`] value.
    Https(Tls),
    /// Plain HTTP on which requests are redirected to HTTPS.
    Redirect(HttpsRedirect),
}

/// Serves requests until `shutdown` is cancelled. Then waits until all running requests have ended, but no longer than the drain timeout.
pub async fn serve(
    listeners: Vec<Listener>,
    gate: ReadinessGate,
    runtimes: Arc<PerCoreRuntimes>,
    shutdown: CancellationToken,
    options: ServerOptions,
) {
    let ServerOptions { connection_limits, trusted_proxies, min_rate, drain_timeout } = options;
    let limiter = Arc::new(ConnectionLimiter::new(connection_limits, trusted_proxies));
    let http2 = http2::Settings { min_rate, limiter: Arc::clone(&limiter), shutdown: shutdown.clone() };
    let server = Arc::new(Server { gate, http1: http1_builder(), http2, min_rate, shutdown: shutdown.clone() });
    let connections = TaskTracker::new();
    let acceptor = Acceptor { runtimes, server, limiter, accept_errors: ThrottledLog::default() };
    let (shared, open) = (&acceptor, &connections);
    let accepting = listeners
        .iter()
        .map(|listener| supervise("connections", shutdown.clone(), move || shared.accept_all(listener, open)));
    shutdown.run_until_cancelled(join_all(accepting)).await;
    drop((acceptor, listeners));
    connections.close();
    if tokio::time::timeout(drain_timeout, connections.wait()).await.is_err() {
        tracing::warn!(
            connections = connections.len(),
            "http: drain_timeout exceeded at the shutdown: the running requests of these connections were cut off"
        );
    }
}

fn http1_builder() -> http1::Builder {
    let mut builder = http1::Builder::new();
    // hyper's option `pipeline_flush` stays disabled, because it would disable the limit of data that is buffered for a client that reads
    // slowly.
    builder.timer(TokioTimer::new()).header_read_timeout(KEEP_ALIVE_TIMEOUT).max_buf_size(MAX_HEAD_BYTES);
    builder
}

struct Acceptor {
    runtimes: Arc<PerCoreRuntimes>,
    server: Arc<Server>,
    limiter: Arc<ConnectionLimiter>,
    accept_errors: ThrottledLog,
}

impl Acceptor {
    async fn accept_all(&self, listener: &Listener, connections: &TaskTracker) {
        loop {
            // `into_std` deregisters the socket from the current runtime, so that the runtime of a processor core can register the socket.
            let accepted = listener.socket.accept().await.and_then(|(stream, peer)| Ok((stream.into_std()?, peer)));
            let (stream, peer) = match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // The process has no free file descriptors, or the client has already disconnected: the next `accept` may succeed.
                    let address = listener.socket.local_addr().ok();
                    self.accept_errors.report(|count| {
                        tracing::warn!(
                            %error,
                            address = address.map(tracing::field::display),
                            count,
                            "http: accepting connections failed, retrying"
                        );
                    });
                    tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
                    continue;
                }
            };
            let Some((permit, stream)) = self.limiter.admit(stream, peer.ip()) else { continue };
            let (server, protocol) = (Arc::clone(&self.server), listener.protocol.clone());
            self.runtimes.spawn(connections.track_future(async move {
                // Errors are caused by the client: the client disconnected, or sent bytes that are not HTTP.
                if let Err(error) = server.serve_connection(stream, protocol, peer).await {
                    tracing::debug!(%error, "http: connection of a client ended with an error");
                }
                drop(permit);
            }));
        }
    }
}

struct Server {
    gate: ReadinessGate,
    http1: http1::Builder,
    http2: http2::Settings,
    min_rate: MinRate,
    shutdown: CancellationToken,
}

impl Server {
    /// Serves a connection until it ends. After the shutdown has begun, the connection is closed as soon as its running request has ended.
    async fn serve_connection(
        self: Arc<Self>,
        stream: std::net::TcpStream,
        protocol: Protocol,
        peer: SocketAddr,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let stream = TcpStream::from_std(stream)?;
        // Disables Nagle's algorithm, which would delay small responses.
        let _ = stream.set_nodelay(true);
        match protocol {
            Protocol::Https(tls) => {
                let Some(accepted) = self.shutdown.run_until_cancelled(tls.accept(stream)).await else { return Ok(()) };
                match accepted? {
                    Some(stream) if http2::is_negotiated(&stream) => {
                        let server = Arc::clone(&self);
                        let answer = move |request| Arc::clone(&server).answer(request);
                        Ok(http2::serve(stream, peer, &self.http2, answer).await?)
                    }
                    Some(stream) => self.serve_http1(stream, peer, None).await,
                    None => Ok(()),
                }
            }
            Protocol::Http => self.serve_http1(stream, peer, None).await,
            Protocol::Redirect(redirect) => self.serve_http1(stream, peer, Some(redirect)).await,
        }
    }

    async fn serve_http1(
        self: Arc<Self>,
        stream: impl Transport + Send + 'static,
        peer: SocketAddr,
        redirect: Option<HttpsRedirect>,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let shared = SharedState::default();
        let stream = ClientStream::new(stream, self.min_rate, shared.clone());
        let server = Arc::clone(&self);
        let service = hyper::service::service_fn(move |mut request: Request<Incoming>| {
            shared.continue_due.set_for(&request);
            request.extensions_mut().insert(ConnectInfo(peer));
            if request.headers().contains_key(header::UPGRADE) {
                request.extensions_mut().insert(shared.meter.clone());
            }
            Arc::clone(&server).answer_http1(request, shared.body_unread.clone(), redirect.clone())
        });
        let mut connection = pin!(self.http1.serve_connection(TokioIo::new(stream), service).with_upgrades());
        // Each connection has its own child of the cancellation token, because polling the shared token would lock its list of waiters.
        let shutdown = self.shutdown.child_token();
        if let Some(ended) = shutdown.run_until_cancelled(connection.as_mut()).await {
            return Ok(ended?);
        }
        connection.as_mut().graceful_shutdown();
        Ok(connection.await?)
    }

    async fn answer_http1(
        self: Arc<Self>,
        request: Request<Incoming>,
        unread: BodyUnread,
        redirect: Option<HttpsRedirect>,
    ) -> Result<Response, Infallible> {
        let redirected = |redirect: HttpsRedirect| redirect.answer(request.method(), request.uri(), request.headers());
        if let Some(response) = redirect.and_then(redirected) {
            return Ok(response);
        }
        let request = if request.body().is_end_stream() {
            request.map(Body::new)
        } else {
            request.map(|body| Body::new(TrackedBody::new(body, unread.clone())))
        };
        let mut response = self.answer(request).await;
        if unread.is_set() {
            // The server closes the connection after this response. Without `Connection: close`, the client would send its next request on
            // the same connection, and that request would be lost.
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        Ok(response)
    }

    async fn answer(self: Arc<Self>, request: Request) -> Response {
        let is_head = request.method() == Method::HEAD;
        // The storage API sets the `Content-Length` of each file itself. An empty file keeps `Content-Length: 0`, because S3 clients need
        // this header.
        let is_file = request.uri().path().starts_with("/storage/v1/");
        let mut response = self.gate.handle(request).await;
        // For a HEAD response of unknown length, axum's router sets `Content-Length: 0`, the length of the removed body. This value is wrong,
        // so the header is removed.
        if is_head && !is_file && response.headers().get(header::CONTENT_LENGTH).is_some_and(|length| length == "0") {
            response.headers_mut().remove(header::CONTENT_LENGTH);
        }
        response
    }
}

#[cfg(test)]
mod tests;
