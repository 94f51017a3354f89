//! Forwards calls of a function to the upstream server of the function, with the caller's verified claims.

use std::time::Duration;

use axum::BoxError;
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use http::header::{CONTENT_LENGTH, HOST};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use url::Url;

use crate::headers::{self, without_hop_by_hop};
use crate::limits::Limits;
use crate::settings::Declared;
use crate::{Call, FunctionError, body};

/// Request header with the caller's database role.
const ROLE_HEADER: HeaderName = HeaderName::from_static("x-cloch-role");
/// Request header with the caller's verified claims as JSON in base64url. A header with this name that a client sends is removed.
const CLAIMS_HEADER: HeaderName = HeaderName::from_static("x-cloch-claims");
/// Default limits of functions with an upstream server: the body size and timeout of Supabase's edge runtime.
const UPSTREAM_LIMITS: Limits = Limits {
    body_bytes: 20 * 1024 * 1024,
    visitor_body_bytes: 20 * 1024 * 1024,
    timeout: Duration::from_secs(150),
    per_address_hourly: Some(600),
    per_user_hourly: Some(3600),
    visitors_hourly: Some(20_000),
};

/// Forwards a call to the upstream server and returns the response. The bodies of the request and the response are streamed.
pub(crate) async fn forward(
    call: &Call,
    declared: &Declared,
    upstream: &Url,
    parts: Parts,
    body: Body,
) -> Result<Response, FunctionError> {
    if escapes_upstream(parts.uri.path()) {
        return Err(FunctionError::bad_input("The path leads out of the function"));
    }
    let limits = declared.options.limits(UPSTREAM_LIMITS);
    call.count(&limits).await?;
    let announced = parts.headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    if announced.is_some_and(|bytes| bytes > limits.body_bytes) {
        return Err(body::too_large(limits.body_bytes));
    }
    let stream = Limited::new(body, limits.body_bytes).into_data_stream();
    let request = call
        .http()
        .request(parts.method.clone(), target(upstream, &call.name, &parts))
        .headers(request_headers(call, &parts.headers))
        .body(reqwest::Body::wrap_stream(stream));
    match tokio::time::timeout(limits.timeout, request.send()).await {
        Ok(Ok(answer)) => Ok(response(answer, limits.timeout)),
        Ok(Err(error)) if is_too_large(&error) => Err(body::too_large(limits.body_bytes)),
        Ok(Err(error)) => {
            tracing::error!(
                function = %call.name,
                upstream.host = upstream.host_str(),
                error = %error.without_url(),
                "functions: upstream server, which executes this function, unreachable, responding with status 502"
            );
            Ok(relay_error(StatusCode::BAD_GATEWAY, "The function cannot be reached"))
        }
        Err(_) => Ok(relay_error(StatusCode::GATEWAY_TIMEOUT, "The function took too long")),
    }
}

/// Returns the URL of the upstream server, with the rest of the call's path and the call's query appended.
fn target(upstream: &Url, name: &str, parts: &Parts) -> Url {
    let rest = parts.uri.path().trim_start_matches('/').strip_prefix(name).unwrap_or_default();
    let mut url = upstream.clone();
    if !rest.is_empty() {
        // Remove path segments `.` and `..` first. Otherwise `Url` would resolve them, and the request could leave the path of the upstream
        // server.
        let is_dots = |part: &str| {
            let part = part.to_ascii_lowercase().replace("%25", "%").replace("%2e", ".");
            matches!(part.as_str(), "." | "..")
        };
        let rest: Vec<&str> = rest.split('/').filter(|part| !is_dots(part)).collect();
        url.set_path(&format!("{}{}", upstream.path().trim_end_matches('/'), rest.join("/")));
    }
    if let Some(query) = parts.uri.query() {
        url.set_query(Some(query));
    }
    url
}

fn request_headers(call: &Call, headers: &HeaderMap) -> HeaderMap {
    let mut passed = headers::of_request(headers);
    passed.remove(HOST);
    passed.remove(CONTENT_LENGTH);
    let claims = URL_SAFE_NO_PAD.encode(call.caller.claims_json());
    for (name, text) in [(ROLE_HEADER, call.caller.role()), (CLAIMS_HEADER, &claims)] {
        if let Ok(value) = HeaderValue::from_str(text) {
            passed.insert(name, value);
        }
    }
    if let Some(Ok(value)) = call.client.map(|client| HeaderValue::from_str(&client.0.to_string())) {
        passed.insert("x-forwarded-for", value);
    }
    passed
}

