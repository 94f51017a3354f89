//! Sends HTTPS requests to the ACME server (the certificate authority), with limits for time and size. If a response has the header
//! `Retry-After`, this module stores the required pause, because the ACME library does not expose this header.

use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use bytes::{Bytes, BytesMut};
use http::header::RETRY_AFTER;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use instant_acme::{BodyWrapper, BytesResponse, Error, HttpClient};
use reqwest::{Certificate, redirect};

use super::AcmeError;
use crate::error::innermost;

/// Timeout of one request to the ACME server.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum size in bytes of one response of the ACME server. The largest responses are certificate chains of a few kilobytes.
const MAX_BYTES: usize = 256 * 1024;
/// Pause of requests to the ACME server after a 429 response without the header `Retry-After`.
const USUAL_PAUSE: Duration = Duration::from_secs(3600);
/// Maximum pause of requests to the ACME server. Longer values of `Retry-After` are reduced to this duration.
const MAX_PAUSE: Duration = Duration::from_secs(24 * 3600);

/// HTTP client for one ACME server. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Authority {
    client: reqwest::Client,
    pause: Arc<Mutex<Option<Duration>>>,
}

impl Authority {
    /// Creates a client that trusts the system's root certificates, or only the root certificates in the file `root_certificate`.
    pub(super) fn new(root_certificate: Option<&Path>) -> Result<Self, AcmeError> {
        let mut builder =
            reqwest::Client::builder().timeout(TIMEOUT).redirect(redirect::Policy::none()).https_only(true);
        if let Some(file) = root_certificate {
            let failed = |error: &dyn std::fmt::Display| AcmeError::Roots(file.to_owned(), error.to_string());
            let pem = std::fs::read(file).map_err(|error| failed(&error))?;
            let roots = Certificate::from_pem_bundle(&pem).map_err(|error| failed(&error))?;
            if roots.is_empty() {
                return Err(failed(&"it holds no certificate in PEM form"));
            }
            builder = builder.tls_certs_only(roots);
        }
        let client = builder.build().map_err(|error| AcmeError::Client(innermost(&error)))?;
        Ok(Self { client, pause: Arc::default() })
    }

    /// Returns the pause that the last response of the ACME server required, and clears it. `None` if the response required no pause.
    pub(super) fn take_pause(&self) -> Option<Duration> {
        self.pause.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    async fn send(self, request: Request<BodyWrapper<Bytes>>) -> Result<BytesResponse, Error> {
        let (parts, body) = request.into_parts();
        let body = body.collect().await.map_or_else(|error| match error {}, |body| body.to_bytes());
        let request = reqwest::Request::try_from(Request::from_parts(parts, body)).map_err(unreachable)?;
        let mut response = self.client.execute(request).await.map_err(unreachable)?;
        let (status, headers) = (response.status(), std::mem::take(response.headers_mut()));
        if matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) {
            let named = headers.get(RETRY_AFTER).and_then(|value| pause(value.to_str().ok()?, SystemTime::now()));
            let pause = named.or((status == StatusCode::TOO_MANY_REQUESTS).then_some(USUAL_PAUSE));
            *self.pause.lock().unwrap_or_else(PoisonError::into_inner) = pause.map(|pause| pause.min(MAX_PAUSE));
        }
        let mut bytes = BytesMut::new();
        while let Some(piece) = response.chunk().await.map_err(unreachable)? {
            if bytes.len() + piece.len() > MAX_BYTES {
                return Err(Error::Str("the authority's answer is too long"));
            }
            bytes.extend_from_slice(&piece);
        }
        let mut answer = Response::new(Full::new(bytes.freeze()));
        *answer.status_mut() = status;
        *answer.headers_mut() = headers;
        Ok(answer.into())
    }
}

impl HttpClient for Authority {
    fn request(
        &self,
        request: Request<BodyWrapper<Bytes>>,
    ) -> Pin<Box<dyn Future<Output = Result<BytesResponse, Error>> + Send>> {
        Box::pin(self.clone().send(request))
    }
}

/// Error for a request to which the ACME server did not respond. Such a request does not count towards the ACME server's rate
/// limits.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Unreachable(String);

fn unreachable(error: reqwest::Error) -> Error {
    Error::Other(Box::new(Unreachable(innermost(&error))))
}

/// Parses a `Retry-After` header, which contains seconds or a date (RFC 9110, section 10.2.3). Returns the pause from `now`, or `None` if the
/// header is invalid.
fn pause(text: &str, now: SystemTime) -> Option<Duration> {
    if let Ok(seconds) = text.trim().parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = chrono::DateTime::parse_from_rfc2822(text.trim()).ok()?;
    Some(SystemTime::from(date).duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_is_seconds_or_a_date() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
        assert_eq!(pause("120", now), Some(Duration::from_secs(120)));
        assert_eq!(pause("Fri, 15 Jan 2027 08:01:00 GMT", now), Some(Duration::from_secs(60)));
        assert_eq!(pause("Fri, 15 Jan 2016 08:01:00 GMT", now), Some(Duration::ZERO));
        assert_eq!(pause("soon", now), None);
    }
}
