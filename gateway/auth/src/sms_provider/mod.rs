//! Providers of text messages (`[auth.sms.<provider>]`): each knows its request and its responses, [`SmsSender`] sends.

mod messagebird;
mod textlocal;
mod twilio;
mod twilio_verify;
mod vonage;

use std::fmt;

use reqwest::{Client, RequestBuilder, StatusCode};
use serde_json::Value;
use url::Url;

use crate::settings::Sms;

use messagebird::MessageBird;
use textlocal::Textlocal;
use twilio::Twilio;
use twilio_verify::TwilioVerify;
use vonage::Vonage;

/// Bytes of a provider's response.
const MAX_RESPONSE_BYTES: usize = 64 * 1024;

/// A provider: pure, so that what it says and understands can be tested without it.
trait Provider: Send + Sync {
    /// The request that sends `text` to the number `to`, which is digits only.
    fn request(&self, http: &Client, to: &str, text: &str) -> RequestBuilder;

    /// Whether the response says that the message was taken; the error is for the client of the API.
    fn check(&self, status: StatusCode, body: &Value) -> Result<(), String>;

    /// The request that asks whether a code is right, of a provider that makes the codes itself.
    fn verification(&self, _http: &Client, _to: &str, _code: &str) -> Option<RequestBuilder> {
        None
    }

    /// Whether the response says that the code is right.
    fn approves(&self, _status: StatusCode, _body: &Value) -> bool {
        false
    }
}

/// Why a message was not sent, or may not have been.
#[derive(Debug)]
pub(crate) struct SendError {
    /// For the client of the API.
    pub(crate) reason: String,
    /// Whether the provider has certainly not taken the message.
    pub(crate) is_certain: bool,
}

/// Sends text messages through the provider that config.toml chooses.
pub(crate) struct SmsSender(Box<dyn Provider>);

impl fmt::Debug for SmsSender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SmsSender")
    }
}

impl SmsSender {
    /// The sender of the first provider that is switched on, in the Supabase CLI's order; `None` if there is none that is built in.
    /// `api` is another address of its API than the provider's usual one, such as a region's.
    ///
    /// # Errors
    /// A message that names the key that is missing.
    pub(crate) fn new(settings: &Sms, api: Option<&Url>) -> Result<Option<Self>, String> {
        let address = |usual: &str| api.map_or(usual, Url::as_str).trim_end_matches('/').to_owned();
        let provider: Box<dyn Provider> = if settings.twilio.enabled {
            Box::new(Twilio::new(&settings.twilio, &address(twilio::API))?)
        } else if settings.twilio_verify.enabled {
            Box::new(TwilioVerify::new(&settings.twilio_verify, &address(twilio_verify::API))?)
        } else if settings.messagebird.enabled {
            Box::new(MessageBird::new(&settings.messagebird, &address(messagebird::API))?)
        } else if settings.textlocal.enabled {
            Box::new(Textlocal::new(&settings.textlocal, &address(textlocal::API))?)
        } else if settings.vonage.enabled {
            Box::new(Vonage::new(&settings.vonage, &address(vonage::API))?)
        } else {
            return Ok(None);
        };
        Ok(Some(Self(provider)))
    }

    /// Sends `text` to the number `to`.
    ///
    /// # Errors
    /// What the provider says, or that it cannot be reached; neither has the text nor a key.
    pub(crate) async fn send(&self, http: &Client, to: &str, text: &str) -> Result<(), SendError> {
        let (status, body) = exchange(self.0.request(http, to, text)).await?;
        // An error of a server between may hide that the provider took the message.
        let is_certain = !status.is_server_error();
        self.0.check(status, &body).map_err(|reason| SendError { reason, is_certain })
    }

    /// Whether the provider made the code that it sent to the number `to`, and says that this is it. `None` if the provider makes no codes.
    pub(crate) async fn approves(&self, http: &Client, to: &str, code: &str) -> Option<bool> {
        let request = self.0.verification(http, to, code)?;
        Some(match exchange(request).await {
            Ok((status, body)) => self.0.approves(status, &body),
            Err(SendError { reason: error, .. }) => {
                tracing::warn!(%error, "auth: SMS provider failed to verify a code");
                false
            }
        })
    }
}

/// Sends a request: the status and the JSON of its response.
async fn exchange(request: RequestBuilder) -> Result<(StatusCode, Value), SendError> {
    let unreachable = |error: reqwest::Error| {
        let is_certain = error.is_connect();
        tracing::warn!(error = %error.without_url(), "auth: SMS provider unreachable");
        SendError { reason: "the provider cannot be reached".to_owned(), is_certain }
    };
    let mut response = request.send().await.map_err(unreachable)?;
    let status = response.status();
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(unreachable)? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > MAX_RESPONSE_BYTES {
            return Err(SendError { reason: "the provider's response is too long".to_owned(), is_certain: false });
        }
    }
    Ok((status, serde_json::from_slice(&bytes).unwrap_or(Value::Null)))
}

/// The message of a template (Go's text/template) with `{{ .Code }}`.
///
/// # Errors
/// The template's mistake.
pub(crate) fn render(template: &str, code: &str) -> Result<String, String> {
    let values = serde_json::Map::from_iter([("Code".to_owned(), code.into())]);
    let template = cloch_template::Template::parse(template, cloch_template::Mode::Text);
    template.and_then(|template| template.render(&values)).map_err(|error| error.to_string())
}

/// Refuses an empty value of a provider that is switched on.
fn needed(provider: &str, key: &str, is_there: bool) -> Result<(), String> {
    if is_there { Ok(()) } else { Err(format!("sms.{provider}.{key}: {provider} is switched on and needs it")) }
}

/// A text of the response, for an error.
fn text<'a>(body: &'a Value, pointer: &str) -> &'a str {
    body.pointer(pointer).and_then(Value::as_str).unwrap_or("no reason given")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(config: &str) -> Sms {
        toml::from_str(config).unwrap()
    }

    #[test]
    fn what_a_provider_needs_is_named() {
        for (provider, key) in [
            ("twilio", "account_sid"),
            ("twilio_verify", "account_sid"),
            ("messagebird", "originator"),
            ("textlocal", "sender"),
            ("vonage", "from"),
        ] {
            let error = SmsSender::new(&settings(&format!("[{provider}]\nenabled = true")), None).unwrap_err();
            assert!(error.starts_with(&format!("sms.{provider}.{key}: ")), "{error}");
            assert!(SmsSender::new(&settings(&format!("[{provider}]\nenabled = false")), None).unwrap().is_none());
        }
    }

    #[test]
    fn the_template_has_the_code_as_it_is() {
        assert_eq!(render("Your code is {{ .Code }} & no other", "012345").unwrap(), "Your code is 012345 & no other");
        assert_eq!(render("`{{.Code}}`", "1").unwrap(), "`1`");
        assert!(render("{{ .Code", "1").is_err());
    }
}
