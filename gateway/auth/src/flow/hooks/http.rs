//! Calls auth hooks that are HTTP endpoints: sends a POST request signed according to the Standard Webhooks specification.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use http::header::{ACCEPT_ENCODING, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderMap, StatusCode};
use serde_json::{Map, Value};
use sha2::Sha256;

use crate::error::{AuthError, Context, Result};
use crate::settings::Hook;
use crate::state::AuthState;

/// Timeout of a hook call, for all attempts together.
const HOOK_TIMEOUT: Duration = Duration::from_secs(5);
const RETRY_DELAY: Duration = Duration::from_secs(2);
const MAX_ATTEMPTS: usize = 3;
const MAX_RESPONSE_BYTES: usize = 200 * 1024;

enum Attempt {
    Answer(Value),
    /// The hook's server sent no response.
    Unreachable,
    /// The hook's server requested a retry (status 429 or 503 with `Retry-After`).
    Later,
}

pub(crate) async fn call(state: &AuthState, hook: &Hook, input: &Map<String, Value>) -> Result<Value> {
    let body = serde_json::to_string(input).context("Error invoking hook")?;
    let tries = async {
        for left in (0..MAX_ATTEMPTS).rev() {
            match attempt(state, hook, &body).await? {
                Attempt::Answer(value) => return Ok(value),
                Attempt::Unreachable if left == 0 => {
                    let why = "Failed to reach hook after maximum retries";
                    return Err(AuthError::unprocessable("hook_timeout_after_retry", why));
                }
                Attempt::Unreachable => tokio::time::sleep(RETRY_DELAY).await,
                Attempt::Later => {}
            }
        }
        Err(failed("Service currently unavailable due to hook"))
    };
    tokio::time::timeout(HOOK_TIMEOUT, tries).await.unwrap_or_else(|_| {
        Err(AuthError::unprocessable("hook_timeout", "Failed to reach hook within maximum time of 5.000000 seconds"))
    })
}

async fn attempt(state: &AuthState, hook: &Hook, body: &str) -> Result<Attempt> {
    let id = uuid::Uuid::new_v4().to_string();
    let at = chrono::Utc::now().timestamp();
    let request = state
        .http()
        .post(&hook.uri)
        .header(CONTENT_TYPE, "application/json")
        .header("webhook-id", &id)
        .header("webhook-timestamp", at)
        .header("webhook-signature", signatures(hook.secrets.expose(), &format!("{id}.{at}.{body}")))
        .header(ACCEPT_ENCODING, "identity")
        .body(body.to_owned());
    let Ok(reply) = request.send().await else {
        return Ok(Attempt::Unreachable);
    };
    let status = reply.status();
    match status {
        StatusCode::OK | StatusCode::ACCEPTED => {
            check_kind(reply.headers())?;
            read_json(reply).await.map(Attempt::Answer)
        }
        StatusCode::NO_CONTENT => Ok(Attempt::Answer(Value::Null)),
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE
            if reply.headers().contains_key(RETRY_AFTER) =>
        {
            Ok(Attempt::Later)
        }
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
            Err(failed("Service currently unavailable due to hook"))
        }
        status if status.is_client_error() => match read_refusal(reply).await {
            Some(refusal) => Ok(Attempt::Answer(refusal)),
            None => Err(unexpected(status)),
        },
        status => Err(unexpected(status)),
    }
}

fn unexpected(status: StatusCode) -> AuthError {
    match status {
        StatusCode::BAD_REQUEST => failed("Invalid payload sent to hook"),
        StatusCode::UNAUTHORIZED => failed("Hook requires authorization token"),
        status => failed(format!("Unexpected status code returned from hook: {}", status.as_u16())),
    }
}

async fn read_json(mut reply: reqwest::Response) -> Result<Value> {
    let mut bytes = Vec::new();
    while let Some(chunk) = reply.chunk().await.context("Error invoking hook")? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > MAX_RESPONSE_BYTES {
            return Err(AuthError::unprocessable(
                "hook_payload_over_size_limit",
                format!("Payload size exceeded size limit of {MAX_RESPONSE_BYTES} bytes"),
            ));
        }
    }
    serde_json::from_slice(&bytes).context("Error unmarshaling hook output")
}

/// Reads the hook's refusal from a response with a 4xx status. The body must contain an `error` object with a message. The refusal has the
/// status `http_code` of this object, or otherwise the status of the response. `None` for other bodies, for example the error page of a
/// proxy. GoTrue does not read the body of such a response, although the hooks' documentation describes the body.
async fn read_refusal(reply: reqwest::Response) -> Option<Value> {
    check_kind(reply.headers()).ok()?;
    let status = reply.status();
    let mut refusal = read_json(reply).await.ok()?;
    let error = refusal.get_mut("error")?.as_object_mut()?;
    if error.get("message")?.as_str()?.is_empty() {
        return None;
    }
    error.entry("http_code").or_insert_with(|| status.as_u16().into());
    Some(refusal)
}

fn failed(message: impl Into<std::borrow::Cow<'static, str>>) -> AuthError {
    AuthError::failed("unexpected_failure", message)
}

fn check_kind(headers: &HeaderMap) -> Result<()> {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let message = match kind.split(';').next().unwrap_or_default().trim() {
        "application/json" => return Ok(()),
        "" => "Invalid Content-Type: Missing Content-Type header".to_owned(),
        _ => format!("Invalid JSON response. Received content-type: {kind}"),
    };
    Err(AuthError::bad_request("hook_payload_invalid_content_type", message))
}

/// Returns the value of the signature header: one signature (`v1,<base64>`) for each secret. The secrets have the form `v1,whsec_<base64>`
/// and are separated by `|`.
fn signatures(secrets: &str, content: &str) -> String {
    let signed = secrets.split('|').filter_map(|secret| {
        let key = STANDARD.decode(secret.trim().strip_prefix("v1,whsec_")?).ok()?;
        let mut mac = Hmac::<Sha256>::new_from_slice(&key).ok()?;
        mac.update(content.as_bytes());
        Some(format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())))
    });
    signed.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the example of the Standard Webhooks specification.
    #[test]
    fn signatures_are_those_of_the_specification() {
        let content = r#"msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}"#;
        let expected = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        assert_eq!(signatures("v1,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", content), expected);
        assert_eq!(
            signatures("v1,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw|v1,whsec_AAAA", content).split(", ").count(),
            2
        );
    }
}
