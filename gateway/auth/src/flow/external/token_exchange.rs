//! Exchanges the authorization code of an external sign-in provider for the provider's tokens (RFC 6749, section 4.1.3).

use http::StatusCode;
use http::header::ACCEPT;
use serde::Deserialize;

use super::Provider;
use crate::error::{AuthError, Context, Result};
use crate::provider_http;
use crate::state::AuthState;

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Tokens {
    pub(crate) access_token: String,
    #[serde(default)]
    pub(crate) refresh_token: String,
    #[serde(default)]
    pub(crate) id_token: String,
}

const FAILED: &str = "Unable to exchange external code";

pub(crate) async fn exchange(
    state: &AuthState,
    provider: &Provider<'_>,
    code: &str,
    verifier: Option<&str>,
) -> Result<Tokens> {
    // Sends the client credentials in the `Authorization` header first (RFC 6749, section 2.3.1). If the provider responds with status 400
    // or 401, repeats the request with the credentials in the body.
    let reply = attempt(state, provider, code, verifier, true).await?;
    let reply = match reply.status() {
        StatusCode::UNAUTHORIZED | StatusCode::BAD_REQUEST => attempt(state, provider, code, verifier, false).await?,
        _ => reply,
    };
    let status = reply.status();
    if !status.is_success() {
        // As in GoTrue, the first four characters of the authorization code are logged, so that an operator can find the code in the
        // provider's log.
        let start: String = code.chars().take(4).collect();
        return Err(AuthError::internal(format!("{FAILED}: {start}"), format!("the provider answered {status}")));
    }
    provider_http::read_json(reply).await.context(FAILED)
}

async fn attempt(
    state: &AuthState,
    provider: &Provider<'_>,
    code: &str,
    verifier: Option<&str>,
    by_header: bool,
) -> Result<reqwest::Response> {
    let redirect_uri = provider.redirect_uri(state);
    let (id, secret) = (provider.client_id(), provider.settings.secret.expose());
    let mut form = vec![("grant_type", "authorization_code"), ("code", code), ("redirect_uri", &redirect_uri)];
    form.extend(verifier.map(|verifier| ("code_verifier", verifier)));
    let mut request = provider.http(state).post(&provider.token)?.header(ACCEPT, "application/json");
    if by_header {
        request = request.basic_auth(encoded(id), Some(encoded(secret)));
    } else {
        form.extend([("client_id", id), ("client_secret", secret)]);
    }
    request.form(&form).send().await.context(FAILED)
}

fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}
