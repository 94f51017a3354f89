use std::io::Read;

use axum::body::{Body, to_bytes};
use flate2::read::GzDecoder;
use http::header::{ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, LOCATION};
use tower::ServiceExt;

use super::*;

const MAX_BYTES: usize = 4 << 20;

async fn send(request: http::request::Builder) -> (StatusCode, HeaderMap, Vec<u8>) {
    let response = docs_router().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
    let (parts, body) = response.into_parts();
    (parts.status, parts.headers, to_bytes(body, MAX_BYTES).await.unwrap().to_vec())
}

async fn text(path: &str) -> (StatusCode, HeaderMap, String) {
    let (status, headers, body) = send(Request::get(path)).await;
    (status, headers, String::from_utf8(body).unwrap())
}

/// Whether the program contains the documentation. Without it, the tests check only the responses to paths that must be refused.
async fn is_built() -> bool {
    text(PREFIX).await.0 == StatusCode::OK
}

#[tokio::test]
async fn a_missing_page_is_not_found_and_never_another_page() {
    for path in [
        "/_/docs/gone",
        "/_/docs/assets/gone.js",
        "/_/docs/../start.html",
        "/_/docs/%2e%2e/start.html",
        "/_/docs/start/",
    ] {
        let (status, headers, _) = text(path).await;
        assert_eq!(status, StatusCode::NOT_FOUND, "{path}");
        assert_eq!(headers[CONTENT_SECURITY_POLICY], POLICY, "{path}");
    }
    if is_built().await {
        let tag = text("/_/docs/gone").await.1[ETAG].clone();
        assert_eq!(send(Request::get("/_/docs/gone").header(IF_NONE_MATCH, tag)).await.0, StatusCode::NOT_FOUND);
    }
}

#[tokio::test]
async fn the_path_without_a_slash_leads_to_the_first_page() {
    let (status, headers, _) = text("/_/docs").await;
    assert_eq!((status, &headers[LOCATION]), (StatusCode::PERMANENT_REDIRECT, &HeaderValue::from_static(PREFIX)));
}

#[tokio::test]
async fn no_script_or_style_of_a_page_is_inline_or_of_another_origin() {
    assert!(!POLICY.contains("unsafe") && !POLICY.contains("http"), "{POLICY}");
    if !is_built().await {
        return;
    }
    for path in ["/_/docs/", "/_/docs/start.html", "/_/docs/start", "/_/docs/decisions/", "/_/docs/gone"] {
        let (_, headers, page) = text(path).await;
        assert_eq!(headers[CONTENT_TYPE], "text/html; charset=utf-8", "{path}");
        assert_eq!(headers[CACHE_CONTROL], "no-cache", "{path}");
        assert!(!page.contains(" style=\"") && !page.contains("<style"), "{path} has inline styles");
        let scripts: Vec<&str> = page.split("<script").skip(1).filter_map(|rest| rest.split('>').next()).collect();
        assert!(!scripts.is_empty(), "{path}");
        for script in scripts {
            assert!(script.contains(" src=\"/_/docs/"), "{path}: <script{script}>");
        }
    }
}

#[tokio::test]
async fn a_client_without_gzip_gets_the_same_text() {
    if !is_built().await {
        return;
    }
    for path in ["/_/docs/start.html", "/_/docs/start.md", "/_/docs/llms.txt"] {
        let (status, headers, plain) = send(Request::get(path)).await;
        assert_eq!((status, headers.get(CONTENT_ENCODING)), (StatusCode::OK, None), "{path}");
        let (status, headers, packed) = send(Request::get(path).header(ACCEPT_ENCODING, "br, gzip")).await;
        assert_eq!((status, &headers[CONTENT_ENCODING]), (StatusCode::OK, &HeaderValue::from_static("gzip")), "{path}");
        let mut unpacked = Vec::new();
        GzDecoder::new(packed.as_slice()).read_to_end(&mut unpacked).unwrap();
        assert!(unpacked == plain && packed.len() < plain.len(), "{path}");
    }
}
