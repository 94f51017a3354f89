//! Client of Textlocal's Send API: <https://api.textlocal.in/docs/sendsms>.

use cloch_core::Secret;
use reqwest::{Client, RequestBuilder, StatusCode};
use serde_json::Value;

use super::{Provider, needed, text};
use crate::settings::SmsProvider;

pub(super) const API: &str = "https://api.textlocal.in";

pub(super) struct Textlocal {
    address: String,
    sender: String,
    key: Secret,
}

impl Textlocal {
    pub(super) fn new(settings: &SmsProvider, api: &str) -> Result<Self, String> {
        needed("textlocal", "sender", !settings.sender.is_empty())?;
        needed("textlocal", "api_key", !settings.api_key.is_empty())?;
        Ok(Self { address: format!("{api}/send"), sender: settings.sender.clone(), key: settings.api_key.clone() })
    }
}

impl Provider for Textlocal {
    fn request(&self, http: &Client, to: &str, text: &str) -> RequestBuilder {
        http.post(&self.address).form(&[
            ("sender", self.sender.as_str()),
            ("apikey", self.key.expose()),
            ("message", text),
            ("numbers", to),
        ])
    }

    /// Parses the response without regard to the HTTP status, because Textlocal returns status 200 even for errors.
    fn check(&self, _: StatusCode, body: &Value) -> Result<(), String> {
        if body.get("status").and_then(Value::as_str) == Some("success") {
            return Ok(());
        }
        let code = body.pointer("/errors/0/code").and_then(Value::as_i64).unwrap_or_default();
        Err(format!("textlocal error: {} (code: {code})", text(body, "/errors/0/message")))
    }
}
