//! Verifies the CAPTCHA token of a request, if the project has enabled CAPTCHA.

use serde::Deserialize;
use serde_json::Value;

use super::request::Incoming;
use crate::error::{AuthError, Context, Result};
use crate::state::AuthState;

#[derive(Deserialize)]
struct Verdict {
    success: bool,
    #[serde(rename = "error-codes", default)]
    errors: Vec<String>,
}

pub(crate) async fn check(state: &AuthState, incoming: &Incoming) -> Result<()> {
    let Some(captcha) = state.settings().captcha.as_ref().filter(|captcha| captcha.enabled) else {
        return Ok(());
    };
    if incoming.is_admin() {
        return Ok(());
    }
    let body: Value = incoming.json()?;
    let token = body.pointer("/gotrue_meta_security/captcha_token").and_then(Value::as_str).unwrap_or_default().trim();
    let refused = |reason: &str| {
        AuthError::bad_request("captcha_failed", format!("captcha protection: request disallowed ({reason})"))
    };
    if token.is_empty() {
        return Err(refused("no captcha_token found"));
    }
    let address = match (&state.setup.captcha_api, captcha.provider.as_str()) {
        (Some(other), _) => other.as_str(),
        (None, "turnstile") => "https://challenges.cloudflare.com/turnstile/v0/siteverify",
        (None, _) => "https://hcaptcha.com/siteverify",
    };
    let remote = incoming.client.address.0.to_string();
    let form = [("secret", captcha.secret.expose().trim()), ("response", token), ("remoteip", &remote)];
    let reply = state.http().post(address).form(&form).send().await.context("captcha verification process failed")?;
    let verdict: Verdict = reply.json().await.context("captcha verification process failed")?;
    if verdict.success { Ok(()) } else { Err(refused(&verdict.errors.join(", "))) }
}
