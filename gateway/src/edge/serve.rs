//! Listening, and stopping without cutting anyone off.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::extract::Request;
use axum::response::Response;
use cloch_sql::listen;
use cloch_sql::pace::Pace;
use cloch_sql::supervise;
use http::{HeaderValue, Method, Version, header};
use hyper::body::{Body as _, Incoming};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

use super::TrustedProxies;
use super::door::{Door, RareLog};
use super::farewell::{Farewell, Heard, Unread};
use super::filtered::Filtered;
use super::gate::StartGate;
use super::greeting::Greeting;
use super::inbound::{Inbound, InboundMeter};
use super::lanes::Lanes;
use super::network_count::CountLimits;
use super::oversize::LONGEST_HEAD;
use super::sendfile::{Outbox, Wire};
use super::stall::Watched;
use super::streams::{Pieces, Streams};
use super::target::LenientTargets;

/// A client that opens a connection and sends no request for this long is cut off.
const HEADER_TIMEOUT: Duration = Duration::from_secs(30);

/// Before another connection is taken when one could not be.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

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

/// Takes the port.
///
/// # Errors
/// When it cannot be had.
pub async fn bind(host: IpAddr, port: u16) -> Result<TcpListener, ServeError> {
    listen::bind((host, port).into()).await.map_err(|source| match source.kind() {
        std::io::ErrorKind::AddrInUse => ServeError::PortTaken { host, port },
        _ => ServeError::Refused { host, port, source },
    })
}

/// The patience of a server.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// With a client that takes next to nothing of an answer.
    pub slow_client: Pace,
    /// With running requests when the program stops.
    pub drain: Duration,
}

/// What all connections have in common.
struct Server {
    gate: StartGate,
    protocols: Builder<Streams>,
    pace: Pace,
}

impl Server {
    /// Serves one connection to its end, or to the end of what runs on it when the program stops.
    async fn connection(
        self: Arc<Self>,
        stream: std::net::TcpStream,
        peer: SocketAddr,
        watcher: Watcher,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let stream = TcpStream::from_std(stream)?;
        // Without it small answers would only wait longer.
        let _ = stream.set_nodelay(true);
        let (outbox, unread) = (Outbox::default(), Unread::default());
        let stream = Watched::new(Wire::new(stream, outbox.clone()), self.pace);
        let stream = Filtered::new(stream, Farewell::new(unread.clone()));
        let stream = Filtered::new(stream, LenientTargets::default());
        let stream = Filtered::new(stream, Greeting::new(HEADER_TIMEOUT));
        let meter = InboundMeter::default();
        let stream = Filtered::new(stream, Inbound::new(meter.clone()));
        let server = Arc::clone(&self);
        let service = hyper::service::service_fn(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(ConnectInfo(peer));
            if request.headers().contains_key(header::UPGRADE) {
                request.extensions_mut().insert(meter.clone());
            }
            Arc::clone(&server).answer(request, outbox.clone(), unread.clone())
        });
        watcher.watch(self.protocols.serve_connection_with_upgrades(TokioIo::new(stream), service)).await
    }

    /// One answer. A router gives the length of an emptied body to a HEAD whose length is unknown: 0 would be a lie.
    async fn answer(
        self: Arc<Self>,
        request: Request<Incoming>,
        outbox: Outbox,
        unread: Unread,
    ) -> Result<Response, Infallible> {
        let is_head = request.method() == Method::HEAD;
        let is_stream = request.version() == Version::HTTP_2;
        // Over HTTP/2 only the stream ends, and the client is told why.
        let request = if is_stream || request.body().is_end_stream() {
            request.map(Body::new)
        } else {
            request.map(|body| Body::new(Heard::new(body, unread.clone())))
        };
        let mut response = self.gate.answer(request).await;
        if unread.is_noted() && !is_stream {
            // The connection ends after this answer. A client that is not told sends its next request on it, and loses it.
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        if is_stream {
            response = response.map(|body| Body::new(Pieces::new(body, self.pace)));
        } else if !is_head {
            response = outbox.carry(response);
        }
        if is_head && response.headers().get(header::CONTENT_LENGTH).is_some_and(|length| length == "0") {
            response.headers_mut().remove(header::CONTENT_LENGTH);
        }
        Ok(response)
    }
}

/// Who may open connections.
#[derive(Clone, Debug)]
pub struct Admission {
    /// Connections there may be, in all and of one network. The total is lowered to what the process has file descriptors for.
    pub limits: CountLimits,
    /// Whose connections are many clients'.
    pub proxies: TrustedProxies,
}

/// Serves until `shutdown`, then lets running requests end.
pub async fn serve(
    listener: TcpListener,
    gate: StartGate,
    lanes: Arc<Lanes>,
    shutdown: CancellationToken,
    (admission, patience): (Admission, Patience),
) {
    let server = Arc::new(Server { gate, protocols: protocols(patience.slow_client), pace: patience.slow_client });
    let graceful = GracefulShutdown::new();
    let acceptor = Acceptor { listener, lanes, server, door: Door::new(admission), faults: RareLog::default() };
    let accepting = supervise("connections", shutdown.clone(), || acceptor.accept_all(&graceful));
    shutdown.run_until_cancelled(accepting).await;
    drop(acceptor);
    if tokio::time::timeout(patience.drain, graceful.shutdown()).await.is_err() {
        tracing::warn!("some requests did not end in time and were cut off");
    }
}

/// Takes connections and gives them to lanes.
struct Acceptor {
    listener: TcpListener,
    lanes: Arc<Lanes>,
    server: Arc<Server>,
    door: Door,
    faults: RareLog,
}

impl Acceptor {
    async fn accept_all(&self, graceful: &GracefulShutdown) {
        loop {
            // Away from this runtime, to be taken by a lane's.
            let accepted = self.listener.accept().await.and_then(|(stream, peer)| Ok((stream.into_std()?, peer)));
            let (stream, peer) = match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Out of file descriptors, or a client that is gone already: the next one may fare better.
                    self.faults.report(|count| tracing::warn!(%error, count, "connections could not be taken"));
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            };
            let Some((place, stream)) = self.door.admit(stream, peer.ip()) else { continue };
            let (server, watcher) = (Arc::clone(&self.server), graceful.watcher());
            self.lanes.spawn(async move {
                // An error here is the client's: it went away, or sent what is no HTTP.
                if let Err(error) = server.connection(stream, peer, watcher).await {
                    tracing::debug!(%error, "a connection ended");
                }
                drop(place);
            });
        }
    }
}

fn protocols(pace: Pace) -> Builder<Streams> {
    let mut builder = Builder::new(Streams(pace));
    // Not `pipeline_flush`: it takes the limit off what is buffered for a client that reads more slowly than files are read.
    builder.http1().timer(TokioTimer::new()).header_read_timeout(HEADER_TIMEOUT).max_buf_size(LONGEST_HEAD);
    builder.http2().timer(TokioTimer::new()).keep_alive_interval(Duration::from_secs(30));
    builder
}

#[cfg(test)]
mod tests;
