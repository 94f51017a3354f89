//! Sets security headers: browsers must not guess another content type for the APIs' responses, responses with tokens must not be cached,
//! and browsers must use HTTPS (HSTS) if clients reach the server over HTTPS.

use axum::extract::Request;
use axum::response::Response;
use http::HeaderValue;
use http::header::{CACHE_CONTROL, STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS};

const NOSNIFF: HeaderValue = HeaderValue::from_static("nosniff");
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");
/// HSTS for one year, as required by ASVS 3.4.1. Subdomains are not included, because the operator may use subdomains for other servers.
const HSTS: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// Settings of the security headers.
#[derive(Clone, Copy, Debug, Default)]
pub struct SecurityHeaders {
    /// Whether clients reach the server over HTTPS (`[api] external_url`).
    pub is_https: bool,
}

/// Security headers of one response, determined from its request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ResponseSecurityHeaders {
    is_https: bool,
    is_api: bool,
    holds_secrets: bool,
}

impl SecurityHeaders {
    pub(crate) fn of(self, request: &Request) -> ResponseSecurityHeaders {
        let path = request.uri().path();
        let is_below =
            |prefix: &&str| path.strip_prefix(prefix).is_some_and(|rest| matches!(rest.as_bytes(), [] | [b'/', ..]));
        // These paths return auth sessions and mails with sign-in links, which must not be cached. Clients may cache responses of the table
        // REST API.
        let holds_secrets = ["/auth/v1", "/_/inbox"].iter().any(is_below);
        let is_api = holds_secrets
            || ["/rest/v1", "/storage/v1", "/functions/v1", "/realtime/v1", "/graphql/v1", "/health", "/_"]
                .iter()
                .any(is_below);
        ResponseSecurityHeaders { is_https: self.is_https, is_api, holds_secrets }
    }
}

impl ResponseSecurityHeaders {
    /// Adds the security headers to a response. Headers that an API has set are kept.
    pub(crate) fn add_to(self, response: &mut Response) {
        let headers = response.headers_mut();
        if self.is_api {
            headers.entry(X_CONTENT_TYPE_OPTIONS).or_insert(NOSNIFF);
        }
        if self.holds_secrets {
            headers.entry(CACHE_CONTROL).or_insert(NO_STORE);
        }
        if self.is_https {
            headers.entry(STRICT_TRANSPORT_SECURITY).or_insert(HSTS);
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn headers(is_https: bool, path: &str, own: Option<&'static str>) -> [Option<String>; 3] {
        let request = Request::get(path).body(Body::empty()).unwrap();
        let mut response = Response::new(Body::empty());
        if let Some(own) = own {
            response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static(own));
        }
        SecurityHeaders { is_https }.of(&request).add_to(&mut response);
        [X_CONTENT_TYPE_OPTIONS, CACHE_CONTROL, STRICT_TRANSPORT_SECURITY]
            .map(|name| response.headers().get(name).map(|value| value.to_str().unwrap().to_owned()))
    }

    fn some(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    #[test]
    fn answers_with_tokens_are_not_stored() {
        for path in ["/auth/v1/token?grant_type=password", "/auth/v1", "/_/inbox/api/messages"] {
            assert_eq!(headers(false, path, None), [some("nosniff"), some("no-store"), None], "{path}");
        }
        let jwks = headers(false, "/auth/v1/.well-known/jwks.json", Some("public, max-age=600"));
        assert_eq!(jwks, [some("nosniff"), some("public, max-age=600"), None]);
    }

    #[test]
    fn no_type_of_an_apis_answer_is_guessed() {
        for path in
            ["/rest/v1/schools", "/storage/v1/object/a/b", "/functions/v1/x", "/realtime/v1/api/ping", "/health"]
        {
            assert_eq!(headers(false, path, None), [some("nosniff"), None, None], "{path}");
        }
        for path in ["/", "/rest/v10", "/authors"] {
            assert_eq!(headers(false, path, None), [None, None, None], "{path}");
        }
    }

    #[test]
    fn https_stays_https_only_where_it_is() {
        for path in ["/", "/rest/v1/schools"] {
            assert_eq!(headers(true, path, None)[2], some("max-age=31536000"), "{path}");
            assert_eq!(headers(false, path, None)[2], None, "{path}");
        }
    }
}
