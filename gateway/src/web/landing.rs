//! Landing page of a project without a web app: lists the APIs and their URLs.

use axum::response::{Html, IntoResponse, Response};
use http::{StatusCode, Uri};

const PAGE: &str = include_str!("landing.html");

/// Serves the landing page at /, and 404 at all other paths.
pub(super) async fn show(uri: Uri) -> Response {
    let mut response = match uri.path() {
        "/" => Html(PAGE).into_response(),
        _ => (StatusCode::NOT_FOUND, "Not found\n").into_response(),
    };
    super::headers::secure(response.headers_mut());
    response
}
