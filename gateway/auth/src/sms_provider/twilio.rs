//! Client of Twilio's Programmable Messaging API: <https://www.twilio.com/docs/messaging/api/message-resource>.

use cloch_core::Secret;
use reqwest::{Client, RequestBuilder, StatusCode};
use serde_json::Value;

use super::{Provider, needed, text};
use crate::settings::SmsProvider;

pub(super) const API: &str = "https://api.twilio.com";

pub(super) struct Twilio {
    address: String,
    account: String,
    token: Secret,
    sender: String,
}

impl Twilio {
    pub(super) fn new(settings: &SmsProvider, api: &str) -> Result<Self, String> {
        needed("twilio", "account_sid", !settings.account_sid.is_empty())?;
        needed("twilio", "message_service_sid", !settings.message_service_sid.is_empty())?;
        needed("twilio", "auth_token", !settings.auth_token.is_empty())?;
        Ok(Self {
            address: format!("{api}/2010-04-01/Accounts/{}/Messages.json", settings.account_sid),
            account: settings.account_sid.clone(),
            token: settings.auth_token.clone(),
            sender: settings.message_service_sid.clone(),
        })
    }
}

impl Provider for Twilio {
    fn request(&self, http: &Client, to: &str, text: &str) -> RequestBuilder {
        let to = format!("+{to}");
        http.post(&self.address).basic_auth(&self.account, Some(self.token.expose())).form(&[
            ("To", to.as_str()),
            ("Channel", "sms"),
            ("From", &self.sender),
            ("Body", text),
        ])
    }

    fn check(&self, status: StatusCode, body: &Value) -> Result<(), String> {
        if !matches!(status, StatusCode::OK | StatusCode::CREATED) {
            return Err(format!("{} More information: {}", text(body, "/message"), text(body, "/more_info")));
        }
        match body.get("status").and_then(Value::as_str) {
            Some("failed" | "undelivered") | None => Err(format!("twilio error: {}", text(body, "/error_message"))),
            Some(_) => Ok(()),
        }
    }
}
