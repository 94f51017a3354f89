//! Calls the auth API over HTTP with the service key.

use bytes::Bytes;
use cloch_functions::{Call, FunctionError};
use cloch_mail::Address;
use http::StatusCode;
use serde_json::{Value, json};

/// Sends an invitation by mail. Creates the account if it does not exist. If the account exists and the invitation was not accepted yet,
/// sends the mail again.
///
/// # Errors
/// Status 502 if the auth API fails, 429 if the auth API reports that its rate limit is reached.
pub(crate) async fn invite(call: &Call, email: &Address, redirect_to: &str) -> Result<(), FunctionError> {
    post(call, "auth/v1/invite", redirect_to, json!({ "email": email.as_str() })).await
}

/// Sends a mail with a link to set a new password.
///
/// # Errors
/// Status 502 if the auth API fails, 429 if the auth API reports that its rate limit is reached.
pub(crate) async fn recover(call: &Call, email: &Address, redirect_to: &str) -> Result<(), FunctionError> {
    post(call, "auth/v1/recover", redirect_to, json!({ "email": email.as_str() })).await
}

async fn post(call: &Call, path: &str, redirect_to: &str, body: Value) -> Result<(), FunctionError> {
    let services = call.services();
    let key = services.api_keys.service_role.expose();
    let answer = call
        .http()
        .post(format!("{}{path}", services.local_url))
        .query(&[("redirect_to", redirect_to)])
        .header("apikey", key)
        .bearer_auth(key)
        .json(&body)
        .send()
        .await
        .map_err(|error| FunctionError::dependency("The invitation", &error.without_url()))?;
    let status = answer.status();
    if status.is_success() {
        return Ok(());
    }
    let text = answer.bytes().await.unwrap_or_else(|_| Bytes::new());
    if status == StatusCode::TOO_MANY_REQUESTS {
        let message = "A message was sent a moment ago. Please wait before you ask for another.";
        return Err(FunctionError::too_often(message, std::time::Duration::from_mins(1)));
    }
    let code = serde_json::from_slice::<Value>(&text).ok().and_then(|body| body.get("error_code").cloned());
    Err(FunctionError::dependency("The invitation", &format!("{status} {}", code.unwrap_or_default())))
}
