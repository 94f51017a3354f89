//! HTTP over a worker's Unix socket.

use std::path::Path;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use cloch_core::core_id;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use http::Uri;
use hyper::body::Incoming;
use hyper_util::client::legacy;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::net::UnixStream;
use tower::Service;

/// After which an unused connection is closed.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
/// Bytes of the headers of an answer.
const MAX_HEADER_BYTES: usize = 64 * 1024;

type Client = legacy::Client<SocketConnector, Body>;

/// Keeps connections to one worker: for each core's runtime its own, because a connection that another runtime has opened wakes two
/// threads for each request.
#[derive(Debug)]
pub(crate) struct Connections {
    of_cores: Vec<Client>,
    /// Where a core came later.
    of_others: Client,
}

impl Connections {
    /// Of the worker that listens on a socket.
    pub(super) fn new(socket: &Path) -> Self {
        let socket: Arc<Path> = socket.into();
        Self { of_cores: (0..core_id::count()).map(|_| client(&socket)).collect(), of_others: client(&socket) }
    }

    /// Sends a request to the worker.
    pub(crate) async fn send(&self, request: http::Request<Body>) -> Result<http::Response<Incoming>, legacy::Error> {
        self.of_cores.get(core_id::current()).unwrap_or(&self.of_others).request(request).await
    }
}

fn client(socket: &Arc<Path>) -> Client {
    legacy::Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(IDLE_TIMEOUT)
        .http1_max_buf_size(MAX_HEADER_BYTES)
        .set_host(false)
        .build(SocketConnector { socket: Arc::clone(socket) })
}

/// Connects to one socket, whatever the URI says.
#[derive(Clone, Debug)]
pub(crate) struct SocketConnector {
    socket: Arc<Path>,
}

impl Service<Uri> for SocketConnector {
    type Response = TokioIo<UnixStream>;
    type Error = std::io::Error;
    type Future = BoxFuture<'static, std::io::Result<Self::Response>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Uri) -> Self::Future {
        let socket = Arc::clone(&self.socket);
        async move { UnixStream::connect(socket).await.map(TokioIo::new) }.boxed()
    }
}
