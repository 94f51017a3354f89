//! Requests to providers of sign-in. Those that config.toml names may be anywhere, also beside this server; the addresses of those that came
//! by the API are checked (SSRF).

use cloch_core::outbound::{ChosenBy, Outbound, REFUSED};
use reqwest::{Client, RequestBuilder, Response};
use serde::de::DeserializeOwned;
use url::Url;

use crate::error::{AuthError, Result};

/// Bytes of a provider's response.
const MAX_RESPONSE_BYTES: usize = 1024 * 1024;
/// Characters of an address, those of the table's columns.
const MAX_URL_CHARS: usize = 2048;

/// Sends requests to one provider.
pub(crate) struct ProviderHttp<'a> {
    client: &'a Client,
    /// None for the providers of config.toml.
    rules: Option<&'a Outbound>,
}

impl<'a> ProviderHttp<'a> {
    /// For providers of config.toml.
    pub(crate) const fn unrestricted(client: &'a Client) -> Self {
        Self { client, rules: None }
    }

    /// For other providers: `client` is of these rules.
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

    /// Whether a request may go to this address. What a host name leads to is checked when it is resolved.
    fn permit(&self, address: &str) -> Result<()> {
        let Some(rules) = self.rules else { return Ok(()) };
        let url = check_form(address)?;
        if rules.permits(&url, ChosenBy::Caller) { Ok(()) } else { Err(refused()) }
    }

    /// Refuses an address that no request would reach: it is checked as a request would check it.
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

/// An address of a provider that came by the API, whoever asks for it: this server or a user's browser.
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

/// The JSON of a response, if it is not too long.
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
