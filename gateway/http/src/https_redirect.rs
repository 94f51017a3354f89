//! Redirects requests over plain HTTP to HTTPS (`[server] redirect_http`).
//!
//! Browsers connect to port 80 if the user types a host name without a scheme. GET and HEAD requests are redirected (308, RFC 9110, section
//! 15.4.9). Requests with another method are refused: if a redirect made them succeed, a client that sends API keys and rows without
//! encryption would continue to do so.

use std::sync::Arc;

use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONNECTION, LOCATION};
use http::{HeaderMap, Method, StatusCode, Uri, header};
use url::Url;

/// Path prefix of ACME challenges, which certificate authorities request over plain HTTP (RFC 8555, section 8.3). Requests below this prefix
/// are not redirected.
const CHALLENGES: &str = "/.well-known/acme-challenge/";
/// Cache time of a redirect in browsers: one day, because the operator may disable HTTPS later.
const REDIRECT_CACHE_CONTROL: &str = "max-age=86400";

/// Redirect from plain HTTP to the server's HTTPS URL. Cheap to clone.
#[derive(Clone, Debug)]
pub struct HttpsRedirect(Arc<Target>);

#[derive(Debug)]
struct Target {
    /// Host names that the HTTPS server serves, in lower case. Requests for any other name are redirected to the first name.
    names: Vec<String>,
    /// HTTPS port with a leading colon. Empty for port 443.
    port: String,
}

impl HttpsRedirect {
    /// Creates a redirect to `url`, the public address of HTTPS. `others` are additional host names that HTTPS serves.
    #[must_use]
    pub fn new(url: &Url, others: &[String]) -> Self {
        let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
        let mut names: Vec<String> = url.host_str().map(str::to_ascii_lowercase).into_iter().collect();
        names.extend(others.iter().filter(|name| url.host_str() != Some(name)).cloned());
        Self(Arc::new(Target { names, port }))
    }

    /// Returns the response to a request over plain HTTP: for GET and HEAD a redirect to HTTPS, for other methods status 403. Returns
    /// `None` for ACME challenges, which are served over plain HTTP.
    pub(super) fn answer(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Option<Response> {
        if uri.path().starts_with(CHALLENGES) {
            return None;
        }
        let asked = headers.get(header::HOST).and_then(|host| host.to_str().ok());
        let origin = format!("https://{}{}", self.name(asked), self.0.port);
        if !matches!(*method, Method::GET | Method::HEAD) {
            let message = format!("Plain HTTP is not served here: use {origin}");
            let body = axum::Json(serde_json::json!({ "message": message }));
            return Some((StatusCode::FORBIDDEN, [(CONNECTION, "close")], body).into_response());
        }
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        let location = format!("{origin}{path}");
        let headers = [(LOCATION, location.as_str()), (CACHE_CONTROL, REDIRECT_CACHE_CONTROL)];
        Some((StatusCode::PERMANENT_REDIRECT, headers).into_response())
    }

    fn name(&self, asked: Option<&str>) -> &str {
        let host = asked.map(|host| host.rsplit_once(':').map_or(host, |(name, _)| name)).unwrap_or_default();
        let known = self.0.names.iter().find(|name| name.eq_ignore_ascii_case(host));
        known.or(self.0.names.first()).map_or("localhost", String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(redirect: &HttpsRedirect, method: Method, uri: &str, host: &str) -> Option<(u16, Option<String>)> {
        let headers = HeaderMap::from_iter([(header::HOST, host.parse().unwrap())]);
        let response = redirect.answer(&method, &uri.parse().unwrap(), &headers)?;
        let location = response.headers().get(LOCATION).map(|value| value.to_str().unwrap().to_owned());
        Some((response.status().as_u16(), location))
    }

    fn club() -> HttpsRedirect {
        let names = ["club.example".to_owned(), "www.club.example".to_owned()];
        HttpsRedirect::new(&Url::parse("https://club.example").unwrap(), &names)
    }

    #[test]
    fn reads_are_led_to_the_same_path_of_a_name_of_ours() {
        for (host, name) in [
            ("club.example", "club.example"),
            ("WWW.club.example:80", "www.club.example"),
            ("elsewhere.example", "club.example"),
            ("192.0.2.7", "club.example"),
            ("[::1]:80", "club.example"),
        ] {
            let expected = format!("https://{name}/about?page=2&q=a%20b");
            let found = answered(&club(), Method::GET, "/about?page=2&q=a%20b", host);
            assert_eq!(found, Some((308, Some(expected))), "{host}");
        }
        assert_eq!(
            answered(&club(), Method::HEAD, "/", "club.example"),
            Some((308, Some("https://club.example/".into())))
        );
        let absolute = answered(&club(), Method::GET, "http://elsewhere.example/x", "club.example");
        assert_eq!(absolute, Some((308, Some("https://club.example/x".into()))));
        let twice = answered(&club(), Method::GET, "//elsewhere.example/x", "club.example");
        assert_eq!(twice, Some((308, Some("https://club.example//elsewhere.example/x".into()))));
    }

    #[test]
    fn another_port_is_named() {
        let redirect = HttpsRedirect::new(&Url::parse("https://club.example:8443").unwrap(), &[]);
        let found = answered(&redirect, Method::GET, "/", "club.example");
        assert_eq!(found, Some((308, Some("https://club.example:8443/".into()))));
    }

    #[test]
    fn what_sends_something_is_refused() {
        for method in [Method::POST, Method::PUT, Method::DELETE, Method::OPTIONS] {
            assert_eq!(answered(&club(), method, "/rest/v1/entries", "club.example"), Some((403, None)));
        }
    }

    #[test]
    fn an_authority_is_answered() {
        assert_eq!(answered(&club(), Method::GET, "/.well-known/acme-challenge/token", "club.example"), None);
    }
}
