//! The settings of `[auth.sms]`: sign-in by phone number.

use std::collections::BTreeMap;

use cloch_core::Secret;
use serde::Deserialize;

use super::GoDuration;
use crate::contact;

/// Default number of digits in a code by text message, the same as in GoTrue.
const CODE_DIGITS: u8 = 6;
/// Default lifetime of a code by text message in seconds, the same as in the Supabase CLI.
const CODE_EXPIRY_SECONDS: u64 = 6000;

/// Settings of sign-in by phone number and of text messages.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub struct Sms {
    /// Whether users can sign up and sign in with a phone number.
    pub enable_signup: bool,
    /// The newer name of `enable_signup`. The gateway's configuration copies its value to `enable_signup`.
    pub enabled: Option<bool>,
    /// Number of digits in a code by text message, 6 to 10. Default: 6.
    pub otp_length: Option<u8>,
    /// Lifetime of a code by text message in seconds. Default: 6000, as in the Supabase CLI. Zero means a minute, as in GoTrue.
    pub otp_expiry: Option<u64>,
    /// Whether new phone numbers must be confirmed.
    pub enable_confirmations: bool,
    /// The template of the text message, in which `{{ .Code }}` is replaced by the code.
    pub template: String,
    /// Minimum time between two text messages to one user.
    pub max_frequency: GoDuration,
    /// Test phone numbers, each with its fixed code. Test numbers receive no messages.
    #[serde(deserialize_with = "by_number")]
    pub test_otp: BTreeMap<String, Secret>,
    /// Settings of the SMS provider Twilio Programmable Messaging.
    pub twilio: SmsProvider,
    /// Settings of the SMS provider Twilio Verify, which generates and verifies the codes itself.
    pub twilio_verify: SmsProvider,
    /// Settings of the SMS provider `MessageBird`.
    pub messagebird: SmsProvider,
    /// Settings of the SMS provider Textlocal.
    pub textlocal: SmsProvider,
    /// Settings of the SMS provider Vonage.
    pub vonage: SmsProvider,
}

impl Default for Sms {
    fn default() -> Self {
        Self {
            enable_signup: false,
            enabled: None,
            otp_length: None,
            otp_expiry: None,
            enable_confirmations: false,
            template: "Your code is {{ .Code }}".into(),
            max_frequency: GoDuration::from_secs(5),
            test_otp: BTreeMap::new(),
            twilio: SmsProvider::default(),
            twilio_verify: SmsProvider::default(),
            messagebird: SmsProvider::default(),
            textlocal: SmsProvider::default(),
            vonage: SmsProvider::default(),
        }
    }
}

impl Sms {
    /// Returns the lifetime of a code by text message in seconds.
    #[must_use]
    pub fn code_expiry(&self) -> u64 {
        match self.otp_expiry {
            None => CODE_EXPIRY_SECONDS,
            Some(0) => 60,
            Some(seconds) => seconds,
        }
    }

    /// Returns the number of digits in a code by text message.
    #[must_use]
    pub fn code_digits(&self) -> u8 {
        self.otp_length.unwrap_or(CODE_DIGITS)
    }
}

/// Settings of an SMS provider. Each provider uses only some of the fields.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct SmsProvider {
    /// Whether this provider sends the text messages.
    pub enabled: bool,
    /// Twilio: the account SID.
    pub account_sid: String,
    /// Twilio: the SID of the messaging service or of the verification service.
    pub message_service_sid: String,
    /// Twilio: the content SID. The server ignores this setting.
    pub content_sid: String,
    /// Twilio: the auth token.
    pub auth_token: Secret,
    /// `MessageBird`: the sender's name or number.
    pub originator: String,
    /// `MessageBird`: the access key.
    pub access_key: Secret,
    /// Textlocal: the sender's name.
    pub sender: String,
    /// Textlocal and Vonage: the API key.
    pub api_key: Secret,
    /// Vonage: the sender's name or number.
    pub from: String,
    /// Vonage: the API secret.
    pub api_secret: Secret,
}

/// Deserializes the test numbers and their codes. Removes `+` and spaces from the numbers.
fn by_number<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, Secret>, D::Error> {
    let codes = BTreeMap::<String, Secret>::deserialize(deserializer)?;
    Ok(codes.into_iter().map(|(number, code)| (contact::strip_phone(&number), code)).collect())
}
