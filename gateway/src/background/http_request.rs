//! Sends an HTTP request of `net.http_post` and similar functions.

use std::time::{Duration, Instant};

use futures_util::StreamExt;
use reqwest::header::{HeaderMap, LOCATION};
use reqwest::{Method, StatusCode};
use serde_json::{Map, Value};
use url::Url;

use super::destinations::Clients;

/// Maximum stored size of a response's body in bytes; longer bodies are truncated.
const MAX_RESPONSE_BYTES: usize = 1 << 20;
/// Maximum size of a request's body in bytes. The size is limited because all requests of a batch are in memory at the same time.
pub(super) const MAX_REQUEST_BYTES: i32 = 4 << 20;
/// Maximum number of redirects that a request follows: the default of libcurl, which pg_net uses.
const MAX_REDIRECTS: usize = 30;
/// Value of the header `User-Agent`. Some APIs refuse requests without it.
const AGENT: &str = "pg_net/0.20.3 (Cloch)";
/// Headers that are not sent to another origin after a redirect, as by libcurl.
const SECRET_HEADERS: [&str; 2] = ["authorization", "cookie"];

pub(super) struct Request {
    pub(super) id: i64,
    pub(super) method: String,
    pub(super) url: String,
    pub(super) headers: Option<Value>,
    pub(super) body: Option<Vec<u8>>,
    pub(super) timeout: Duration,
    pub(super) is_too_large: bool,
    /// Whether an API caller may have chosen the URL, because the request was queued in an API transaction.
    pub(super) by_caller: bool,
}

#[derive(Default)]
pub(super) struct Response {
    pub(super) status: Option<i32>,
    pub(super) content_type: Option<String>,
    pub(super) headers: Value,
    pub(super) content: Option<String>,
    pub(super) timed_out: bool,
    pub(super) error: Option<String>,
}

/// Sends a request and returns what is stored in `net._http_response`.
pub(super) async fn send(clients: &Clients, request: &Request) -> Response {
    let failed = |timed_out, error: String| Response {
        timed_out,
        headers: Value::Null,
        error: Some(error),
        ..Response::default()
    };
    if request.is_too_large {
        return failed(false, format!("the body has more than {MAX_REQUEST_BYTES} bytes"));
    }
    let url = match request.url.parse::<Url>() {
        Ok(url) => clients.here(url),
        Err(error) => return failed(false, format!("not a URL: {error}")),
    };
    let started = Instant::now();
    let timed_out = || failed(true, timeout_message(request.timeout, started.elapsed()));
    // The timeout is that of all redirects together.
    match tokio::time::timeout(request.timeout, follow(clients, url, request)).await {
        Ok(Ok(response)) => response,
        Ok(Err(Failure::Refused(reason))) => failed(false, reason),
        Ok(Err(Failure::Http(error))) if error.is_timeout() => timed_out(),
        Ok(Err(Failure::Http(error))) => failed(false, with_causes(&error)),
        Err(_) => timed_out(),
    }
}

/// Returns an error with its causes, such as the operating system's text for a refused connection or an unknown host name.
fn with_causes(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        let inner_text = inner.to_string();
        if !text.ends_with(&inner_text) {
            text = format!("{text}: {inner_text}");
        }
        cause = inner.source();
    }
    text
}

/// Returns the text that pg_net stores for a timeout. pg_net's text also contains times for DNS, TLS and the response. They are left out,
/// because the HTTP client does not measure them.
fn timeout_message(timeout: Duration, elapsed: Duration) -> String {
    format!("Timeout of {} ms reached. Total time: {:.6} ms", timeout.as_millis(), elapsed.as_secs_f64() * 1000.0)
}

enum Failure {
    Refused(String),
    Http(reqwest::Error),
}

impl From<reqwest::Error> for Failure {
    fn from(error: reqwest::Error) -> Self {
        Self::Http(error)
    }
}

