//! Serves the documentation at `/_/docs/`. The documentation is the website of web/docs, which is embedded in the program.

use axum::Router;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use http::header::{CONTENT_SECURITY_POLICY, IF_NONE_MATCH, REFERRER_POLICY};
use http::{HeaderMap, HeaderValue, StatusCode, Uri};
use serde_json::Value;

use super::app::file;
use super::assets::Assets;
use super::content::Content;
use super::headers;

const PREFIX: &str = "/_/docs/";
const NOT_FOUND_PAGE: &str = "404.html";
/// Content Security Policy: the documentation loads nothing from other origins. The icons in its style sheet are `data:` images.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; \
    connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";
const NOT_BUILT: &str =
    "Not found: this program was compiled without the documentation (scripts/build-web builds it)\n";

/// Returns the routes of the documentation.
pub fn docs_router() -> Router {
    let content = Content::new(Assets::Docs, Value::Null);
    Router::new()
        .route("/_/docs", get(async || Redirect::permanent(PREFIX)))
        .route(PREFIX, get(serve))
        .route("/_/docs/{*path}", get(serve))
        .with_state(content)
}

async fn serve(State(content): State<Content>, uri: Uri, request: Request) -> Response {
    let path = uri.path().strip_prefix(PREFIX).unwrap_or_default();
    let mut response = match page(&content, path, request.headers()).await {
        Some(found) => found,
        None => not_found(&content, request.headers()).await,
    };
    headers::secure(response.headers_mut());
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    response.headers_mut().insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}

/// Returns the file of the documentation for a path. A page is found with or without `.html` at the end of the path. For the path of a
/// folder, the folder's index.html is returned. `None` if there is no such file.
async fn page(content: &Content, path: &str, asked: &HeaderMap) -> Option<Response> {
    if path.is_empty() || path.ends_with('/') {
        return file(content, &format!("{path}index.html"), asked).await;
    }
    match file(content, path, asked).await {
        Some(found) => Some(found),
        None => file(content, &format!("{path}.html"), asked).await,
    }
}

async fn not_found(content: &Content, asked: &HeaderMap) -> Response {
    // Remove `If-None-Match` from the request. Otherwise the response could have status 304 instead of 404, and the client would assume
    // that the page exists.
    let mut headers = asked.clone();
    headers.remove(IF_NONE_MATCH);
    match file(content, NOT_FOUND_PAGE, &headers).await {
        Some(mut page) => {
            *page.status_mut() = StatusCode::NOT_FOUND;
            page
        }
        None => (StatusCode::NOT_FOUND, NOT_BUILT).into_response(),
    }
}

#[cfg(test)]
#[path = "docs_tests.rs"]
mod tests;
