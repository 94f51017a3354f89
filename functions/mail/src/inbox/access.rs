//! Who may read the inbox.
//!
//! Someone at this machine: the peer is loopback, no proxy speaks for someone else, and the browser did not come from another site
//! (its `Host` is a name of this machine, which DNS rebinding cannot fake; `Origin` and `Sec-Fetch-Site` do not say otherwise). Or
//! a caller with the service key. Where real mail is sent, the key alone (see [`crate::Settings::local_inbox`]).

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use cloch_sql::caller::{self, ClientAddress};
use http::header::{CACHE_CONTROL, HOST, ORIGIN, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, StatusCode};

use crate::Mailer;

/// Refuses everyone else with 403, and keeps answers out of caches.
pub(super) async fn guard(State(mailer): State<Mailer>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let holds_key = caller::of_request(&parts).is_ok_and(|caller| caller.is_service_role());
    let is_local = mailer.settings().opens_inbox_locally() && is_at_this_machine(&parts);
    if !holds_key && !is_local {
        return (StatusCode::FORBIDDEN, "The inbox is open on this machine and to the service key only.\n")
            .into_response();
    }
    let mut response = next.run(Request::from_parts(parts, body)).await;
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

fn is_at_this_machine(parts: &Parts) -> bool {
    ClientAddress::of_request(parts).is_some_and(ClientAddress::is_loopback)
        && !speaks_for_another(&parts.headers)
        && host(parts).is_some_and(|host| is_this_machine(&host))
        && !comes_from_another_site(parts)
}

fn speaks_for_another(headers: &HeaderMap) -> bool {
    ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"]
        .iter()
        .any(|name| headers.contains_key(*name))
}

/// The host and port a request names: HTTP/2 puts it into the URI.
fn host(parts: &Parts) -> Option<String> {
    let header = parts.headers.get(HOST).and_then(|value| value.to_str().ok());
    header.map(str::to_owned).or_else(|| parts.uri.authority().map(ToString::to_string))
}

fn is_this_machine(host: &str) -> bool {
    let Ok(authority) = host.parse::<http::uri::Authority>() else { return false };
    let name = authority.host();
    let name = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn comes_from_another_site(parts: &Parts) -> bool {
    let text = |name: &str| parts.headers.get(name).map(|value| value.to_str().unwrap_or("?").to_owned());
    let other_origin = text(ORIGIN.as_str()).is_some_and(|origin| {
        let origin_host = origin.split_once("://").map(|(_, host)| host.to_owned());
        origin_host.is_none() || origin_host != host(parts)
    });
    let other_site = text("sec-fetch-site").is_some_and(|site| !matches!(site.as_str(), "same-origin" | "none"));
    // A link from elsewhere may open the page: a reader navigates there on purpose and no script of that site sees it.
    let navigates = text("sec-fetch-mode").as_deref() == Some("navigate") && parts.method == http::Method::GET;
    other_origin || (other_site && !navigates)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn allowed(client: &str, method: &str, headers: &[(&str, &str)]) -> bool {
        let mut builder = Request::builder().method(method).uri("/");
        for (name, value) in headers {
            builder = builder.header(*name, *value);
        }
        let (mut parts, ()) = builder.body(()).unwrap().into_parts();
        parts.extensions.insert(ClientAddress(client.parse().unwrap()));
        is_at_this_machine(&parts)
    }

    #[test]
    fn refuses_everyone_but_this_machine() {
        let local = ("host", "127.0.0.1:54321");
        assert!(!allowed("192.0.2.7", "GET", &[local]), "another machine");
        assert!(!allowed("127.0.0.1", "GET", &[local, ("x-forwarded-for", "192.0.2.7")]), "a proxy");
        assert!(!allowed("127.0.0.1", "GET", &[("host", "evil.example:54321")]), "DNS rebinding");
        assert!(!allowed("127.0.0.1", "GET", &[("host", "127.0.0.1.evil.example")]), "DNS rebinding");
        assert!(!allowed("127.0.0.1", "GET", &[]), "no host");
        assert!(!allowed("127.0.0.1", "GET", &[local, ("origin", "https://evil.example")]), "another site's fetch");
        assert!(!allowed("127.0.0.1", "GET", &[local, ("origin", "null")]), "a sandboxed page's fetch");
        assert!(!allowed("127.0.0.1", "GET", &[local, ("sec-fetch-site", "cross-site")]), "another site's image");
        let navigation = [local, ("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate")];
        assert!(!allowed("127.0.0.1", "POST", &navigation), "another site's form");
    }

    #[test]
    fn lets_in_the_reader_at_this_machine() {
        assert!(allowed("127.0.0.1", "GET", &[("host", "127.0.0.1:54321")]));
        assert!(allowed("::1", "GET", &[("host", "[::1]:54321")]));
        let own =
            [("host", "localhost:54321"), ("origin", "http://localhost:54321"), ("sec-fetch-site", "same-origin")];
        assert!(allowed("127.0.0.1", "POST", &own));
    }
}
