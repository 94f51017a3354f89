//! CORS headers of functions in Rust and of error responses. Pages of every origin may call a function, because access depends on the
//! access token, not on the origin. A function in TypeScript sets its own CORS headers.

use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS, VARY,
};
use http::{HeaderMap, HeaderValue, Response, StatusCode};

/// Returns the response to a CORS preflight request. Allows all headers that the page requests, because new versions of client libraries
/// add headers.
pub(crate) fn preflight(request: &HeaderMap) -> axum::response::Response {
    let mut response = Response::new(axum::body::Body::from("ok"));
    *response.status_mut() = StatusCode::OK;
    let headers = response.headers_mut();
    let asked = request.get(ACCESS_CONTROL_REQUEST_HEADERS).cloned();
    let usual = HeaderValue::from_static("authorization, x-client-info, apikey, content-type");
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, asked.unwrap_or(usual));
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST, PUT, PATCH, DELETE, OPTIONS"));
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("3600"));
    headers.insert(VARY, HeaderValue::from_static("Access-Control-Request-Headers"));
    allow_origin(headers);
    response
}

/// Allows any origin to read the response, unless the function has already set `Access-Control-Allow-Origin`.
pub(crate) fn allow_origin(headers: &mut HeaderMap) {
    if !headers.contains_key(ACCESS_CONTROL_ALLOW_ORIGIN) {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        let exposed = HeaderValue::from_static("retry-after, x-relay-error");
        headers.entry(ACCESS_CONTROL_EXPOSE_HEADERS).or_insert(exposed);
    }
}
