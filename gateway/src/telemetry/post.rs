//! Sends traces to an OpenTelemetry collector, or log lines to the HTTP server that receives the log drain. Requests that fail temporarily
//! are repeated; requests that the receiver refuses are not.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, StatusCode};
use reqwest::redirect;
use tokio_util::sync::CancellationToken;
use url::Url;

use crate::error::innermost;

/// Timeout of one request.
const TIMEOUT: Duration = Duration::from_secs(10);
const FIRST_DELAY: Duration = Duration::from_secs(1);
const MAX_DELAY: Duration = Duration::from_secs(30);
/// Timeout of the last attempt, which is made when the program stops.
const LAST_TIMEOUT: Duration = Duration::from_secs(3);

/// Server that receives the requests, with the headers of all requests to this server.
#[derive(Debug)]
pub(super) struct Target {
    client: reqwest::Client,
    url: Url,
    content_type: &'static str,
    authorization: Option<HeaderValue>,
    is_down: bool,
}

enum Attempt {
    Taken,
    /// The request failed temporarily and is repeated. Contains the reason for the log.
    Failed(String),
    Refused(StatusCode),
}

impl Target {
    /// Creates the HTTP client without connecting. Redirects are not followed, because a redirect could send the `Authorization` header to
    /// another server.
    pub(super) fn new(
        url: Url,
        content_type: &'static str,
        authorization: Option<HeaderValue>,
    ) -> reqwest::Result<Self> {
        let client = reqwest::Client::builder().timeout(TIMEOUT).redirect(redirect::Policy::none()).build()?;
        Ok(Self { client, url, content_type, authorization, is_down: false })
    }

    /// Sends a body. Repeats the request with increasing delays until the receiver accepts or refuses the body. If `shutdown` is cancelled
    /// before, makes one last attempt. Returns whether the receiver accepted the body.
    pub(super) async fn deliver(&mut self, body: Bytes, shutdown: &CancellationToken) -> bool {
        let mut delay = FIRST_DELAY;
        while !shutdown.is_cancelled() {
            let attempt = shutdown.run_until_cancelled(self.attempt(body.clone())).await;
            match attempt {
                Some(Attempt::Failed(reason)) => self.says_down(&reason),
                Some(ended) => return self.settled(&ended),
                None => break,
            }
            let wait = delay.mul_f64(rand::random_range(0.8..1.2));
            let _ = shutdown.run_until_cancelled(tokio::time::sleep(wait)).await;
            delay = (delay * 2).min(MAX_DELAY);
        }
        matches!(tokio::time::timeout(LAST_TIMEOUT, self.attempt(body)).await, Ok(Attempt::Taken))
    }

    async fn attempt(&self, body: Bytes) -> Attempt {
        let mut request = self.client.post(self.url.clone()).header(http::header::CONTENT_TYPE, self.content_type);
        if let Some(value) = &self.authorization {
            request = request.header(http::header::AUTHORIZATION, value.clone());
        }
        match request.body(body).send().await {
            Ok(response) => match response.status() {
                status if status.is_success() => Attempt::Taken,
                // Status codes after which a request is repeated: those that OTLP defines as retryable, and 408, with which some servers
                // close a slow request.
                StatusCode::REQUEST_TIMEOUT
                | StatusCode::TOO_MANY_REQUESTS
                | StatusCode::BAD_GATEWAY
                | StatusCode::SERVICE_UNAVAILABLE
                | StatusCode::GATEWAY_TIMEOUT => Attempt::Failed(response.status().to_string()),
                status => Attempt::Refused(status),
            },
            // The URL is removed from the error message, because the URL may contain a secret.
            Err(error) => Attempt::Failed(innermost(&error.without_url())),
        }
    }

    fn settled(&mut self, ended: &Attempt) -> bool {
        if let Attempt::Refused(status) = ended {
            tracing::warn!(
                host = self.url.host_str(),
                %status,
                "telemetry: collector refused the data (traces or log lines that this server sends), the data is dropped"
            );
        } else if self.is_down {
            tracing::info!(host = self.url.host_str(), "telemetry: collector available again, sending continues");
        }
        self.is_down = false;
        matches!(ended, Attempt::Taken)
    }

    /// Logs that the receiver is unreachable, but only once until a request succeeds again.
    fn says_down(&mut self, reason: &str) {
        if !self.is_down {
            tracing::warn!(
                host = self.url.host_str(),
                reason,
                "telemetry: collector unavailable (it receives traces or log lines of this server), retrying, data that does not fit into the queue is dropped"
            );
        }
        self.is_down = true;
    }
}
