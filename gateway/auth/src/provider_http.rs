//! Sends HTTP requests to external sign-in providers. A provider of config.toml may have any URL, even one in a private network. The URLs
//! of providers that were created through the admin API are checked, to prevent server-side request forgery (SSRF).

use cloch_core::outbound::{ChosenBy, Outbound, REFUSED};
use reqwest::{Client, RequestBuilder, Response};
use serde::de::DeserializeOwned;
use url::Url;

use crate::error::{AuthError, Result};

const MAX_RESPONSE_BYTES: usize = 1024 * 1024;
/// Maximum length of a provider's URL in characters, as in the columns of `auth.custom_oauth_providers`.
const MAX_URL_CHARS: usize = 2048;

pub(crate) struct ProviderHttp<'a> {
    client: &'a Client,
    /// The rules for outbound requests. `None` for providers of config.toml, which have no restrictions.
    rules: Option<&'a Outbound>,
}

impl<'a> ProviderHttp<'a> {
    /// Creates a client for requests to providers of config.toml, without restrictions.
    pub(crate) const fn unrestricted(client: &'a Client) -> Self {
        Self { client, rules: None }
    }

    /// Creates a client for requests to providers of the admin API. `client` must enforce the same `rules` when it resolves host names.
    pub(crate) const fn restricted(client: &'a Client, rules: &'a Outbound) -> Self {
        Self { client, rules: Some(rules) }
    }

    pub(crate) fn get(&self, address: &str) -> Result<RequestBuilder> {
        self.permit(address)?;
        Ok(self.client.get(address))
    }

    pub(crate) fn post(&self, address: &str) -> Result<RequestBuilder> {
        self.permit(address)?;
        Ok(self.client.post(address))
    }

    /// Refuses a URL that the rules for outbound requests forbid. If the URL contains a host name, its addresses are checked later, when a
    /// request resolves the name.
    fn permit(&self, address: &str) -> Result<()> {
        let Some(rules) = self.rules else { return Ok(()) };
        let url = check_form(address)?;
        if rules.permits(&url, ChosenBy::Caller) { Ok(()) } else { Err(refused()) }
    }

    /// Refuses a URL that the rules for outbound requests forbid. Resolves the host name, so that a forbidden address is already refused
    /// when an administrator sets the URL.
    pub(crate) async fn check(&self, address: &str) -> Result<()> {
        self.permit(address)?;
        let Some(rules) = self.rules else { return Ok(()) };
        match rules.reaches(&check_form(address)?, ChosenBy::Caller).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(refused()),
            Err(_) => Err(AuthError::validation("Unable to resolve hostname")),
        }
    }
}

/// Validates the form of a provider's URL that an administrator sets, such as the scheme https. Applies to URLs that this server requests
/// and to URLs that a user's browser opens.
pub(crate) fn check_form(address: &str) -> Result<Url> {
    let url = Url::parse(address).map_err(|_| AuthError::validation("Invalid URL format"))?;
    if url.scheme() != "https" {
        return Err(AuthError::validation("URL must use HTTPS"));
    }
    if address.chars().count() > MAX_URL_CHARS {
        return Err(AuthError::validation(format!("a URL has at most {MAX_URL_CHARS} characters")));
    }
    if url.host().is_none() || !url.username().is_empty() || url.password().is_some() {
        return Err(AuthError::validation("URL must have a valid hostname"));
    }
    Ok(url)
}

fn refused() -> AuthError {
    AuthError::validation(format!("URL cannot point to private network addresses: {REFUSED}"))
}

/// Parses the JSON body of a provider's response, up to [`MAX_RESPONSE_BYTES`].
pub(crate) async fn read_json<T: DeserializeOwned>(
    mut reply: Response,
) -> std::result::Result<T, Box<dyn std::error::Error + Send + Sync>> {
    let mut body = Vec::new();
    while let Some(chunk) = reply.chunk().await? {
        if body.len() + chunk.len() > MAX_RESPONSE_BYTES {
            return Err(format!("the provider's response has more than {MAX_RESPONSE_BYTES} bytes").into());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(serde_json::from_slice(&body)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_permitted(address: &str, rules: &Outbound) -> bool {
        ProviderHttp::restricted(&Client::new(), rules).get(address).is_ok()
    }

    #[test]
    fn only_https_and_only_where_the_rules_allow() {
        let rules = Outbound::default();
        for address in [
            "",
            "id.example",
            "http://id.example/",
            "ftp://id.example/",
            "https://ann:secret@id.example/",
            "https://127.0.0.1/",
            "https://10.1.2.3/",
            "https://[::1]/",
            "https://169.254.169.254/latest",
            "https://2130706433/",
            &format!("https://id.example/{}", "a".repeat(2048)),
        ] {
            assert!(!is_permitted(address, &rules), "{address}");
        }
        assert!(is_permitted("https://id.example/", &rules));
        assert!(is_permitted("https://192.0.0.9:8443/", &Outbound::new(&["192.0.0.0/24".parse().unwrap()])));
    }
}
