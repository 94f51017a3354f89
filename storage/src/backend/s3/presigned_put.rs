//! Sends PUT requests with presigned URLs to the S3 server. The body is streamed from the spool, so that a part of several megabytes needs
//! no memory. The S3 client library would copy each part twice, so it is only used to sign the URL.

use std::collections::HashMap;
use std::time::Duration;

use ::s3::error::S3Error;
use axum::http::HeaderMap;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, ETAG};
use reqwest::{Body, Client, StatusCode};
use tokio::time::sleep;

use super::spool::Spool;
use super::{BLOB_CONTENT_TYPE, MAX_ATTEMPTS, S3Backend, failed};
use crate::error::{Error, Result};

/// Validity period of a presigned URL in seconds. No request takes longer.
const PRESIGNED_URL_SECONDS: u32 = 60 * 60;
/// Delay before the second attempt of a PUT request. The delay before the third attempt is four times as long.
const FIRST_RETRY_DELAY: Duration = Duration::from_millis(250);
const CONTEXT: &str = "sending bytes to the store";

/// Creates an HTTP client for presigned URLs.
///
/// # Errors
/// If TLS cannot be initialised.
pub(super) fn client(timeout: Duration) -> Result<Client> {
    Client::builder().timeout(timeout).build().map_err(|source| Error::internal(CONTEXT)(source.into()))
}

impl S3Backend {
    /// Uploads the spooled bytes to `path`. With a part number and upload id in `query`, the bytes become a part of a multipart upload.
    /// Returns the entity tag. The bytes stay in the spool.
    pub(super) async fn send(&self, path: &str, query: HashMap<String, String>, spool: &Spool) -> Result<String> {
        let mut attempt = 1;
        loop {
            match self.send_once(path, &query, spool).await {
                Ok(etag) => return Ok(etag),
                Err(refusal) if refusal.is_final || attempt == MAX_ATTEMPTS => return Err(refusal.error),
                Err(_) => sleep(FIRST_RETRY_DELAY * u32::from(attempt).pow(2)).await,
            }
            attempt += 1;
        }
    }

    async fn send_once(&self, path: &str, query: &HashMap<String, String>, spool: &Spool) -> Result<String, Refusal> {
        let signed = self.bucket.presign_put(path, PRESIGNED_URL_SECONDS, None, Some(query.clone())).await;
        let url = signed.map_err(|error| Refusal { is_final: true, error: failed(CONTEXT)(error) })?;
        let request = self.client.put(url).header(CONTENT_LENGTH, spool.len()).header(CONTENT_TYPE, BLOB_CONTENT_TYPE);
        let answer = request.body(Body::wrap_stream(spool.stream())).send().await.map_err(Refusal::of_client)?;
        let (status, headers) = (answer.status(), answer.headers().clone());
        let body = answer.text().await.map_err(Refusal::of_client)?;
        if !status.is_success() {
            return Err(Refusal::of_server(status, body));
        }
        Ok(entity_tag(&headers))
    }
}

fn entity_tag(headers: &HeaderMap) -> String {
    headers.get(ETAG).and_then(|etag| etag.to_str().ok()).unwrap_or_default().to_owned()
}

/// A failed PUT request to the S3 server.
struct Refusal {
    /// Whether a retry would fail in the same way.
    is_final: bool,
    error: Error,
}

impl Refusal {
    fn of_client(error: reqwest::Error) -> Self {
        // The URL is removed from the error, because it contains the signature.
        Self { is_final: false, error: Error::StoreAway(error.without_url().into()) }
    }

    fn of_server(status: StatusCode, body: String) -> Self {
        let is_final = !status.is_server_error() && status != StatusCode::TOO_MANY_REQUESTS;
        Self { is_final, error: failed(CONTEXT)(S3Error::HttpFailWithBody(status.as_u16(), body)) }
    }
}
