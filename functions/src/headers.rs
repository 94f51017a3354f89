//! Filters the headers of forwarded requests and responses.

use axum::body::Body;
use axum::response::Response;
use http::header::{
    CONNECTION, CONTENT_LENGTH, PROXY_AUTHENTICATE, PROXY_AUTHORIZATION, TE, TRAILER, TRANSFER_ENCODING, UPGRADE,
};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

/// Hop-by-hop headers (RFC 9110, section 7.6.1).
const HOP_BY_HOP: [HeaderName; 9] = [
    CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION,
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
];

/// Returns the headers without hop-by-hop headers and without the headers that `Connection` lists.
pub(crate) fn without_hop_by_hop(headers: &HeaderMap) -> HeaderMap {
    let named: Vec<String> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(',').map(|name| name.trim().to_ascii_lowercase()))
        .collect();
    let stays = |name: &HeaderName| !HOP_BY_HOP.contains(name) && !named.iter().any(|other| other == name.as_str());
    headers.iter().filter(|(name, _)| stays(name)).map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// Returns a response with status 205 and the given headers. Such a response has no content (RFC 9110, section 15.3.6). Servers such as
/// Deno's send it without a length, so a client would wait for a body until the connection ends. Therefore `Content-Length` is set to 0.
pub(crate) fn reset_content(headers: HeaderMap) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::RESET_CONTENT;
    *response.headers_mut() = headers;
    response.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
    response
}

/// Returns the headers that a function receives. Hop-by-hop headers are removed. `x-cloch-…` headers are removed too, because Cloch sends
/// the verified caller in these headers and a client could forge them.
pub(crate) fn of_request(headers: &HeaderMap) -> HeaderMap {
    let mut passed = without_hop_by_hop(headers);
    let ours: Vec<HeaderName> = passed.keys().filter(|name| name.as_str().starts_with("x-cloch-")).cloned().collect();
    for name in ours {
        passed.remove(name);
    }
    passed
}
