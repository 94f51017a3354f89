//! Refuses HEAD requests, which the router would otherwise handle like GET.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::{Method, StatusCode};

/// Refuses HEAD with status 405, as in GoTrue: a GET of a link in a mail signs the user in, once, and mail scanners request such links with
/// HEAD.
pub(super) async fn refuse_head(request: Request, next: Next) -> Response {
    if request.method() == Method::HEAD {
        StatusCode::METHOD_NOT_ALLOWED.into_response()
    } else {
        next.run(request).await
    }
}
