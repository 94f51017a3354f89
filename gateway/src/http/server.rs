//! Listening for connections, serving them over HTTP/1, and stopping without cutting off running requests.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{ConnectInfo, Request};
use axum::response::Response;
use cloch_sql::listen;
use cloch_sql::min_rate::MinRate;
use cloch_sql::supervise;
use http::{HeaderValue, Method, header};
use hyper::body::{Body as _, Incoming};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::TrustedProxies;
use super::connection::ClientStream;
use super::connection::inbound_meter::InboundMeter;
use super::connection::limiter::{ConnectionLimiter, ThrottledLog};
use super::connection::lingering_close::{BodyUnread, TrackedBody};
use super::connection::network_count::CountLimits;
use super::per_core_runtime::PerCoreRuntimes;
use super::readiness_gate::ReadinessGate;

/// Until a client has sent a whole request head, counted from the opening of the connection or the end of the last response.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);

/// Largest request head: a URL as long as hyper takes it (64 KB) and a few long tokens. A connection that has received much has a
/// buffer of this size as long as it stays open, and there may be many.
pub(super) const MAX_HEAD_BYTES: usize = 80 * 1024;

/// Pause after a failed `accept`.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);

/// Why the program cannot listen.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Something else listens there.
    #[error("port {port} on {host} is taken by another program: stop it, or choose another port with --port")]
    PortTaken {
        /// The address.
        host: IpAddr,
        /// The port.
        port: u16,
    },
    /// The address is not this machine's, or the port needs rights.
    #[error("cannot listen on {host}:{port}: {source}")]
    Refused {
        /// The address.
        host: IpAddr,
        /// The port.
        port: u16,
        /// The system's reason.
        source: std::io::Error,
    },
}

/// Binds the listening socket.
///
/// # Errors
/// When the address or the port cannot be used.
pub async fn bind(host: IpAddr, port: u16) -> Result<TcpListener, ServeError> {
    listen::bind((host, port).into()).await.map_err(|source| match source.kind() {
        std::io::ErrorKind::AddrInUse => ServeError::PortTaken { host, port },
        _ => ServeError::Refused { host, port, source },
    })
}

/// Limits of connections.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// Open connections, in all and of one network. The total is lowered to what the process has file descriptors for.
    pub connection_limits: CountLimits,
    /// Proxies, whose connections belong to many clients.
    pub trusted_proxies: TrustedProxies,
    /// How fast a client must read a response at least.
    pub min_rate: MinRate,
    /// How long running requests may go on after the shutdown has begun.
    pub drain_timeout: Duration,
}

/// Serves until `shutdown`, then lets running requests end.
pub async fn serve(
    listener: TcpListener,
    gate: ReadinessGate,
    runtimes: Arc<PerCoreRuntimes>,
    shutdown: CancellationToken,
    options: ServerOptions,
) {
    let ServerOptions { connection_limits, trusted_proxies, min_rate, drain_timeout } = options;
    let server = Arc::new(Server { gate, http: http1_builder(), min_rate, shutdown: shutdown.clone() });
    let connections = TaskTracker::new();
    let limiter = ConnectionLimiter::new(connection_limits, trusted_proxies);
    let acceptor = Acceptor { listener, runtimes, server, limiter, accept_errors: ThrottledLog::default() };
    let accepting = supervise("connections", shutdown.clone(), || acceptor.accept_all(&connections));
    shutdown.run_until_cancelled(accepting).await;
    drop(acceptor);
    connections.close();
    if tokio::time::timeout(drain_timeout, connections.wait()).await.is_err() {
        tracing::warn!("some requests did not end within drain_timeout and were cut off");
    }
}

fn http1_builder() -> http1::Builder {
    let mut builder = http1::Builder::new();
    // Not `pipeline_flush`: it lifts the limit of what is buffered for a client that reads more slowly than files are read.
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT).max_buf_size(MAX_HEAD_BYTES);
    builder
}

/// Accepts connections and hands them to the runtimes.
struct Acceptor {
    listener: TcpListener,
    runtimes: Arc<PerCoreRuntimes>,
    server: Arc<Server>,
    limiter: ConnectionLimiter,
    accept_errors: ThrottledLog,
}

impl Acceptor {
    async fn accept_all(&self, connections: &TaskTracker) {
        loop {
            // `into_std` deregisters the socket from this runtime, so that a core's runtime can register it.
            let accepted = self.listener.accept().await.and_then(|(stream, peer)| Ok((stream.into_std()?, peer)));
            let (stream, peer) = match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Out of file descriptors, or a client that is gone already: the next one may fare better.
                    self.accept_errors
                        .report(|count| tracing::warn!(%error, count, "connections could not be accepted"));
                    tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
                    continue;
                }
            };
            let Some((permit, stream)) = self.limiter.admit(stream, peer.ip()) else { continue };
            let server = Arc::clone(&self.server);
            self.runtimes.spawn(connections.track_future(async move {
                // An error here is the client's: it went away, or sent what is no HTTP.
                if let Err(error) = server.serve_connection(stream, peer).await {
                    tracing::debug!(%error, "a connection ended");
                }
                drop(permit);
            }));
        }
    }
}

/// What all connections have in common.
struct Server {
    gate: ReadinessGate,
    http: http1::Builder,
    min_rate: MinRate,
    shutdown: CancellationToken,
}

impl Server {
    /// Serves one connection to its end, or to the end of its running request when the program stops.
    async fn serve_connection(
        self: Arc<Self>,
        stream: std::net::TcpStream,
        peer: SocketAddr,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let stream = TcpStream::from_std(stream)?;
        // Nagle's algorithm would only delay small responses.
        let _ = stream.set_nodelay(true);
        let (body_unread, meter) = (BodyUnread::default(), InboundMeter::default());
        let stream = ClientStream::new(stream, self.min_rate, meter.clone(), body_unread.clone());
        let server = Arc::clone(&self);
        let service = hyper::service::service_fn(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(ConnectInfo(peer));
            if request.headers().contains_key(header::UPGRADE) {
                request.extensions_mut().insert(meter.clone());
            }
            Arc::clone(&server).handle(request, body_unread.clone())
        });
        let mut connection = pin!(self.http.serve_connection(TokioIo::new(stream), service).with_upgrades());
        // A token of its own: each poll of the wait locks the token's list of waiters.
        let shutdown = self.shutdown.child_token();
        if let Some(ended) = shutdown.run_until_cancelled(connection.as_mut()).await {
            return Ok(ended?);
        }
        connection.as_mut().graceful_shutdown();
        Ok(connection.await?)
    }

    async fn handle(self: Arc<Self>, request: Request<Incoming>, unread: BodyUnread) -> Result<Response, Infallible> {
        let is_head = request.method() == Method::HEAD;
        let request = if request.body().is_end_stream() {
            request.map(Body::new)
        } else {
            request.map(|body| Body::new(TrackedBody::new(body, unread.clone())))
        };
        let mut response = self.gate.handle(request).await;
        if unread.is_set() {
            // The connection ends after this response. A client that is not told sends its next request on it, and loses it.
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        // For a HEAD whose length is unknown, axum's router writes the length of the emptied body: 0 would be wrong.
        if is_head && response.headers().get(header::CONTENT_LENGTH).is_some_and(|length| length == "0") {
            response.headers_mut().remove(header::CONTENT_LENGTH);
        }
        Ok(response)
    }
}

#[cfg(test)]
mod tests;
