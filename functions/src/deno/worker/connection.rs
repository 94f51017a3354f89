//! HTTP over a worker's Unix socket.

use std::path::{Path, PathBuf};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use http::Uri;
use hyper_util::client::legacy;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::net::UnixStream;
use tower::Service;

/// After which an unused connection is closed.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
/// Bytes of the headers of an answer.
const MAX_HEADER_BYTES: usize = 64 * 1024;

/// Keeps connections to one worker.
pub(crate) type Client = legacy::Client<SocketConnector, Body>;

/// A client of the worker that listens on a socket.
pub(super) fn client(socket: &Path) -> Client {
    legacy::Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(IDLE_TIMEOUT)
        .http1_max_buf_size(MAX_HEADER_BYTES)
        .set_host(false)
        .build(SocketConnector { socket: socket.to_owned() })
}

/// Connects to one socket, whatever the URI says.
#[derive(Clone, Debug)]
pub(crate) struct SocketConnector {
    socket: PathBuf,
}

impl Service<Uri> for SocketConnector {
    type Response = TokioIo<UnixStream>;
    type Error = std::io::Error;
    type Future = BoxFuture<'static, std::io::Result<Self::Response>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Uri) -> Self::Future {
        let socket = self.socket.clone();
        async move { UnixStream::connect(socket).await.map(TokioIo::new) }.boxed()
    }
}
