//! HEAD, which a router answers by running the handler of GET.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::{Method, StatusCode};

/// Refuses HEAD with 405, as upstream: the links in mails sign their reader in by GET, once, and mail scanners ask for them with HEAD.
pub(super) async fn refuse_head(request: Request, next: Next) -> Response {
    if request.method() == Method::HEAD {
        StatusCode::METHOD_NOT_ALLOWED.into_response()
    } else {
        next.run(request).await
    }
}
