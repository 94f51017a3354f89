//! `/functions/{name}/call`: calls a function as a role or user that the operator chose, and returns the function's response as JSON.
//!
//! The access token of the call never reaches the operator's browser: the server signs the token and sends it to the function only. The token
//! expires soon after the call.

use std::time::{Duration, Instant};

use axum::Json;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use cloch_core::Secret;
use cloch_sql::Caller;
use cloch_sql::caller::{ANON, CallerResult, ClientAddress};
use futures_util::StreamExt;
use http::header::{
    AUTHORIZATION, CONNECTION, CONTENT_LENGTH, HOST, HeaderName, HeaderValue, TRANSFER_ENCODING, UPGRADE, USER_AGENT,
};
use http::request::Parts;
use http::{HeaderMap, Method, StatusCode, Uri};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tower::ServiceExt;
use url::form_urlencoded;

use crate::dashboard::apis::segment;
use crate::dashboard::audit::Note;
use crate::dashboard::database::As;
use crate::dashboard::extract::{At, Input};
use crate::dashboard::{ApiError, Dashboard, DashboardState};

/// Maximum size in bytes of a request to this endpoint, which contains the body of the call.
pub(super) const REQUEST_BYTES: usize = 2 << 20;
/// Maximum number of bytes of a function's response that are read. The rest is discarded.
const MAX_BODY_BYTES: usize = 4 << 20;
/// Maximum time until the function's response begins (status and headers). Equal to the default timeout of functions.
const HEAD_TIMEOUT: Duration = Duration::from_secs(150);
/// Default and maximum time in seconds in which the body of the response is read, because a stream may never end.
const DEFAULT_BODY_SECONDS: u64 = 10;
const MAX_BODY_SECONDS: u64 = 120;
/// Lifetime of the token of a call in seconds: longer than the longest call.
const TOKEN_SECONDS: i64 = 300;
const MAX_HEADERS: usize = 100;
const METHODS: [Method; 7] =
    [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::HEAD, Method::OPTIONS];

const API_KEY: HeaderName = HeaderName::from_static("apikey");
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Request headers that the operator cannot set, because this endpoint or the HTTP connection sets them.
const RESERVED: [HeaderName; 8] =
    [AUTHORIZATION, API_KEY, REQUEST_ID, HOST, CONTENT_LENGTH, TRANSFER_ENCODING, CONNECTION, UPGRADE];

/// Call of a function, as the operator typed it.
#[derive(Deserialize)]
pub(super) struct CallRequest {
    r#as: As,
    method: String,
    /// Path below the function, empty or with a leading slash.
    #[serde(default)]
    path: String,
    #[serde(default)]
    query: Vec<(String, String)>,
    #[serde(default)]
    headers: Vec<(String, String)>,
    body: Option<String>,
    /// Maximum seconds in which the body of the response is read.
    body_seconds: Option<u64>,
}

/// Reasons why reading the body of a response ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Ended {
    /// The body is complete.
    Complete,
    /// The body has more than [`MAX_BODY_BYTES`].
    Bytes,
    /// The time limit for the body was reached.
    Seconds,
    /// Reading failed before the body was complete.
    Broken,
}