/// Sends the request and follows redirects, as pg_net does. The destination of a redirect to another server is checked like a URL that a
/// caller has chosen: a foreign server could otherwise send requests into the network of this server.
async fn follow(clients: &Clients, mut url: Url, request: &Request) -> Result<Response, Failure> {
    let mut method = Method::from_bytes(request.method.as_bytes())
        .map_err(|_| Failure::Refused(format!("not an HTTP method: {}", request.method)))?;
    let mut body = request.body.clone();
    let (mut by_caller, mut is_other_origin) = (request.by_caller, false);
    for _ in 0..=MAX_REDIRECTS {
        let client = clients.of(&url, by_caller).map_err(|reason| Failure::Refused(reason.to_owned()))?;
        let mut outgoing = client.request(method.clone(), url.clone()).timeout(request.timeout);
        for (name, value) in headers(request, is_other_origin) {
            outgoing = outgoing.header(name, value);
        }
        if let Some(body) = &body {
            outgoing = outgoing.body(body.clone());
        }
        let response = outgoing.send().await?;
        let Some(next) = redirect(&url, response.status(), response.headers()) else {
            return Ok(read(response).await?);
        };
        // As libcurl: these redirects turn POST into GET.
        if method == Method::POST && matches!(response.status().as_u16(), 301..=303) {
            (method, body) = (Method::GET, None);
        }
        is_other_origin |= next.origin() != url.origin();
        by_caller |= !is_same_server(&url, &next);
        url = next;
    }
    Err(Failure::Refused(format!("Maximum ({MAX_REDIRECTS}) redirects followed")))
}

/// Returns the headers of the request. After a redirect to another origin, headers with secrets are left out.
fn headers(request: &Request, is_other_origin: bool) -> Vec<(&str, String)> {
    let named = request.headers.as_ref().and_then(Value::as_object).into_iter().flatten();
    let mut headers: Vec<(&str, String)> = named
        .filter(|(name, _)| !(is_other_origin && SECRET_HEADERS.iter().any(|secret| name.eq_ignore_ascii_case(secret))))
        .map(|(name, value)| (name.as_str(), value.as_str().map_or_else(|| value.to_string(), str::to_owned)))
        .collect();
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("user-agent")) {
        headers.push(("user-agent", AGENT.to_owned()));
    }
    headers
}

/// Whether a redirect stays at the same server: at the same origin, or at the same host with HTTPS at its usual port.
fn is_same_server(url: &Url, next: &Url) -> bool {
    url.origin() == next.origin() || url.host() == next.host() && next.scheme() == "https" && next.port().is_none()
}

/// Returns the destination of a redirect. `None` if the response is no redirect, or does not lead to an HTTP URL.
fn redirect(url: &Url, status: StatusCode, headers: &HeaderMap) -> Option<Url> {
    let location = headers.get(LOCATION).filter(|_| matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308))?;
    let next = url.join(&String::from_utf8_lossy(location.as_bytes())).ok()?;
    matches!(next.scheme(), "http" | "https").then_some(next)
}

async fn read(response: reqwest::Response) -> reqwest::Result<Response> {
    let status = i32::from(response.status().as_u16());
    let headers: Map<String, Value> = response
        .headers()
        .iter()
        .map(|(name, value)| (name.to_string(), Value::from(String::from_utf8_lossy(value.as_bytes()).into_owned())))
        .collect();
    let content_type = headers.get("content-type").and_then(Value::as_str).map(str::to_owned);
    let mut bytes = Vec::new();
    let mut stream = response.bytes_stream();
    while let Some(chunk) = stream.next().await {
        let chunk = chunk?;
        let room = MAX_RESPONSE_BYTES.saturating_sub(bytes.len()).min(chunk.len());
        bytes.extend_from_slice(chunk.get(..room).unwrap_or_default());
        if room < chunk.len() {
            break;
        }
    }
    // NUL characters are removed, because PostgreSQL's type `text` cannot contain NUL.
    let content = String::from_utf8_lossy(&bytes).replace('\0', "");
    Ok(Response {
        status: Some(status),
        content_type,
        headers: Value::Object(headers),
        // As in pg_net, an empty body is stored as NULL.
        content: Some(content).filter(|content| !content.is_empty()),
        timed_out: false,
        error: None,
    })
}
