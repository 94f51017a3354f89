//! Serves the operators' dashboard at `/_/`: its files, and its HTML page for every path without a file.

use axum::Router;
use axum::extract::{Request, State};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::get;
use http::header::{CONTENT_SECURITY_POLICY, REFERRER_POLICY};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
use serde_json::Value;

use super::app::file;
use super::assets::Assets;
use super::content::Content;
use super::headers;

const PREFIX: &str = "/_/";
const PAGE: &str = "index.html";
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
    media-src 'self' blob:; font-src 'self'; connect-src 'self'; frame-src 'self'; worker-src 'self'; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
const NOT_BUILT: &str = include_str!("dashboard.html");

/// Returns the routes of the dashboard: `/_/`, and all paths below it that belong to no API.
pub fn dashboard_router() -> Router {
    let content = Content::new(Assets::Dashboard, Value::Null);
    Router::new()
        .route("/_", get(async || Redirect::permanent(PREFIX)))
        .route(PREFIX, get(serve))
        .route("/_/{*path}", get(serve))
        .with_state(content)
}

async fn serve(State(content): State<Content>, uri: Uri, request: Request) -> Response {
    let path = uri.path().strip_prefix(PREFIX).unwrap_or_default();
    let mut found = file(&content, path, request.headers()).await;
    if found.is_none() && !path.starts_with("assets/") {
        let page = file(&content, PAGE, request.headers()).await;
        found = Some(page.unwrap_or_else(|| Html(NOT_BUILT).into_response()));
    }
    let mut response = found.unwrap_or_else(|| (StatusCode::NOT_FOUND, "Not found\n").into_response());
    protect(response.headers_mut());
    response
}

/// Adds security headers to a response of the dashboard. They allow pages to load content only from this server, and to run scripts and use
/// styles only from files.
fn protect(answered: &mut HeaderMap) {
    headers::secure(answered);
    answered.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    answered.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    let none = HeaderValue::from_static("camera=(), microphone=(), geolocation=()");
    answered.insert(HeaderName::from_static("permissions-policy"), none);
}

#[cfg(test)]
#[path = "dashboard_tests.rs"]
mod tests;
