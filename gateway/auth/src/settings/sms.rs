//! `[auth.sms]`: sign-in by phone number.

use std::collections::BTreeMap;

use cloch_core::Secret;
use serde::Deserialize;

use super::GoDuration;
use crate::contact;

/// Digits of a code where config.toml does not say; GoTrue's default.
const CODE_DIGITS: u8 = 6;
/// Lifetime of a code in seconds where config.toml does not say; the Supabase CLI's value.
const CODE_EXPIRY_SECONDS: u64 = 6000;

/// Sign-in by phone number, and the messages it needs.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub struct Sms {
    /// Whether phone numbers may sign up and sign in.
    pub enable_signup: bool,
    /// The newer name of `enable_signup`; the configuration writes it there.
    pub enabled: Option<bool>,
    /// Digits of a code, 6 to 10; 6 where nothing is said.
    pub otp_length: Option<u8>,
    /// Seconds that a code stays good; those of the Supabase CLI where nothing is said.
    pub otp_expiry: Option<u64>,
    /// Whether a new number must be confirmed.
    pub enable_confirmations: bool,
    /// The message, with `{{ .Code }}`.
    pub template: String,
    /// Least time between two messages to one user.
    pub max_frequency: GoDuration,
    /// Numbers that get no message and have a fixed code.
    #[serde(deserialize_with = "by_number")]
    pub test_otp: BTreeMap<String, Secret>,
    /// Twilio's own messages.
    pub twilio: SmsProvider,
    /// Twilio's verification service.
    pub twilio_verify: SmsProvider,
    /// `MessageBird`.
    pub messagebird: SmsProvider,
    /// Textlocal.
    pub textlocal: SmsProvider,
    /// Vonage.
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
    /// Seconds that a code stays good.
    #[must_use]
    pub fn code_expiry(&self) -> u64 {
        self.otp_expiry.unwrap_or(CODE_EXPIRY_SECONDS)
    }

    /// Digits of a code.
    #[must_use]
    pub fn code_digits(&self) -> u8 {
        self.otp_length.unwrap_or(CODE_DIGITS)
    }
}

/// A sender of text messages.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct SmsProvider {
    /// Whether it is chosen.
    pub enabled: bool,
    /// Twilio.
    pub account_sid: String,
    /// Twilio.
    pub message_service_sid: String,
    /// Twilio; of no effect.
    pub content_sid: String,
    /// Twilio.
    pub auth_token: Secret,
    /// `MessageBird`.
    pub originator: String,
    /// `MessageBird`.
    pub access_key: Secret,
    /// Textlocal.
    pub sender: String,
    /// Textlocal, Vonage.
    pub api_key: Secret,
    /// Vonage.
    pub from: String,
    /// Vonage.
    pub api_secret: Secret,
}

/// Numbers may be written with `+` and spaces.
fn by_number<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, Secret>, D::Error> {
    let codes = BTreeMap::<String, Secret>::deserialize(deserializer)?;
    Ok(codes.into_iter().map(|(number, code)| (contact::strip_phone(&number), code)).collect())
}
