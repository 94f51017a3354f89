//! Forwards a request to a Deno worker and streams the response back. WebSocket data is copied in both directions.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::header::{CONNECTION, CONTENT_LENGTH, RETRY_AFTER, UPGRADE};
use http::request::Parts;
use http::{HeaderValue, Method, StatusCode, Uri};
use http_body_util::{LengthLimitError, Limited};
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use serde_json::json;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::Instant;

use super::answer_body::AnswerBody;
use super::pool::{AcquireError, Pool};
use super::worker::{End, Lease};
use crate::headers::{self, without_hop_by_hop};
use crate::{Call, FunctionError, body, cors};

/// Maximum wait for the end of a worker that has closed its connection. The error response depends on the reason why the worker ended.
const END_TIMEOUT: Duration = Duration::from_secs(2);
/// Buffer size per direction of a WebSocket, in bytes.
const SOCKET_BUFFER_BYTES: usize = 16 * 1024;

#[derive(Clone, Copy, Debug)]
pub(crate) struct CallLimits {
    pub(crate) body_bytes: usize,
    /// Timeout from the forwarding of the request until the response head.
    pub(crate) timeout: Duration,
    /// Timeout from the arrival of the request until the end of the response.
    pub(crate) wall: Duration,
}

/// Forwards a function call to a worker of the function.
pub(crate) async fn forward(
    pool: &Arc<Pool>,
    call: &Call,
    limits: CallLimits,
    parts: Parts,
    body: Body,
) -> Result<Response, FunctionError> {
    let announced = parts.headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    if announced.is_some_and(|bytes| bytes > limits.body_bytes) {
        return Err(body::too_large(limits.body_bytes));
    }
    let lease = match pool.acquire().await {
        Ok(lease) => lease,
        // No worker is available. Accept a CORS preflight request all the same, because a browser shows the error of the actual request
        // only if the preflight request succeeds.
        Err(_) if parts.method == Method::OPTIONS => return Ok(cors::preflight(&parts.headers)),
        Err(error) => return Ok(refused(&pool.name, error)),
    };
    let deadline = Instant::from_std(lease.received) + limits.wall;
    let mut parts = parts;
    let upgrade = parts.extensions.remove::<OnUpgrade>().filter(|_| parts.headers.contains_key(UPGRADE));
    let request = request(call, parts, Limited::new(body, limits.body_bytes), upgrade.is_some());
    let sent = tokio::time::timeout(limits.timeout, lease.worker.connections.send(request)).await;
    match sent {
        Ok(Ok(answer)) => Ok(response(answer, lease, deadline, upgrade)),
        Ok(Err(error)) if is_too_large(&error) => Err(body::too_large(limits.body_bytes)),
        Ok(Err(error)) => Ok(failed(&pool.name, &lease, &error).await),
        Err(_) => {
            let seconds = limits.timeout.as_secs();
            tracing::warn!(
                function = %pool.name,
                execution_id = %lease.worker.execution_id,
                "functions: function timeout: no response after {seconds} seconds, responding with status 504"
            );
            Ok(error(
                StatusCode::GATEWAY_TIMEOUT,
                "REQUEST_TIMEOUT",
                "The function did not answer in time (please check logs)",
            ))
        }
    }
}

/// Builds the request to a worker. The path of the request is `/<name>/rest`, as in Supabase's edge runtime.
fn request(call: &Call, parts: Parts, body: Limited<Body>, is_upgrade: bool) -> http::Request<Body> {
    let mut headers = headers::of_request(&parts.headers);
    if is_upgrade {
        headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
        headers.extend(parts.headers.get(UPGRADE).map(|value| (UPGRADE, value.clone())));
    }
    if let Some(Ok(value)) = call.client.map(|client| HeaderValue::from_str(&client.0.to_string())) {
        headers.insert("x-forwarded-for", value);
    }
    let mut request = http::Request::new(Body::new(body));
    *request.method_mut() = parts.method;
    *request.uri_mut() = local_uri(&parts.uri);
    *request.headers_mut() = headers;
    request
}

/// Returns the URI for a request to a worker. The authority is a placeholder, which the HTTP client requires; only path and query are sent.
fn local_uri(uri: &Uri) -> Uri {
    let path = uri.path_and_query().cloned().unwrap_or_else(|| http::uri::PathAndQuery::from_static("/"));
    Uri::builder().scheme("http").authority("worker").path_and_query(path).build().unwrap_or_default()
}

