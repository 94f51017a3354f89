//! Converts a request of HTTP/2 to the form of HTTP/1.1, as RFC 9113 describes it for gateways (sections 8.2.3 and 8.3.1).

use std::net::SocketAddr;

use axum::body::Body;
use axum::extract::{ConnectInfo, Request};
use http::header::{COOKIE, HOST};
use http::uri::{Authority, PathAndQuery, Uri};
use http::{HeaderMap, HeaderValue, Version};
use hyper::body::{Body as _, Incoming};

use super::request_body::RequestBody;

/// Returns the request with the path as its target, the authority in the header `Host`, and one `Cookie` header.
pub(super) fn to_http1_form(request: Request<Incoming>, peer: SocketAddr) -> Request {
    let mut request = request.map(|body| match body.is_end_stream() {
        true => Body::empty(),
        false => Body::new(RequestBody::new(body)),
    });
    request.extensions_mut().insert(ConnectInfo(peer));
    *request.version_mut() = Version::HTTP_11;
    if let Some(authority) = request.uri().authority().cloned() {
        add_host(request.headers_mut(), &authority);
    }
    if let Some(path) = request.uri().path_and_query().map(PathAndQuery::to_owned) {
        *request.uri_mut() = Uri::from(path);
    }
    join_cookies(request.headers_mut());
    request
}

/// Adds the authority as the header `Host`. If the request already contains another `Host` header, both headers remain. The request is then
/// refused like an HTTP/1.1 request with two `Host` headers, because a proxy and this server could assign it to different sites.
fn add_host(headers: &mut HeaderMap, authority: &Authority) {
    let is_equal = |host: &HeaderValue| host.as_bytes().eq_ignore_ascii_case(authority.as_str().as_bytes());
    let Ok(host) = HeaderValue::from_str(authority.as_str()) else { return };
    if headers.get_all(HOST).iter().all(is_equal) {
        headers.insert(HOST, host);
    } else {
        headers.append(HOST, host);
    }
}

/// Joins the `Cookie` headers, which clients of HTTP/2 may split for a better compression.
fn join_cookies(headers: &mut HeaderMap) {
    let cookies: Vec<&[u8]> = headers.get_all(COOKIE).iter().map(HeaderValue::as_bytes).collect();
    if cookies.len() > 1
        && let Ok(joined) = HeaderValue::from_bytes(&cookies.join(&b"; "[..]))
    {
        headers.insert(COOKIE, joined);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(host: Option<&str>, authority: &str) -> Vec<String> {
        let mut headers = HeaderMap::new();
        if let Some(host) = host {
            headers.insert(HOST, host.parse().unwrap());
        }
        add_host(&mut headers, &authority.parse().unwrap());
        headers.get_all(HOST).iter().map(|host| host.to_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn the_authority_is_the_host() {
        assert_eq!(hosts(None, "club.example:8443"), ["club.example:8443"]);
        assert_eq!(hosts(Some("Club.example"), "club.example"), ["club.example"]);
        assert_eq!(hosts(Some("other.example"), "club.example"), ["other.example", "club.example"]);
    }

    #[test]
    fn split_cookies_are_joined() {
        let mut headers = HeaderMap::new();
        for cookie in ["a=1", "b=2; c=3", "d=4"] {
            headers.append(COOKIE, cookie.parse().unwrap());
        }
        join_cookies(&mut headers);
        assert_eq!(headers.get_all(COOKIE).iter().collect::<Vec<_>>(), ["a=1; b=2; c=3; d=4"]);
    }
}