/// Whether a path contains `..` segments after encoded separators. This matters because some upstream servers decode `..%2f`, and some
/// decode it twice.
fn escapes_upstream(path: &str) -> bool {
    let is_dots = |part: &str| matches!(part, "." | "..");
    path.split('/').any(|part| {
        let mut decoded = part.to_ascii_lowercase();
        for (code, character) in ["%25", "%25", "%2e", "%2f", "%5c"].iter().zip(["%", "%", ".", "/", "\\"]) {
            decoded = decoded.replace(code, character);
        }
        decoded.contains(['/', '\\']) && decoded.split(['/', '\\']).any(is_dots)
    })
}

fn response(answer: reqwest::Response, idle: Duration) -> Response {
    if answer.status() == StatusCode::RESET_CONTENT {
        return headers::reset_content(without_hop_by_hop(answer.headers()));
    }
    let mut response = Response::new(Body::empty());
    *response.status_mut() = answer.status();
    *response.headers_mut() = without_hop_by_hop(answer.headers());
    *response.body_mut() = Body::from_stream(with_idle_timeout(answer.bytes_stream(), idle));
    response
}

/// Ends a stream with an error if no data arrives within the timeout of the call.
fn with_idle_timeout(
    stream: impl Stream<Item = reqwest::Result<Bytes>> + Send + 'static,
    idle: Duration,
) -> impl Stream<Item = Result<Bytes, BoxError>> + Send {
    futures_util::stream::unfold(Some(Box::pin(stream)), move |stream| async move {
        let mut stream = stream?;
        match tokio::time::timeout(idle, stream.next()).await {
            Ok(Some(Ok(bytes))) => Some((Ok(bytes), Some(stream))),
            Ok(Some(Err(error))) => Some((Err(error.into()), None)),
            Ok(None) => None,
            Err(late) => Some((Err(late.into()), None)),
        }
    })
}

fn is_too_large(error: &reqwest::Error) -> bool {
    let mut source: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(cause) = source {
        if cause.is::<LengthLimitError>() {
            return true;
        }
        source = cause.source();
    }
    false
}

/// Returns an error response that functions-js converts to a `FunctionsRelayError`. It is used if the function itself sent no response.
fn relay_error(status: StatusCode, message: &'static str) -> Response {
    (status, [("x-relay-error", "true")], message).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target_of(upstream: &str, uri: &str) -> String {
        let (parts, ()) = http::Request::builder().uri(uri).body(()).unwrap().into_parts();
        target(&upstream.parse().unwrap(), "a", &parts).to_string()
    }

    #[test]
    fn a_call_cannot_leave_its_upstream() {
        for uri in ["/a/../../x", "/a/%2e%2e/%2E./x", "/a/./x", "/a/..", "/a//../x"] {
            let target = target_of("http://h:1/base/f", uri);
            assert!(target.starts_with("http://h:1/base/f/") || target == "http://h:1/base/f", "{uri}: {target}");
        }
        assert_eq!(target_of("http://h:1/base", "/a/@evil.example/x"), "http://h:1/base/@evil.example/x");
        assert_eq!(target_of("http://h:1", "/a//evil.example/x"), "http://h:1//evil.example/x");
    }

    #[test]
    fn an_encoded_separator_hides_no_dots() {
        for path in [
            "/a/..%2fx",
            "/a/..%2F..%2fx",
            "/a/x%2f..",
            "/a/%2e%2e%2fx",
            "/a/..%5cx",
            "/a/..%252fx",
            "/a/%252e%252e%25252fx",
        ] {
            assert!(escapes_upstream(path), "{path}");
        }
        for path in ["/a", "/a/../x", "/a/b%2fc", "/a/b..%2fc", "/a/..b%2f", "/a/100%25", "/a/%2e%2e"] {
            assert!(!escapes_upstream(path), "{path}");
        }
        assert_eq!(target_of("http://h:1/base", "/a/%252e%252e/x"), "http://h:1/base/x");
    }

    #[test]
    fn path_and_query_are_passed_on() {
        assert_eq!(target_of("http://h:1/base/", "/a"), "http://h:1/base/");
        assert_eq!(target_of("http://h:1/base/", "/a/b%20c?x=%2F"), "http://h:1/base/b%20c?x=%2F");
        assert_eq!(target_of("http://h:1/base?key=1", "/a/b"), "http://h:1/base/b?key=1");
    }
}
