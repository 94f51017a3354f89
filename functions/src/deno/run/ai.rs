//! Serves `Supabase.ai`: a Unix socket through which Deno workers use the language model server of `[ai]` without access to the API key of
//! the server.

use axum::Router;
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, State};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use bytes::Bytes;
use cloch_core::Secret;
use http::header::CONTENT_TYPE;
use http::{StatusCode, Uri};
use tokio::net::UnixListener;

/// Maximum size in bytes of a request body from a worker.
const MAX_BODY_BYTES: usize = 4 << 20;

/// A language model server with an OpenAI-compatible API.
#[derive(Clone, Debug)]
pub struct AiServer {
    /// Base URL of the API, without a trailing slash.
    pub base: String,
    /// API key; `None` if the server requires no key.
    pub api_key: Option<Secret>,
    /// Name of the model on the server that functions call `gte-small`.
    pub embedding_model: String,
    /// HTTP client that may connect to the language model server.
    pub http: reqwest::Client,
}

/// Serves requests of workers until the future is dropped.
pub(in crate::deno) async fn serve(listener: UnixListener, server: AiServer) -> std::io::Result<()> {
    let routes = Router::new()
        .route("/embeddings", post(forward))
        .route("/chat/completions", post(forward))
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .with_state(server);
    axum::serve(listener, routes).await
}

/// Forwards a worker's request to the language model server and streams the response back. The request is cancelled if the worker
/// disconnects.
async fn forward(State(server): State<AiServer>, uri: Uri, body: Bytes) -> Response {
    let url = format!("{}{}", server.base, uri.path());
    let mut request = server.http.post(url).header(CONTENT_TYPE, "application/json").body(body);
    if let Some(key) = &server.api_key {
        request = request.bearer_auth(key.expose());
    }
    match request.send().await {
        Ok(answer) => {
            let (status, kind) = (answer.status(), answer.headers().get(CONTENT_TYPE).cloned());
            let mut response = Response::new(Body::from_stream(answer.bytes_stream()));
            *response.status_mut() = status;
            response.headers_mut().extend(kind.map(|kind| (CONTENT_TYPE, kind)));
            response
        }
        Err(error) => {
            // The URL is removed from the error, because the URL may contain a password.
            let error = error.without_url();
            tracing::error!(%error, path = uri.path(), "functions: request of a function to the language model server of [ai] failed, the function gets status 502");
            (StatusCode::BAD_GATEWAY, "the server of [ai] cannot be reached").into_response()
        }
    }
}
