//! The operators' app at `/_/`: its files, and its page for every path that is no file.

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::get;
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
use serde_json::Value;

use super::app::file;
use super::assets::Assets;
use super::content::Content;
use super::headers;

/// What the page has where its nonce belongs: the editor's style elements carry it.
const NONCE: &str = "__CSP_NONCE__";
const PREFIX: &str = "/_/";
const PAGE: &str = "index.html";
const NOT_BUILT: &str = include_str!("dashboard.html");

/// The routes of the app: `/_/` and every path below it that is no API's.
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
    if path != PAGE
        && let Some(mut response) = file(&content, path, request.headers()).await
    {
        protect(response.headers_mut(), "");
        return response;
    }
    if path.starts_with("assets/") {
        return (StatusCode::NOT_FOUND, "Not found\n").into_response();
    }
    page(&content).await
}

/// The page, with a nonce of its own each time.
async fn page(content: &Content) -> Response {
    let nonce = STANDARD_NO_PAD.encode(rand::random::<[u8; 16]>());
    let built = content.best(PAGE, &HeaderMap::new()).await;
    let page = built.map(|page| String::from_utf8_lossy(&page.bytes).replace(NONCE, &nonce));
    let mut response = match page {
        Some(page) => Html(Body::from(page)).into_response(),
        None => Html(NOT_BUILT).into_response(),
    };
    protect(response.headers_mut(), &format!(" 'nonce-{nonce}'"));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Everything comes from this server; scripts from files only, styles from files and from elements with the page's nonce.
fn protect(answered: &mut HeaderMap, nonce: &str) {
    headers::secure(answered);
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'self'{nonce}; img-src 'self' data: blob:; \
         media-src 'self' blob:; font-src 'self'; connect-src 'self'; frame-src 'self'; worker-src 'self'; \
         form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    );
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        answered.insert(CONTENT_SECURITY_POLICY, policy);
    }
    answered.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    let none = HeaderValue::from_static("camera=(), microphone=(), geolocation=()");
    answered.insert(HeaderName::from_static("permissions-policy"), none);
}

#[cfg(test)]
#[path = "dashboard_tests.rs"]
mod tests;
