//! `Supabase.ai`: a socket on which workers ask the server of `[ai]`, without seeing its key.

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

/// Bytes of one question.
const MAX_BODY_BYTES: usize = 4 << 20;

/// A server that speaks the OpenAI protocol.
#[derive(Clone, Debug)]
pub struct AiServer {
    /// The base URL of its API, without a trailing slash.
    pub base: String,
    /// What it asks for.
    pub api_key: Option<Secret>,
    /// Its name for the model that functions call `gte-small`.
    pub embedding_model: String,
    /// A client that may connect to it.
    pub http: reqwest::Client,
}

/// Answers workers until it is dropped.
///
/// # Errors
/// When the socket cannot be made.
pub(super) async fn serve(listener: UnixListener, server: AiServer) -> std::io::Result<()> {
    let routes = Router::new()
        .route("/embeddings", post(forward))
        .route("/chat/completions", post(forward))
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .with_state(server);
    axum::serve(listener, routes).await
}

/// Passes a question on, and streams the answer back. A worker that goes away ends the request.
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
            // Its address may have a password in it.
            let error = error.without_url();
            tracing::error!(%error, "request to the [ai] server failed");
            (StatusCode::BAD_GATEWAY, "the server of [ai] cannot be reached").into_response()
        }
    }
}
