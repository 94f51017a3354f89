//! `[auth.sms]`: sign-in by phone number.

use std::collections::BTreeMap;

use cloch_sql::Secret;
use serde::Deserialize;

use super::GoDuration;
use crate::auth::contact;

/// Sign-in by phone number, and the messages it needs.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub struct Sms {
    /// Whether phone numbers may sign up and sign in.
    pub enable_signup: bool,
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
