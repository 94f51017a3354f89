//! The landing page of a project that names no web app: lists the APIs and their URLs.

use axum::response::{Html, IntoResponse, Response};
use http::{StatusCode, Uri};

const PAGE: &str = include_str!("landing.html");

/// The landing page at /, 404 elsewhere.
pub(super) async fn show(uri: Uri) -> Response {
    let mut response = match uri.path() {
        "/" => Html(PAGE).into_response(),
        _ => (StatusCode::NOT_FOUND, "Not found\n").into_response(),
    };
    super::headers::secure(response.headers_mut());
    response
}
