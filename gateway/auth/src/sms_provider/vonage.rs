//! Client of Vonage's SMS API: <https://developer.vonage.com/en/api/sms>.

use cloch_core::Secret;
use reqwest::{Client, RequestBuilder, StatusCode};
use serde_json::Value;

use super::{Provider, needed, text};
use crate::settings::SmsProvider;

pub(super) const API: &str = "https://rest.nexmo.com";

pub(super) struct Vonage {
    address: String,
    from: String,
    key: Secret,
    secret: Secret,
}

impl Vonage {
    pub(super) fn new(settings: &SmsProvider, api: &str) -> Result<Self, String> {
        needed("vonage", "from", !settings.from.is_empty())?;
        needed("vonage", "api_key", !settings.api_key.is_empty())?;
        needed("vonage", "api_secret", !settings.api_secret.is_empty())?;
        Ok(Self {
            address: format!("{api}/sms/json"),
            from: settings.from.clone(),
            key: settings.api_key.clone(),
            secret: settings.api_secret.clone(),
        })
    }
}

impl Provider for Vonage {
    fn request(&self, http: &Client, to: &str, text: &str) -> RequestBuilder {
        let mut form = vec![
            ("from", self.from.as_str()),
            ("to", to),
            ("text", text),
            ("api_key", self.key.expose()),
            ("api_secret", self.secret.expose()),
        ];
        if !text.is_ascii() {
            form.push(("type", "unicode"));
        }
        http.post(&self.address).form(&form)
    }

    /// Parses the response without regard to the HTTP status, because Vonage returns status 200 even for errors.
    fn check(&self, _: StatusCode, body: &Value) -> Result<(), String> {
        match body.pointer("/messages/0/status").and_then(Value::as_str) {
            Some("0") => Ok(()),
            Some(status) => Err(format!("vonage error: {} (status: {status})", text(body, "/messages/0/error-text"))),
            None => Err("vonage error: Internal Error".to_owned()),
        }
    }
}
