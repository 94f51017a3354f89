//! Stores recent requests to the table REST and storage APIs that were refused or had an empty result, so that the dashboard can explain
//! why. The requests are stored in memory. If the project is used only on this machine, the response to such a request contains the URL of
//! the dashboard page that explains it.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::extract::Request;
use axum::response::Response;
use chrono::{DateTime, Utc};
use cloch_sql::Caller;
use cloch_sql::caller::CallerResult;
use http::header::CONTENT_RANGE;
use http::{HeaderName, HeaderValue, Method, StatusCode, Uri};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

const MAX_REQUESTS: usize = 500;
/// Maximum length of a request's path and query in bytes. Longer requests are not recorded for the dashboard.
const MAX_TARGET_BYTES: usize = 4096;
/// Response header with the URL of the dashboard page that explains why the request was refused or had an empty result.
const HEADER: HeaderName = HeaderName::from_static("x-cloch-why");
/// Characters of a request id that are percent-encoded in the URL of the dashboard page: all except letters, digits, `-`, `_` and `.`. A
/// client may have chosen the request id, so it can contain any visible ASCII character.
const IN_QUERY: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.');
/// Maximum length of a schema's name in bytes, as in PostgreSQL.
const MAX_SCHEMA_BYTES: usize = 63;
const ACCEPT_PROFILE: HeaderName = HeaderName::from_static("accept-profile");
const CONTENT_PROFILE: HeaderName = HeaderName::from_static("content-profile");
const PREFER: HeaderName = HeaderName::from_static("prefer");
/// Path prefixes of requests whose result depends on row-level security policies.
const AREAS: [&str; 2] = ["/rest/v1/", "/storage/v1/object/"];

/// A request that was refused or had an empty result. Its body is not stored.
#[derive(Clone, Debug)]
pub struct RefusedRequest {
    /// Request id.
    pub id: HeaderValue,
    /// Time of the response.
    pub at: DateTime<Utc>,
    /// HTTP method.
    pub method: Method,
    /// Path and query.
    pub target: String,
    /// Role and claims of the request.
    pub caller: Caller,
    /// Status of the response.
    pub status: StatusCode,
    /// Whether the client requested the written rows in the response (`Prefer: return=representation`).
    pub returning: bool,
    /// Database schema that the request selected (`Accept-Profile`, `Content-Profile`). `None` for the default schema.
    pub schema: Option<String>,
}

/// The newest requests that were refused or had an empty result. The dashboard shows them.
#[derive(Debug)]
pub struct RefusedRequests {
    kept: Mutex<VecDeque<RefusedRequest>>,
    /// URL of the dashboard page that explains why a request was refused, without the request id at its end. `None` if responses must not
    /// contain this URL.
    page: Option<String>,
}

/// Properties of a request that [`RefusedRequests`] stores if the request is refused or has an empty result. They are copied before the
/// request is handled.
#[derive(Debug)]
pub(crate) struct Watched {
    method: Method,
    uri: Uri,
    caller: Caller,
    returning: bool,
    schema: Option<String>,
}

impl RefusedRequests {
    /// Creates an empty list of refused requests. `page` is the URL of the dashboard page that explains why a request was refused; responses
    /// contain this URL with the request id appended. `None` if responses should not contain the URL.
    #[must_use]
    pub fn new(page: Option<String>) -> Self {
        Self { kept: Mutex::default(), page }
    }

