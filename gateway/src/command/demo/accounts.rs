//! Accounts with which the user of a demo signs in: an operator of the dashboard, and some of the project's users. They are created with
//! requests to the running server.

use std::time::Duration;

use cloch_core::Secret;
use http::header::ORIGIN;
use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};

use crate::config::Secrets;
use crate::error::CommandError;

/// E-mail address of the dashboard's operator.
pub(super) const OPERATOR: &str = "owner@example.org";
/// E-mail addresses of the users that get the demo's password.
pub(super) const MEMBERS: [&str; 3] = ["anne@example.org", "bo@example.org", "catriona@example.org"];

const TIMEOUT: Duration = Duration::from_secs(30);

/// Creates the operator and sets the passwords of [`MEMBERS`]. Does nothing if an operator exists, because then an earlier start has done
/// both. The operator is therefore created last.
///
/// # Errors
/// If a request fails or is refused.
pub(super) async fn create(
    url: &str,
    secrets: &Secrets,
    first_operator_link: Option<&Secret>,
    password: &Secret,
) -> Result<(), CommandError> {
    let Some((_, token)) = first_operator_link.and_then(|link| link.expose().split_once("#token=")) else {
        return Ok(());
    };
    let client = Client::builder().no_proxy().timeout(TIMEOUT).build()?;
    let admin = |request: RequestBuilder| {
        request.header("apikey", &secrets.service_role_key).bearer_auth(&secrets.service_role_key)
    };
    let users = sent(admin(client.get(format!("{url}/auth/v1/admin/users?per_page=100")))).await?;
    let users = users.get("users").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    for email in MEMBERS {
        let user = users.iter().find(|user| user.get("email").and_then(Value::as_str) == Some(email));
        let id =
            user.and_then(|user| user.get("id")?.as_str()).ok_or_else(|| format!("the demo has no user {email}"))?;
        let request = client.put(format!("{url}/auth/v1/admin/users/{id}"));
        sent(admin(request).json(&json!({ "password": password.expose() }))).await?;
    }
    let operator = json!({ "token": token, "email": OPERATOR, "name": "Demo owner", "password": password.expose() });
    sent(client.post(format!("{url}/_/api/welcome")).header(ORIGIN, url).json(&operator)).await?;
    Ok(())
}

/// Sends a request and returns the JSON of its response.
async fn sent(request: RequestBuilder) -> Result<Value, CommandError> {
    let response = request.send().await?;
    let (status, url) = (response.status(), response.url().path().to_owned());
    let text = response.text().await?;
    if !status.is_success() {
        return Err(format!("the demo's accounts: {url} responded with status {status}: {text}").into());
    }
    Ok(serde_json::from_str(&text)?)
}
