//! HTTP client that sends requests over the Unix socket of a Deno worker.

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

/// Time after which an unused connection is closed.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
const MAX_HEADER_BYTES: usize = 64 * 1024;

type Client = legacy::Client<SocketConnector, Body>;

/// HTTP connections to one worker. Each core's async runtime has its own connections, because a request over a connection of another
/// runtime would wake two threads.
#[derive(Debug)]
pub(crate) struct Connections {
    of_cores: Vec<Client>,
    /// HTTP client for calls from threads that do not belong to a core's runtime.
    of_others: Client,
}

impl Connections {
    /// Creates HTTP clients for the worker that listens on the Unix socket `socket`.
    pub(super) fn new(socket: &Path) -> Self {
        let socket: Arc<Path> = socket.into();
        Self { of_cores: (0..core_id::count()).map(|_| client(&socket)).collect(), of_others: client(&socket) }
    }

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

/// Connects to one Unix socket and ignores the URI.
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
