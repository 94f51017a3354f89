use axum::body::{Body, to_bytes};
use tower::ServiceExt;

use super::*;

async fn answer(path: &str) -> (StatusCode, HeaderMap, String) {
    let request = Request::get(path).body(Body::empty()).unwrap();
    let response = dashboard_router().oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    let body = to_bytes(body, 1 << 20).await.unwrap();
    (parts.status, parts.headers, String::from_utf8_lossy(&body).into_owned())
}

#[tokio::test]
async fn every_page_forbids_foreign_scripts_and_frames() {
    for path in ["/_/", "/_/tables/public", "/_/welcome", "/_/index.html"] {
        let (status, headers, body) = answer(path).await;
        let policy = headers[CONTENT_SECURITY_POLICY].to_str().unwrap();
        assert_eq!(status, StatusCode::OK, "{path}");
        assert!(policy.contains("script-src 'self';") && policy.contains("frame-ancestors 'none'"), "{policy}");
        assert!(policy.contains("style-src 'self';") && !policy.contains("unsafe"), "{policy}");
        assert!(body.contains("<!doctype html>"), "{body}");
    }
}

#[tokio::test]
async fn a_missing_file_is_no_page() {
    assert_eq!(answer("/_/assets/gone.js").await.0, StatusCode::NOT_FOUND);
}
