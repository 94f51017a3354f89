//! SMS providers (`[auth.sms.<provider>]`). One file for each provider builds requests to the provider's API and parses the responses;
//! [`SmsSender`] sends the requests.

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

const MAX_RESPONSE_BYTES: usize = 64 * 1024;

const TWILIO: &str = "twilio";
const TWILIO_VERIFY: &str = "twilio_verify";
const MESSAGEBIRD: &str = "messagebird";
const TEXTLOCAL: &str = "textlocal";
const VONAGE: &str = "vonage";

/// Returns the name of the first enabled SMS provider, in the Supabase CLI's order. Empty if no built-in provider is enabled.
pub(crate) fn name(settings: &Sms) -> &'static str {
    let providers = [
        (&settings.twilio, TWILIO),
        (&settings.twilio_verify, TWILIO_VERIFY),
        (&settings.messagebird, MESSAGEBIRD),
        (&settings.textlocal, TEXTLOCAL),
        (&settings.vonage, VONAGE),
    ];
    providers.into_iter().find(|(provider, _)| provider.enabled).map_or("", |(_, name)| name)
}

/// An SMS provider. Implementations perform no I/O, so that tests need no server of the provider.
trait Provider: Send + Sync {
    /// Builds the request that sends `text` to the phone number `to` (digits only).
    fn request(&self, http: &Client, to: &str, text: &str) -> RequestBuilder;

    /// Returns an error unless the provider's response confirms that the provider accepted the message. API clients receive the error text.
    fn check(&self, status: StatusCode, body: &Value) -> Result<(), String>;

    /// Builds the request with which the provider verifies a code. `None` if the provider does not generate codes.
    fn verification(&self, _http: &Client, _to: &str, _code: &str) -> Option<RequestBuilder> {
        None
    }

    /// Whether the provider's response to a verification request confirms the code.
    fn approves(&self, _status: StatusCode, _body: &Value) -> bool {
        false
    }
}

/// The error for a message that could not be sent. If `is_certain` is false, the provider may still have sent the message.
#[derive(Debug)]
pub(crate) struct SendError {
    /// The error text, which API clients receive.
    pub(crate) reason: String,
    /// Whether the SMS provider has certainly not accepted the message.
    pub(crate) is_certain: bool,
}

pub(crate) struct SmsSender(Box<dyn Provider>);

impl fmt::Debug for SmsSender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SmsSender")
    }
}

impl SmsSender {
    /// Creates the sender for the first enabled SMS provider, in the Supabase CLI's order. Returns `None` if no built-in provider is
    /// enabled. `api` replaces the provider's public API URL, for example by the URL of a region.
    ///
    /// # Errors
    ///
    /// Returns an error that names the missing key of the provider's settings.
    pub(crate) fn new(settings: &Sms, api: Option<&Url>) -> Result<Option<Self>, String> {
        let address = |usual: &str| api.map_or(usual, Url::as_str).trim_end_matches('/').to_owned();
        let provider: Box<dyn Provider> = match name(settings) {
            TWILIO => Box::new(Twilio::new(&settings.twilio, &address(twilio::API))?),
            TWILIO_VERIFY => Box::new(TwilioVerify::new(&settings.twilio_verify, &address(twilio_verify::API))?),
            MESSAGEBIRD => Box::new(MessageBird::new(&settings.messagebird, &address(messagebird::API))?),
            TEXTLOCAL => Box::new(Textlocal::new(&settings.textlocal, &address(textlocal::API))?),
            VONAGE => Box::new(Vonage::new(&settings.vonage, &address(vonage::API))?),
            _ => return Ok(None),
        };
        Ok(Some(Self(provider)))
    }

    /// Sends the text message `text` to the phone number `to`.
    ///
    /// # Errors
    ///
    /// Returns the provider's error, or an error that the provider is unreachable. The error contains neither the message nor an API key.
    pub(crate) async fn send(&self, http: &Client, to: &str, text: &str) -> Result<(), SendError> {
        let (status, body) = exchange(self.0.request(http, to, text)).await?;
        // A gateway in front of the provider may send an error (5xx) although the provider accepted the message.
        let is_certain = !status.is_server_error();
        self.0.check(status, &body).map_err(|reason| SendError { reason, is_certain })
    }

    /// Whether the SMS provider confirms a code that it generated itself and sent to the phone number `to`. `None` if the provider does not
    /// generate codes.
    pub(crate) async fn approves(&self, http: &Client, to: &str, code: &str) -> Option<bool> {
        let request = self.0.verification(http, to, code)?;
        Some(match exchange(request).await {
            Ok((status, body)) => self.0.approves(status, &body),
            Err(SendError { reason: error, .. }) => {
                tracing::warn!(%error, "auth: request to the SMS provider that checks a code failed, the code is refused");
                false
            }
        })
    }
}

async fn exchange(request: RequestBuilder) -> Result<(StatusCode, Value), SendError> {
    let unreachable = |error: reqwest::Error| {
        let is_certain = error.is_connect();
        let host = error.url().and_then(|url| url.host_str()).map(str::to_owned);
        tracing::warn!(host, error = %error.without_url(), "auth: SMS provider unreachable, the message or code check fails");
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

/// Renders the template of a text message (Go's text/template) with the code as `{{ .Code }}`.
pub(crate) fn render(template: &str, code: &str) -> Result<String, String> {
    let values = serde_json::Map::from_iter([("Code".to_owned(), code.into())]);
    let template = cloch_template::Template::parse(template, cloch_template::Mode::Text);
    template.and_then(|template| template.render(&values)).map_err(|error| error.to_string())
}

fn needed(provider: &str, key: &str, is_there: bool) -> Result<(), String> {
    if is_there { Ok(()) } else { Err(format!("sms.{provider}.{key}: required, because {provider} is enabled")) }
}

/// Returns the string at a JSON pointer of the provider's response, for an error message. Returns `no reason given` if there is no string.
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
