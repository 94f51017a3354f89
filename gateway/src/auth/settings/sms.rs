//! `[auth.sms]`: sign-in by phone number.

use std::collections::BTreeMap;

use cloch_sql::Secret;
use serde::Deserialize;

use super::GoDuration;

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

/// A sender of text messages; its keys are kept, sending is the project's `send_sms` hook's business.
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