fn response(
    mut answer: http::Response<hyper::body::Incoming>,
    lease: Lease,
    deadline: Instant,
    upgrade: Option<OnUpgrade>,
) -> Response {
    lease.progress();
    if let (StatusCode::SWITCHING_PROTOCOLS, Some(client)) = (answer.status(), upgrade) {
        let worker = hyper::upgrade::on(&mut answer);
        tokio::spawn(tunnel(client, worker, lease, deadline));
        let (parts, _) = answer.into_parts();
        return Response::from_parts(parts, Body::empty());
    }
    let (mut parts, body) = answer.into_parts();
    parts.headers = without_hop_by_hop(&parts.headers);
    if parts.status == StatusCode::RESET_CONTENT {
        return headers::reset_content(parts.headers);
    }
    Response::from_parts(parts, Body::new(AnswerBody::new(body, lease, deadline)))
}

/// Copies the data of a WebSocket in both directions until both sides have closed the connection or the deadline is reached.
async fn tunnel(client: OnUpgrade, worker: OnUpgrade, lease: Lease, deadline: Instant) {
    let copy = async {
        let (Ok(client), Ok(worker)) = tokio::join!(client, worker) else { return };
        let (from_client, to_client) = tokio::io::split(TokioIo::new(client));
        let (from_worker, to_worker) = tokio::io::split(TokioIo::new(worker));
        tokio::join!(pump(from_client, to_worker, &lease), pump(from_worker, to_client, &lease));
    };
    let _ = tokio::time::timeout_at(deadline, copy).await;
}

async fn pump(mut from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin, lease: &Lease) {
    let mut buffer = vec![0; SOCKET_BUFFER_BYTES];
    while let Ok(bytes) = from.read(&mut buffer).await
        && bytes > 0
        && to.write_all(buffer.get(..bytes).unwrap_or_default()).await.is_ok()
    {
        lease.progress();
    }
    let _ = to.shutdown().await;
}

/// Returns the error response for a call whose worker disconnected: status 546 if the worker exceeded a resource limit, otherwise 500.
async fn failed(function: &str, lease: &Lease, cause: &hyper_util::client::legacy::Error) -> Response {
    let end = lease.worker.ended(END_TIMEOUT).await;
    let reason = end.map_or("it closed the connection", End::as_str);
    tracing::error!(
        %function,
        execution_id = %lease.worker.execution_id,
        reason,
        error = %cause,
        "functions: function call failed, the worker ended or closed the connection"
    );
    match end {
        Some(end) if end.is_limit() => worker_limit(),
        _ => error(
            StatusCode::INTERNAL_SERVER_ERROR,
            "WORKER_ERROR",
            "Function exited due to an error (please check logs)",
        ),
    }
}

fn refused(function: &str, reason: AcquireError) -> Response {
    match reason {
        AcquireError::Boot => {
            tracing::error!(%function, "functions: function call refused with status 503: the function does not start (see its log lines)");
            boot_error()
        }
        AcquireError::Busy => {
            tracing::error!(%function, "functions: function call refused with status 503: the function has too many concurrent requests");
            let mut response =
                error(StatusCode::SERVICE_UNAVAILABLE, "WORKER_LIMIT", "The function has too many requests at once");
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
            response
        }
    }
}

pub(crate) fn boot_error() -> Response {
    error(StatusCode::SERVICE_UNAVAILABLE, "BOOT_ERROR", "Worker failed to boot (please check logs)")
}

fn worker_limit() -> Response {
    let message = "Worker failed to respond due to a resource limit (please check logs)";
    // Status 546 means that the worker exceeded a resource limit, as in Supabase's edge runtime.
    error(StatusCode::from_u16(546).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), "WORKER_LIMIT", message)
}

fn error(status: StatusCode, code: &str, message: &str) -> Response {
    (status, Json(json!({ "code": code, "message": message }))).into_response()
}

fn is_too_large(error: &hyper_util::client::legacy::Error) -> bool {
    let mut source: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(cause) = source {
        if cause.is::<LengthLimitError>() {
            return true;
        }
        source = cause.source();
    }
    false
}