    /// Returns the newest stored request with the request id `id`; `None` if there is none.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<RefusedRequest> {
        self.kept().iter().rev().find(|request| request.id == id).cloned()
    }

    fn kept(&self) -> MutexGuard<'_, VecDeque<RefusedRequest>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Copies the properties of a request that policies may refuse. Returns `None` if the result of the request does not depend on
    /// policies, or if its path and query are longer than [`MAX_TARGET_BYTES`].
    pub(crate) fn watch(&self, request: &Request) -> Option<Watched> {
        let uri = request.uri();
        let length = uri.path_and_query().map_or(0, |target| target.as_str().len());
        if length > MAX_TARGET_BYTES || !AREAS.iter().any(|area| uri.path().starts_with(area)) {
            return None;
        }
        let caller = request.extensions().get::<CallerResult>()?.as_ref().ok()?;
        if caller.is_service_role() {
            return None;
        }
        let preferences = request.headers().get_all(PREFER).iter().filter_map(|value| value.to_str().ok());
        let returning = preferences.into_iter().any(|value| value.contains("return=representation"));
        let method = request.method().clone();
        let profile = if method == Method::GET || method == Method::HEAD { ACCEPT_PROFILE } else { CONTENT_PROFILE };
        let schema = request.headers().get(profile).and_then(|value| value.to_str().ok());
        let schema = schema.filter(|name| name.len() <= MAX_SCHEMA_BYTES).map(str::to_owned);
        Some(Watched { method, uri: uri.clone(), caller: caller.clone(), returning, schema })
    }

    /// If the request was refused or had an empty result, stores it, and adds the URL of the dashboard page that explains it to the
    /// response.
    pub(crate) fn keep(&self, watched: Option<Watched>, id: &HeaderValue, response: &mut Response) {
        let Some(watched) = watched.filter(|_| is_refused_or_empty(response)) else { return };
        if let (Some(page), Ok(id)) = (&self.page, id.to_str())
            && let Ok(value) = HeaderValue::try_from(format!("{page}{}", utf8_percent_encode(id, IN_QUERY)))
        {
            response.headers_mut().insert(HEADER, value);
        }
        let Watched { method, uri, caller, returning, schema } = watched;
        let target = uri.path_and_query().map_or_else(String::new, ToString::to_string);
        let (at, status) = (Utc::now(), response.status());
        let mut kept = self.kept();
        if kept.len() >= MAX_REQUESTS {
            kept.pop_front();
        }
        kept.push_back(RefusedRequest { id: id.clone(), at, method, target, caller, status, returning, schema });
    }
}

/// Whether a request was refused or had an empty result. The storage API responds with 400 or 404 if the caller may not see an object. In the
/// table REST API, the `Content-Range` of an empty result begins with `*`.
fn is_refused_or_empty(response: &Response) -> bool {
    let status = response.status();
    let is_empty = || response.headers().get(CONTENT_RANGE).is_some_and(|range| range.as_bytes().starts_with(b"*"));
    matches!(status.as_u16(), 400 | 401 | 403 | 404 | 406) || (status.is_success() && is_empty())
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn request(path: &str, caller: Caller) -> Request {
        let request = Request::get(path).header("prefer", "return=representation").header("accept-profile", "api");
        let mut request = request.header("content-profile", "other").body(Body::empty()).unwrap();
        request.extensions_mut().insert::<CallerResult>(Ok(caller));
        request
    }

    fn answered(status: u16, range: Option<&'static str>) -> Response {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::from_u16(status).unwrap();
        if let Some(range) = range {
            response.headers_mut().insert(CONTENT_RANGE, HeaderValue::from_static(range));
        }
        response
    }

    #[test]
    fn only_what_policies_decide_is_kept() {
        let refused = RefusedRequests::new(Some("http://127.0.0.1/_/why?request=".to_owned()));
        for path in ["/auth/v1/user", "/rest/v1", "/", &format!("/rest/v1/a?{}", "x".repeat(MAX_TARGET_BYTES))] {
            assert!(refused.watch(&request(path, Caller::anon())).is_none(), "{path}");
        }
        assert!(refused.watch(&request("/rest/v1/a", Caller::service_role())).is_none(), "policies pass it");
        for (id, status, range, is_kept) in [
            ("a", 403, None, true),
            ("b", 200, Some("0-1/*"), false),
            ("c", 200, Some("*/*"), true),
            ("d", 500, None, false),
        ] {
            let watched = refused.watch(&request("/rest/v1/a?b=eq.1", Caller::anon()));
            let mut response = answered(status, range);
            refused.keep(watched, &HeaderValue::from_static(id), &mut response);
            assert_eq!(refused.find(id).is_some(), is_kept, "{id}");
            assert_eq!(response.headers().get(HEADER).is_some(), is_kept, "{id}");
        }
        let kept = refused.find("c").unwrap();
        let known = (kept.target.as_str(), kept.returning, kept.schema.as_deref());
        assert_eq!(known, ("/rest/v1/a?b=eq.1", true, Some("api")));
    }

    #[test]
    fn the_oldest_go_first() {
        let refused = RefusedRequests::new(None);
        for number in 0..=MAX_REQUESTS {
            let watched = refused.watch(&request("/rest/v1/a", Caller::anon()));
            let mut response = answered(401, None);
            refused.keep(watched, &HeaderValue::from(number), &mut response);
            assert!(response.headers().get(HEADER).is_none());
        }
        assert!(refused.find("0").is_none() && refused.find("1").is_some());
    }
}
