//! Validates the `Host` header: over HTTP/1.1, exactly one valid header is required (RFC 9112, section 3.2). If a request had several `Host`
//! headers, a proxy and this server could assign it to different sites.

use std::net::SocketAddr;

use axum::Json;
use axum::extract::{ConnectInfo, Request};
use axum::response::{IntoResponse, Response};
use http::header::HOST;
use http::uri::Authority;
use http::{HeaderValue, StatusCode, Version};
use serde_json::json;

/// Returns the 400 response to a request without exactly one valid `Host` header. `None` for valid requests.
pub(crate) fn refuse_invalid(request: &Request) -> Option<Response> {
    let mut hosts = request.headers().get_all(HOST).iter();
    let message = match (hosts.next(), hosts.next()) {
        (Some(_), Some(_)) => "more than one Host header",
        (Some(host), None) if !is_valid(host) => "the Host header is no host name with an optional port",
        // HTTP/1.0 does not require a `Host` header. Requests that the program sends to itself use no network connection and have no `Host`
        // header.
        (None, _) if request.version() == Version::HTTP_11 && came_over_network(request) => "no Host header",
        _ => return None,
    };
    let body = json!({
        "code": "400", "message": message, "statusCode": "400", "error": "Bad Request", "msg": message,
    });
    Some((StatusCode::BAD_REQUEST, Json(body)).into_response())
}

fn came_over_network(request: &Request) -> bool {
    request.extensions().get::<ConnectInfo<SocketAddr>>().is_some()
}

/// Whether the value of `Host` is `host[:port]` or empty. Clients that know no name of the server send an empty value.
fn is_valid(host: &HeaderValue) -> bool {
    // Most values consist only of characters of host names and ports. All other values, such as an IPv6 address in brackets, are checked by
    // the URI parser.
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b':');
    host.as_bytes().iter().all(is_name)
        || host.to_str().is_ok_and(|text| !text.contains('@') && text.parse::<Authority>().is_ok())
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn refused(version: Version, hosts: &[&str]) -> bool {
        let mut request = Request::new(Body::empty());
        *request.version_mut() = version;
        request.extensions_mut().insert(ConnectInfo(SocketAddr::from(([192, 0, 2, 1], 1))));
        for host in hosts {
            request.headers_mut().append(HOST, HeaderValue::from_bytes(host.as_bytes()).unwrap());
        }
        refuse_invalid(&request).is_some_and(|response| response.status() == StatusCode::BAD_REQUEST)
    }

    #[test]
    fn two_hosts_none_and_nonsense_are_refused() {
        assert!(refused(Version::HTTP_11, &[]));
        for version in [Version::HTTP_10, Version::HTTP_11] {
            assert!(refused(version, &["a.example", "b.example"]), "{version:?}");
            for host in ["a.example/x", "user@a.example", "a.example, b.example", "a b", "[::1", "a?b", "é"] {
                assert!(refused(version, &[host]), "{version:?} {host}");
            }
        }
    }

    #[test]
    fn one_host_is_taken() {
        for host in ["a.example", "127.0.0.1:54321", "[::1]:54321", "a_b.example:80", ""] {
            assert!(!refused(Version::HTTP_11, &[host]), "{host}");
        }
        assert!(!refused(Version::HTTP_10, &[]));
    }

    #[test]
    fn a_request_that_the_program_makes_needs_none() {
        assert!(refuse_invalid(&Request::new(Body::empty())).is_none());
    }
}
