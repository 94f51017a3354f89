//! A request to a collector: sent again where that may help, never where it is refused.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, StatusCode};
use reqwest::redirect;
use tokio_util::sync::CancellationToken;
use url::Url;

use crate::error::innermost;

/// Of one request.
const TIMEOUT: Duration = Duration::from_secs(10);
const FIRST_DELAY: Duration = Duration::from_secs(1);
const MAX_DELAY: Duration = Duration::from_secs(30);
/// For what is left when the program stops.
const LAST_TIMEOUT: Duration = Duration::from_secs(3);

/// Where and as what bodies are sent.
#[derive(Debug)]
pub(super) struct Target {
    client: reqwest::Client,
    url: Url,
    content_type: &'static str,
    authorization: Option<HeaderValue>,
    is_down: bool,
}

/// How one attempt ended.
enum Attempt {
    Taken,
    /// Another attempt may help.
    Failed(String),
    Refused(StatusCode),
}

impl Target {
    /// Nothing is sent yet. Redirects are not followed: they would take the secret elsewhere.
    pub(super) fn new(
        url: Url,
        content_type: &'static str,
        authorization: Option<HeaderValue>,
    ) -> reqwest::Result<Self> {
        let client = reqwest::Client::builder().timeout(TIMEOUT).redirect(redirect::Policy::none()).build()?;
        Ok(Self { client, url, content_type, authorization, is_down: false })
    }

    /// Sends a body until it is taken or refused, with growing delays; after `shutdown` once more. Returns whether it was taken.
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
                // As OTLP names them; a server may also have no time for a request (408).
                StatusCode::REQUEST_TIMEOUT
                | StatusCode::TOO_MANY_REQUESTS
                | StatusCode::BAD_GATEWAY
                | StatusCode::SERVICE_UNAVAILABLE
                | StatusCode::GATEWAY_TIMEOUT => Attempt::Failed(response.status().to_string()),
                status => Attempt::Refused(status),
            },
            // The URL may hold a secret.
            Err(error) => Attempt::Failed(innermost(&error.without_url())),
        }
    }

    fn settled(&mut self, ended: &Attempt) -> bool {
        if let Attempt::Refused(status) = ended {
            tracing::warn!(host = self.url.host_str(), %status, "collector refused the data");
        } else if self.is_down {
            tracing::info!(host = self.url.host_str(), "collector available again");
        }
        self.is_down = false;
        matches!(ended, Attempt::Taken)
    }

    /// One line for each outage.
    fn says_down(&mut self, reason: &str) {
        if !self.is_down {
            tracing::warn!(host = self.url.host_str(), reason, "collector unavailable, retrying");
        }
        self.is_down = true;
    }
}