pub(super) async fn call(
    State(state): State<DashboardState>,
    At(name): At<String>,
    parts: Parts,
    Input(asked): Input<CallRequest>,
) -> Result<Response, ApiError> {
    let off = || ApiError::not_found("Functions are switched off in config.toml");
    let functions = state.project.functions.clone().ok_or_else(off)?;
    let request_id = parts.headers.get(REQUEST_ID).and_then(|id| id.to_str().ok()).map(str::to_owned);
    let request_id = request_id.unwrap_or_else(|| uuid::Uuid::new_v4().to_string());
    let note = Note(json!({ "as": asked.r#as.to_string(), "method": asked.method }));
    let seconds = asked.body_seconds.unwrap_or(DEFAULT_BODY_SECONDS).clamp(1, MAX_BODY_SECONDS);
    let request = state.call_request(&parts, &name, &request_id, asked).await?;
    let (started_at, started) = (Utc::now(), Instant::now());
    let sent = tokio::time::timeout(HEAD_TIMEOUT, cloch_functions::router(functions).oneshot(request)).await;
    let Ok(Ok(response)) = sent else {
        let message = format!("The function sent no response within {} seconds", HEAD_TIMEOUT.as_secs());
        return Err(ApiError::new(StatusCode::GATEWAY_TIMEOUT, "timeout", message));
    };
    let head = started.elapsed();
    let (answer, body) = response.into_parts();
    let (bytes, ended) = read(&name, body, Duration::from_secs(seconds)).await;
    let described = json!({
        "request_id": request_id, "started_at": in_milliseconds(started_at), "ended_at": in_milliseconds(Utc::now()),
        "status": answer.status.as_u16(), "status_text": answer.status.canonical_reason(),
        "headers": listed(&answer.headers), "head_ms": milliseconds(head), "total_ms": milliseconds(started.elapsed()),
        "body": STANDARD.encode(&bytes), "ended": ended, "body_seconds": seconds, "max_body_bytes": MAX_BODY_BYTES,
    });
    Ok((axum::Extension(note), Json(described)).into_response())
}

impl Dashboard {
    /// Builds the request to a function, with an access token of the role or user that the operator chose. The client address and the
    /// User-Agent are those of the operator's request (`parts`).
    async fn call_request(
        &self,
        parts: &Parts,
        name: &str,
        request_id: &str,
        asked: CallRequest,
    ) -> Result<Request, ApiError> {
        let none = || ApiError::bad_request("Functions have no caller postgres: choose anon, a user or service_role");
        let caller = self.caller(&asked.r#as).await?.ok_or_else(none)?;
        let (caller, token) = match &asked.r#as {
            // Client apps send the project's public `anon` key if no user is signed in. For the role `anon`, this request therefore
            // contains the same key and no access token.
            As::Role(role) if role == ANON => {
                let token = self.secrets.anon_key.clone();
                (Caller::from_claims(caller.claims().clone(), Some(Secret::new(&token))), token)
            }
            // For the service role too, the request contains an access token and not the project's secret key: the function might return its
            // request headers to an operator with the role developer, who may not read the secret key.
            _ => {
                let expires_at = Utc::now() + TimeDelta::seconds(TOKEN_SECONDS);
                let (claims, token) = self.token_for(&caller, expires_at, [])?;
                (Caller::from_claims(claims, Some(Secret::new(&token))), token)
            }
        };
        let method = METHODS.iter().find(|method| method.as_str() == asked.method);
        let method = method.ok_or_else(|| ApiError::bad_request("A function cannot be called with this method"))?;
        let mut headers = headers_of(&asked.headers)?;
        for name in [USER_AGENT, HOST] {
            if let (false, Some(value)) = (headers.contains_key(&name), parts.headers.get(&name)) {
                headers.insert(name, value.clone());
            }
        }
        let values = [
            (AUTHORIZATION, format!("Bearer {token}")),
            (API_KEY, self.secrets.anon_key.clone()),
            (REQUEST_ID, request_id.to_owned()),
        ];
        for (name, value) in values {
            let value = HeaderValue::from_str(&value);
            headers.insert(name, value.map_err(|error| ApiError::internal("building a function call failed", error))?);
        }
        let mut request = Request::new(asked.body.map_or_else(Body::empty, Body::from));
        *request.method_mut() = method.clone();
        *request.uri_mut() = uri(name, &asked.path, &asked.query)?;
        *request.headers_mut() = headers;
        request.extensions_mut().insert::<CallerResult>(Ok(caller));
        if let Some(address) = ClientAddress::of_request(parts) {
            request.extensions_mut().insert(address);
        }
        Ok(request)
    }
}

/// Returns the URI of a call below `/functions/v1`.
fn uri(name: &str, path: &str, query: &[(String, String)]) -> Result<Uri, ApiError> {
    if !(path.is_empty() || path.starts_with('/')) || path.contains(['?', '#']) {
        return Err(ApiError::bad_request("The path begins with / and has no ? and no #"));
    }
    let mut text = format!("/{}{path}", segment(name));
    if !query.is_empty() {
        text.push('?');
        text.push_str(&form_urlencoded::Serializer::new(String::new()).extend_pairs(query).finish());
    }
    text.parse().map_err(|_| ApiError::bad_request("The path has a character that must be percent-encoded"))
}

/// Returns the headers that the operator typed. Refuses headers that this endpoint sets itself.
fn headers_of(typed: &[(String, String)]) -> Result<HeaderMap, ApiError> {
    if typed.len() > MAX_HEADERS {
        return Err(ApiError::bad_request(format!("{MAX_HEADERS} headers are the most")));
    }
    let mut headers = HeaderMap::new();
    for (name, value) in typed {
        let invalid = |_| ApiError::bad_request(format!("{name:?} is not the name of a header"));
        let header = HeaderName::from_bytes(name.trim().as_bytes()).map_err(invalid)?;
        if RESERVED.contains(&header) {
            return Err(ApiError::bad_request(format!("The header {header} is set by the server")));
        }
        let value = HeaderValue::from_str(value.trim());
        let value = value.map_err(|_| ApiError::bad_request(format!("The value of {header} cannot be in a header")))?;
        headers.append(header, value);
    }
    Ok(headers)
}

/// Reads the body of a response, up to [`MAX_BODY_BYTES`] and for a limited time.
async fn read(function: &str, body: Body, limit: Duration) -> (Vec<u8>, Ended) {
    let deadline = tokio::time::Instant::now() + limit;
    let mut stream = body.into_data_stream();
    let mut bytes = Vec::new();
    loop {
        let chunk = match tokio::time::timeout_at(deadline, stream.next()).await {
            Err(_) => return (bytes, Ended::Seconds),
            Ok(None) => return (bytes, Ended::Complete),
            Ok(Some(Err(error))) => {
                tracing::info!(
                    %error,
                    function,
                    "dashboard: reading the response body of a called function failed, the operator gets the part read so far"
                );
                return (bytes, Ended::Broken);
            }
            Ok(Some(Ok(chunk))) => chunk,
        };
        let room = MAX_BODY_BYTES.saturating_sub(bytes.len());
        bytes.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
        if chunk.len() > room {
            return (bytes, Ended::Bytes);
        }
    }
}

fn listed(headers: &HeaderMap) -> Vec<Value> {
    headers.iter().map(|(name, value)| json!([name.as_str(), String::from_utf8_lossy(value.as_bytes())])).collect()
}

/// Formats a time, rounded down to whole milliseconds. Log lines have the same precision, so no log line of a call has an earlier time than
/// the call's start.
fn in_milliseconds(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Millis, true)
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

#[cfg(test)]
mod tests {
    use futures_util::stream;

    use super::*;

    #[test]
    fn a_call_stays_below_its_function() {
        let pair = [("a b".to_owned(), "c&d=é".to_owned())];
        assert_eq!(uri("hello", "/x/../y", &pair).unwrap(), "/hello/x/../y?a+b=c%26d%3D%C3%A9");
        assert_eq!(uri("../other", "", &[]).unwrap(), "/..%2Fother");
        for path in ["x", "?a", "/x?a=1", "/x#y", "/ "] {
            assert!(uri("hello", path, &[]).is_err(), "{path:?}");
        }
    }

    #[test]
    fn headers_of_the_server_cannot_be_typed() {
        for name in ["Authorization", "apikey", "X-Request-Id", "Host", "Content-Length", "Connection", "no name", ""] {
            assert!(headers_of(&[(name.to_owned(), "x".to_owned())]).is_err(), "{name:?}");
        }
        assert!(headers_of(&[("x-a".to_owned(), "b\r\nauthorization: c".to_owned())]).is_err());
        let twice = [("X-A".to_owned(), " 1 ".to_owned()), ("x-a".to_owned(), "2".to_owned())];
        assert_eq!(headers_of(&twice).unwrap().get_all("x-a").iter().collect::<Vec<_>>(), ["1", "2"]);
        assert!(headers_of(&vec![("x-a".to_owned(), String::new()); MAX_HEADERS + 1]).is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_without_an_end_is_cut() {
        let chunk = |bytes: usize| Ok::<_, std::io::Error>(bytes::Bytes::from(vec![b'x'; bytes]));
        let second = Duration::from_secs(1);
        let of = |chunks: Vec<_>| Body::from_stream(stream::iter(chunks));
        assert_eq!(read("f", of(vec![chunk(2), chunk(1)]), second).await, (b"xxx".to_vec(), Ended::Complete));
        let (bytes, ended) = read("f", of(vec![chunk(MAX_BODY_BYTES), chunk(0)]), second).await;
        assert_eq!((bytes.len(), ended), (MAX_BODY_BYTES, Ended::Complete));
        let (bytes, ended) = read("f", of(vec![chunk(3), chunk(MAX_BODY_BYTES)]), second).await;
        assert_eq!((bytes.len(), ended), (MAX_BODY_BYTES, Ended::Bytes));
        let endless = stream::iter([chunk(2)]).chain(stream::pending());
        assert_eq!(read("f", Body::from_stream(endless), second).await, (b"xx".to_vec(), Ended::Seconds));
        let broken = of(vec![chunk(2), Err(std::io::Error::other("gone"))]);
        assert_eq!(read("f", broken, second).await, (b"xx".to_vec(), Ended::Broken));
    }
}
