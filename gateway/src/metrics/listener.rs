//! Listener for `/metrics` at the address `[metrics] listen`. Its requests need no key, so only the operator's own machines may be able to
//! reach the address.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use cloch_core::listen;
use http::{Method, StatusCode};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::{Metrics, PATH};
use crate::error::CommandError;

/// Maximum number of concurrent connections to the metrics listener. Prometheus keeps one connection open.
const MAX_CONNECTIONS: usize = 16;
/// Timeout for the next request on a connection. It is longer than usual scrape intervals (15 to 60 seconds).
const HEAD_TIMEOUT: Duration = Duration::from_secs(90);
const MAX_HEAD_BYTES: usize = 16 * 1024;
/// Delay of the next `accept` after a failed `accept`.
const RETRY_DELAY: Duration = Duration::from_millis(50);

/// Binds the address of `[metrics] listen`.
///
/// # Errors
/// If the address is in use, or is not an address of this machine.
pub async fn bind(address: SocketAddr) -> Result<TcpListener, CommandError> {
    let bound = listen::bind(address).await;
    Ok(bound.map_err(|error| format!("cloch.toml: metrics.listen: cannot listen on {address}: {error}"))?)
}

/// Serves `GET /metrics` until `shutdown`.
pub async fn serve(listener: TcpListener, metrics: Metrics, shutdown: CancellationToken) {
    let permits = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let accepting = async {
        loop {
            let Ok(permit) = Arc::clone(&permits).acquire_owned().await else { return };
            match listener.accept().await {
                Ok((stream, _)) => {
                    let (metrics, stop) = (metrics.clone(), shutdown.clone());
                    tokio::spawn(async move {
                        stop.run_until_cancelled(serve_connection(stream, metrics)).await;
                        drop(permit);
                    });
                }
                Err(error) => {
                    tracing::debug!(%error, "metrics: accepting a connection on metrics.listen failed, retrying");
                    tokio::time::sleep(RETRY_DELAY).await;
                }
            }
        }
    };
    shutdown.run_until_cancelled(accepting).await;
}

async fn serve_connection(stream: TcpStream, metrics: Metrics) {
    let service = service_fn(move |request: Request<Incoming>| {
        let metrics = metrics.clone();
        async move { Ok::<_, Infallible>(answer(&metrics, request.method(), request.uri().path()).await) }
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT).max_buf_size(MAX_HEAD_BYTES);
    // Errors are caused by the client: it disconnected, or its request is not HTTP.
    let _ = builder.serve_connection(TokioIo::new(stream), service).await;
}

async fn answer(metrics: &Metrics, method: &Method, path: &str) -> Response {
    match (path == PATH, method == Method::GET) {
        (true, true) => metrics.scrape().await,
        (true, false) => StatusCode::METHOD_NOT_ALLOWED.into_response(),
        (false, _) => StatusCode::NOT_FOUND.into_response(),
    }
}
