//! Client of Twilio's Verify API: <https://www.twilio.com/docs/verify/api>. Twilio Verify generates and verifies the codes itself, and
//! sends its own message text.

use cloch_core::Secret;
use reqwest::{Client, RequestBuilder, StatusCode};
use serde_json::Value;

use super::{Provider, needed, text};
use crate::settings::SmsProvider;

pub(super) const API: &str = "https://verify.twilio.com";

pub(super) struct TwilioVerify {
    /// The URL of Twilio's verification service, without a trailing slash.
    address: String,
    account: String,
    token: Secret,
}

impl TwilioVerify {
    pub(super) fn new(settings: &SmsProvider, api: &str) -> Result<Self, String> {
        needed("twilio_verify", "account_sid", !settings.account_sid.is_empty())?;
        needed("twilio_verify", "message_service_sid", !settings.message_service_sid.is_empty())?;
        needed("twilio_verify", "auth_token", !settings.auth_token.is_empty())?;
        Ok(Self {
            address: format!("{api}/v2/Services/{}", settings.message_service_sid),
            account: settings.account_sid.clone(),
            token: settings.auth_token.clone(),
        })
    }

    fn post(&self, http: &Client, path: &str, form: &[(&str, &str)]) -> RequestBuilder {
        let address = format!("{}/{path}", self.address);
        http.post(address).basic_auth(&self.account, Some(self.token.expose())).form(form)
    }
}

impl Provider for TwilioVerify {
    /// Builds the request without the message text, because Twilio Verify uses a text of its own.
    fn request(&self, http: &Client, to: &str, _: &str) -> RequestBuilder {
        let to = format!("+{to}");
        self.post(http, "Verifications", &[("To", to.as_str()), ("Channel", "sms")])
    }

    fn check(&self, status: StatusCode, body: &Value) -> Result<(), String> {
        if is_success(status) && body.get("sid").is_some_and(Value::is_string) {
            return Ok(());
        }
        Err(format!("{} More information: {}", text(body, "/message"), text(body, "/more_info")))
    }

    fn verification(&self, http: &Client, to: &str, code: &str) -> Option<RequestBuilder> {
        let to = format!("+{to}");
        Some(self.post(http, "VerificationCheck", &[("To", to.as_str()), ("Code", code)]))
    }

    fn approves(&self, status: StatusCode, body: &Value) -> bool {
        is_success(status)
            && body.get("status").and_then(Value::as_str) == Some("approved")
            && body.get("valid").and_then(Value::as_bool) == Some(true)
    }
}

const fn is_success(status: StatusCode) -> bool {
    matches!(status, StatusCode::OK | StatusCode::CREATED)
}
