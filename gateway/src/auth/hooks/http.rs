//! A hook that is a server: called as Standard Webhooks describe it, with the signature its receiver checks.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use http::StatusCode;
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use serde_json::{Map, Value};
use sha2::Sha256;

use crate::auth::error::{AuthError, Doing, Result};
use crate::auth::settings::Hook;
use crate::auth::state::AuthState;

/// All tries together.
const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_secs(2);
const TRIES: usize = 3;
const MAX_REPLY: usize = 200 * 1024;

enum Tried {
    Answer(Value),
    Again,
}

pub(super) async fn call(state: &AuthState, hook: &Hook, input: &Map<String, Value>) -> Result<Value> {
    let body = serde_json::to_string(input).doing("Error invoking hook")?;
    let tries = async {
        for left in (0..TRIES).rev() {
            if let Tried::Answer(value) = attempt(state, hook, &body).await? {
                return Ok(value);
            }
            if left > 0 {
                tokio::time::sleep(PAUSE).await;
            }
        }
        Err(AuthError::unprocessable("hook_timeout_after_retry", "Failed to reach hook after maximum retries"))
    };
    tokio::time::timeout(PATIENCE, tries).await.unwrap_or_else(|_| {
        Err(AuthError::unprocessable("hook_timeout", "Failed to reach hook within maximum time of 5.000000 seconds"))
    })
}

async fn attempt(state: &AuthState, hook: &Hook, body: &str) -> Result<Tried> {
    let id = uuid::Uuid::new_v4().to_string();
    let at = chrono::Utc::now().timestamp();
    let request = state
        .http()
        .post(&hook.uri)
        .header(CONTENT_TYPE, "application/json")
        .header("webhook-id", &id)
        .header("webhook-timestamp", at)
        .header("webhook-signature", signatures(hook.secrets.expose(), &format!("{id}.{at}.{body}")))
        .body(body.to_owned());
    let Ok(mut reply) = request.send().await else { return Ok(Tried::Again) };
    let status = reply.status();
    let json = reply
        .headers()
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|value| value.split(';').next().is_some_and(|kind| kind.trim() == "application/json"));
    match status {
        StatusCode::OK | StatusCode::CREATED | StatusCode::ACCEPTED => {
            if !json {
                return Err(AuthError::bad_request(
                    "hook_payload_invalid_content_type",
                    "Invalid JSON response. Received content-type",
                ));
            }
            let mut bytes = Vec::new();
            while let Some(chunk) = reply.chunk().await.doing("Error invoking hook")? {
                bytes.extend_from_slice(&chunk);
                if bytes.len() > MAX_REPLY {
                    return Err(AuthError::unprocessable(
                        "hook_payload_over_size_limit",
                        format!("Payload size exceeded size limit of {MAX_REPLY} bytes"),
                    ));
                }
            }
            serde_json::from_slice(&bytes).doing("Error unmarshaling hook output").map(Tried::Answer)
        }
        StatusCode::NO_CONTENT => Ok(Tried::Answer(Value::Null)),
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE
            if reply.headers().contains_key(RETRY_AFTER) =>
        {
            Ok(Tried::Again)
        }
        status => Err(AuthError::failed(
            "unexpected_failure",
            format!("Unexpected status code returned from hook: {}", status.as_u16()),
        )),
    }
}

/// One signature for each secret, `v1,<base64>`; secrets are written `v1,whsec_<base64>` and separated by `|`.
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

    /// The example of the Standard Webhooks specification.
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
