//! Sets security headers: browsers must not guess another content type for the APIs' responses, responses with tokens must not be cached,
//! pages of the project's functions run in an origin of their own, and browsers must use HTTPS (HSTS) if clients reach the server over HTTPS.

use axum::extract::Request;
use axum::response::Response;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderValue};

const NOSNIFF: HeaderValue = HeaderValue::from_static("nosniff");
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");
/// HSTS for one year, as required by ASVS 3.4.1. Subdomains are not included, because the operator may use subdomains for other servers.
const HSTS: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// Policy of a page that a function of the project returns. Such a page often contains text of users, and it has the same host as the app and
/// the dashboard. The page may run scripts and send forms, but it has an opaque origin: it cannot read the sessions of the app, and its requests
/// carry no cookies of the dashboard (HTML standard, "sandboxed origin browsing context flag").
const PAGE_SANDBOX: HeaderValue = HeaderValue::from_static(
    "sandbox allow-downloads allow-forms allow-modals allow-popups allow-popups-to-escape-sandbox allow-scripts",
);
/// Media types that are data in every browser. Documents cannot be listed completely: any subtype that ends in `+xml` is one.
const DATA_TYPES: [&str; 12] = [
    "application/json",
    "application/vnd.pgrst.array+json",
    "application/vnd.pgrst.object+json",
    "application/vnd.pgrst.plan+json",
    "application/vnd.pgrst.plan+text",
    "application/geo+json",
    "application/openapi+json",
    "application/octet-stream",
    "application/graphql-response+json",
    "text/plain",
    "text/csv",
    "text/event-stream",
];

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
    is_by_project: bool,
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
        // The project's functions, in TypeScript and in SQL, determine the type and the content of these responses.
        let is_by_project = ["/rest/v1", "/functions/v1", "/graphql/v1"].iter().any(is_below);
        let is_api =
            holds_secrets || is_by_project || ["/storage/v1", "/realtime/v1", "/health", "/_"].iter().any(is_below);
        ResponseSecurityHeaders { is_https: self.is_https, is_api, is_by_project, holds_secrets }
    }
}

impl ResponseSecurityHeaders {
    /// Adds the security headers to a response. Headers that an API has set are kept.
    pub(crate) fn add_to(self, response: &mut Response) {
        let headers = response.headers_mut();
        if self.is_api {
            headers.entry(X_CONTENT_TYPE_OPTIONS).or_insert(NOSNIFF);
        }
        if self.is_by_project && may_be_page(headers) {
            headers.entry(CONTENT_SECURITY_POLICY).or_insert(PAGE_SANDBOX);
        }
        if self.holds_secrets {
            headers.entry(CACHE_CONTROL).or_insert(NO_STORE);
        }
        if self.is_https {
            headers.entry(STRICT_TRANSPORT_SECURITY).or_insert(HSTS);
        }
    }
}

fn may_be_page(headers: &HeaderMap) -> bool {
    headers.get_all(CONTENT_TYPE).iter().any(|value| !is_data(value.as_bytes()))
}

/// Whether the media type is one of [`DATA_TYPES`]. A value with a comma is a list, of which browsers use the last media type (Fetch standard,
/// "extract a MIME type").
fn is_data(media_type: &[u8]) -> bool {
    let essence = media_type.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
    !media_type.contains(&b',') && DATA_TYPES.iter().any(|known| essence.eq_ignore_ascii_case(known.as_bytes()))
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

    /// Returns the policy of a response with this media type, and perhaps with a policy of its own.
    fn policy(path: &str, media_type: &'static str, own: Option<&'static str>) -> Option<String> {
        let request = Request::get(path).body(Body::empty()).unwrap();
        let mut response = Response::new(Body::empty());
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
        if let Some(own) = own {
            response.headers_mut().insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(own));
        }
        SecurityHeaders::default().of(&request).add_to(&mut response);
        response.headers().get(CONTENT_SECURITY_POLICY).map(|value| value.to_str().unwrap().to_owned())
    }

    #[test]
    fn pages_of_the_project_have_an_origin_of_their_own() {
        for path in ["/functions/v1/page", "/rest/v1/rpc/page", "/graphql/v1"] {
            for page in [
                "text/html",
                "Text/HTML; charset=utf-8",
                "image/svg+xml",
                "application/xhtml+xml",
                "text/xml",
                "x",
                "application/json+xml",
                "application/vnd.pgrst.object+xml",
                "text/plain, text/html",
                "text/plain; a=b, text/html",
            ] {
                assert!(policy(path, page, None).unwrap().starts_with("sandbox "), "{path} {page}");
            }
            for data in
                ["application/json; charset=utf-8", "Application/JSON", "text/csv", "application/vnd.pgrst.object+json"]
            {
                assert_eq!(policy(path, data, None), None, "{path} {data}");
            }
        }
        assert_eq!(policy("/functions/v1/page", "text/html", Some("default-src 'self'")), some("default-src 'self'"));
        assert_eq!(policy("/", "text/html", None), None);
    }

    #[test]
    fn https_stays_https_only_where_it_is() {
        for path in ["/", "/rest/v1/schools"] {
            assert_eq!(headers(true, path, None)[2], some("max-age=31536000"), "{path}");
            assert_eq!(headers(false, path, None)[2], None, "{path}");
        }
    }
}
