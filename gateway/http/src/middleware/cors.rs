//! CORS headers of API responses. If an API has set CORS headers itself, they are kept. The files of the web app get no CORS headers.

use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS,
    ACCESS_CONTROL_REQUEST_METHOD, ORIGIN, VARY,
};
use http::{HeaderMap, HeaderValue, Method, StatusCode};

const ALLOWED_METHODS: HeaderValue = HeaderValue::from_static("GET,HEAD,PUT,PATCH,POST,DELETE,OPTIONS");
const ANY_ORIGIN: HeaderValue = HeaderValue::from_static("*");
const EXPOSED_HEADERS: HeaderValue = HeaderValue::from_static(
    "Content-Range, Content-Location, Location, X-Total-Count, Link, X-Supabase-Api-Version, x-relay-error, Upload-Offset, \
     Upload-Length, Tus-Resumable, ETag, Content-Encoding, X-Request-Id, Cloch-Lsn",
);
/// Time in seconds for which browsers cache a preflight response. API keys and policies are still checked for each request.
const PREFLIGHT_MAX_AGE: HeaderValue = HeaderValue::from_static("3600");

/// Whether web pages of other origins may read the response to a request. They may read all responses of the APIs, because clients send API
/// keys and tokens in headers and never in cookies: a browser does not add a user's token to a request that a foreign page sends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cors {
    is_api: bool,
}

impl Cors {
    pub(crate) fn of(request: &Request) -> Self {
        Self { is_api: is_api(request.uri().path()) }
    }

    /// Returns the response to a preflight request. `None` for other requests, and for requests to functions, which implement CORS
    /// themselves.
    pub(crate) fn preflight_response(self, request: &Request) -> Option<Response> {
        let is_function = request.uri().path().starts_with("/functions/v1/");
        (self.is_api && !is_function && is_preflight(request)).then(|| preflight(request.headers()).into_response())
    }

    /// If the request is for an API, adds the CORS headers that allow pages of any origin to read the response.
    pub(crate) fn add_to(self, response: &mut Response) {
        if self.is_api && !response.headers().contains_key(ACCESS_CONTROL_ALLOW_ORIGIN) {
            response.headers_mut().insert(ACCESS_CONTROL_ALLOW_ORIGIN, ANY_ORIGIN);
            response.headers_mut().entry(ACCESS_CONTROL_EXPOSE_HEADERS).or_insert(EXPOSED_HEADERS);
        }
    }
}

fn is_api(path: &str) -> bool {
    ["/rest/v1", "/auth/v1", "/storage/v1", "/functions/v1", "/realtime/v1", "/graphql/v1"]
        .iter()
        .any(|prefix| path.starts_with(prefix))
}

fn is_preflight(request: &Request) -> bool {
    let headers = request.headers();
    request.method() == Method::OPTIONS
        && headers.contains_key(ORIGIN)
        && headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

fn preflight(asked: &HeaderMap) -> (StatusCode, HeaderMap) {
    let mut headers = HeaderMap::new();
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, ANY_ORIGIN);
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, ALLOWED_METHODS);
    // The response lists the header names that the preflight request contains, because `*` would not include `Authorization`.
    if let Some(names) = asked.get(ACCESS_CONTROL_REQUEST_HEADERS) {
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, names.clone());
        headers.insert(VARY, HeaderValue::from_static("Access-Control-Request-Headers"));
    }
    headers.insert(ACCESS_CONTROL_MAX_AGE, PREFLIGHT_MAX_AGE);
    (StatusCode::OK, headers)
}
