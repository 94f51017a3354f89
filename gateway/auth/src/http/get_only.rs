//! Refuses HEAD requests, which axum's router would otherwise handle like GET requests.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::{Method, StatusCode};

/// Refuses HEAD with status 405, as in GoTrue. A link in a mail works only once, and mail scanners request links with HEAD: if HEAD were
/// handled like GET, the scanner would use up the link.
pub(super) async fn refuse_head(request: Request, next: Next) -> Response {
    if request.method() == Method::HEAD {
        StatusCode::METHOD_NOT_ALLOWED.into_response()
    } else {
        next.run(request).await
    }
}
