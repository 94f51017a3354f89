//! Client of MessageBird's SMS API: <https://developers.messagebird.com/api/sms-messaging/>.

use cloch_core::Secret;
use http::header::AUTHORIZATION;
use reqwest::{Client, RequestBuilder, StatusCode};
use serde_json::Value;

use super::{Provider, needed, text};
use crate::settings::SmsProvider;

pub(super) const API: &str = "https://rest.messagebird.com";

pub(super) struct MessageBird {
    address: String,
    originator: String,
    key: Secret,
}

impl MessageBird {
    pub(super) fn new(settings: &SmsProvider, api: &str) -> Result<Self, String> {
        needed("messagebird", "originator", !settings.originator.is_empty())?;
        needed("messagebird", "access_key", !settings.access_key.is_empty())?;
        Ok(Self {
            address: format!("{api}/messages"),
            originator: settings.originator.clone(),
            key: settings.access_key.clone(),
        })
    }
}

impl Provider for MessageBird {
    fn request(&self, http: &Client, to: &str, text: &str) -> RequestBuilder {
        http.post(&self.address).header(AUTHORIZATION, format!("AccessKey {}", self.key.expose())).form(&[
            ("originator", self.originator.as_str()),
            ("body", text),
            ("recipients", to),
            ("type", "sms"),
            ("datacoding", "unicode"),
        ])
    }

    fn check(&self, status: StatusCode, body: &Value) -> Result<(), String> {
        if !status.is_success() {
            return Err(text(body, "/errors/0/description").to_owned());
        }
        match body.pointer("/recipients/totalSentCount").and_then(Value::as_i64) {
            None | Some(0) => Err("messagebird error: total sent count is 0".to_owned()),
            Some(_) => Ok(()),
        }
    }
}
