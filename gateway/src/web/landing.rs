//! The page of a project that names no web app: what runs here, and where its APIs are.

use axum::response::{Html, IntoResponse, Response};
use http::{StatusCode, Uri};

const PAGE: &str = include_str!("landing.html");

/// The page at /, "not found" elsewhere.
pub(super) async fn show(uri: Uri) -> Response {
    let mut response = match uri.path() {
        "/" => Html(PAGE).into_response(),
        _ => (StatusCode::NOT_FOUND, "Not found\n").into_response(),
    };
    super::headers::secure(response.headers_mut());
    response
}
