//! Access control of `/v1` and `/mcp`: checks client address, access token, project reference and rate limit. Also writes the audit log of
//! these APIs ([`audit`]).

pub(crate) mod audit;
mod error;
pub(crate) mod recorded;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use axum::response::Response;
use cloch_core::Secret;
use cloch_functions::limits::{RateLimit, try_take};
use cloch_sql::caller::{self, ClientAddress};
use http::header::{AUTHORIZATION, CACHE_CONTROL, CONTENT_LENGTH, RETRY_AFTER, WWW_AUTHENTICATE};
use http::request::Parts;
use http::{HeaderValue, StatusCode};
use url::form_urlencoded;

use crate::config::ManagementAccess;
use crate::project::Project;

pub use error::ApiError;

/// Path of the MCP endpoint.
pub const MCP_PATH: &str = "/mcp";
/// Maximum size of a request in bytes: the maximum size of a function's files, plus the overhead of the multipart form that contains them.
pub const MAX_BODY_BYTES: usize = 24 << 20;

/// Maximum number of requests per minute to `/v1` and `/mcp`, of all clients together. Ten times the limit that Supabase's hosted
/// Management API has for one user.
const REQUESTS_PER_MINUTE: u32 = 1_200;

/// Access control of `/v1` and `/mcp`: decides which requests may access the project.
#[derive(Debug)]
pub struct TokenAccess {
    /// From where clients may send requests: from everywhere, only from this machine, or from nowhere.
    pub clients: ManagementAccess,
    /// Access token that requests must contain.
    pub token: Secret,
    /// The project to which the access token gives access.
    pub project: Arc<Project>,
}

/// Adds headers to a response: `Cache-Control` to prevent caching, `Retry-After` for status 429, `WWW-Authenticate` for status 401.
pub(crate) fn with_headers(mut response: Response) -> Response {
    let status = response.status();
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if status == StatusCode::TOO_MANY_REQUESTS {
        headers.insert(RETRY_AFTER, HeaderValue::from_static("10"));
    }
    if status == StatusCode::UNAUTHORIZED {
        headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}

impl TokenAccess {
    /// Checks the client address, the access token, the project reference and the body size of a request, and counts the request towards
    /// the rate limit. Returns the error response if the request is refused.
    pub(crate) async fn check(&self, parts: &Parts) -> Result<(), ApiError> {
        check_origin(self.clients, parts)?;
        let given = bearer(parts).filter(|given| self.token.matches(given));
        if given.is_none() {
            let client = ClientAddress::of_request(parts).map(ClientAddress::network);
            tracing::warn!(
                client = client.as_deref().unwrap_or("unknown"),
                "Management API: wrong access token, request refused with status 401"
            );
            return Err(ApiError::new(StatusCode::UNAUTHORIZED, "Unauthorized"));
        }
        if project_of(parts).is_some_and(|named| named != self.project.reference) {
            let message = format!("This access token is for the project {} only", self.project.reference);
            return Err(ApiError::new(StatusCode::FORBIDDEN, message));
        }
        let announced = parts.headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
        if announced.is_some_and(|bytes| bytes > MAX_BODY_BYTES as u64) {
            return Err(too_large());
        }
        let limit = RateLimit { count: REQUESTS_PER_MINUTE, per: Duration::from_mins(1) };
        match try_take(self.project.database.admin(), "management/requests", limit).await {
            Ok(true) => Ok(()),
            Ok(false) => {
                Err(ApiError::new(StatusCode::TOO_MANY_REQUESTS, "Too many requests; try again in some seconds"))
            }
            Err(_) => Err(ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "The database cannot be reached")),
        }
    }
}

/// Checks whether the API is open for the address of the request's client. Refused clients get status 404, so that the response does not
/// reveal that the API exists.
fn check_origin(access: ManagementAccess, parts: &Parts) -> Result<(), ApiError> {
    let is_admitted = match access {
        ManagementAccess::Anywhere => true,
        ManagementAccess::Local => caller::is_local(parts),
        ManagementAccess::Off => false,
    };
    if is_admitted { Ok(()) } else { Err(ApiError::new(StatusCode::NOT_FOUND, "Not Found")) }
}

pub(crate) fn too_large() -> ApiError {
    let message = format!("The request has more than {} MB", MAX_BODY_BYTES >> 20);
    ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, message)
}

fn bearer(parts: &Parts) -> Option<&str> {
    let (scheme, token) = parts.headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Returns the project reference that a request names: in the path `/projects/{ref}/…`, or for `/mcp` in the query parameter `project_ref`.
/// `None` if the request names no project.
fn project_of(parts: &Parts) -> Option<Cow<'_, str>> {
    let path = parts.uri.path();
    if path == MCP_PATH {
        return query_value(parts, "project_ref").map(Cow::Owned);
    }
    let mut segments = path.trim_start_matches('/').split('/').skip_while(|part| *part != "projects");
    segments.nth(1).filter(|reference| !reference.is_empty()).map(Cow::Borrowed)
}

/// Returns the first value of the query parameter `name`; `None` if the request lacks the parameter.
pub(crate) fn query_value(parts: &Parts, name: &str) -> Option<String> {
    let query = parts.uri.query().unwrap_or_default();
    form_urlencoded::parse(query.as_bytes()).find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    fn parts(uri: &str, headers: &[(&str, &str)], address: &str) -> Parts {
        let mut builder = Request::builder().uri(uri);
        for (name, value) in headers {
            builder = builder.header(*name, *value);
        }
        let mut parts = builder.body(()).unwrap().into_parts().0;
        parts.extensions.insert(ClientAddress(address.parse().unwrap()));
        parts
    }

    #[test]
    fn only_this_machine_is_answered() {
        let host = ("host", "127.0.0.1:54321");
        let refused =
            |headers: &[_], address| check_origin(ManagementAccess::Local, &parts("/", headers, address)).is_err();
        assert!(refused(&[host], "192.0.2.7"), "another machine");
        assert!(refused(&[("host", "club.example")], "127.0.0.1"), "a proxy that names the public host");
        assert!(refused(&[host, ("x-forwarded-for", "192.0.2.7")], "127.0.0.1"), "a proxy that speaks for another");
        assert!(!refused(&[host], "127.0.0.1"));
        assert!(check_origin(ManagementAccess::Off, &parts("/", &[host], "127.0.0.1")).is_err());
        assert!(check_origin(ManagementAccess::Anywhere, &parts("/", &[], "192.0.2.7")).is_ok());
    }

    #[test]
    fn the_project_is_that_of_the_path() {
        let named = |uri: &str| project_of(&parts(uri, &[], "::1")).map(Cow::into_owned);
        assert_eq!(named("/projects/abc/functions").as_deref(), Some("abc"));
        assert_eq!(named("/v1/projects/abc").as_deref(), Some("abc"));
        assert_eq!(named("/mcp?read_only=true&project_ref=abc").as_deref(), Some("abc"));
        for other in ["/projects", "/organizations/projects", "/mcp", "/organizations?project_ref=abc"] {
            assert_eq!(named(other), None, "{other}");
        }
    }
}
