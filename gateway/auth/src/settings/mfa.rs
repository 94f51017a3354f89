//! The settings of `[auth.mfa]`: second factors.

use serde::Deserialize;

use super::GoDuration;

/// Settings of second factors.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub struct Mfa {
    /// Maximum number of second factors per user.
    pub max_enrolled_factors: usize,
    /// Settings of authenticator apps (TOTP).
    pub totp: Factor,
    /// Settings of phones, which receive codes by text message.
    pub phone: PhoneFactor,
    /// Settings of security keys (WebAuthn).
    pub web_authn: Factor,
}

impl Default for Mfa {
    fn default() -> Self {
        Self {
            max_enrolled_factors: 10,
            totp: Factor::default(),
            phone: PhoneFactor::default(),
            web_authn: Factor::default(),
        }
    }
}

/// Settings of one type of second factor.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Factor {
    /// Whether users can enroll second factors of this type.
    pub enroll_enabled: bool,
    /// Whether users can verify second factors of this type.
    pub verify_enabled: bool,
}

/// Settings of phones as second factors, which receive codes by text message.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub struct PhoneFactor {
    /// Whether users can enroll phones as second factors.
    pub enroll_enabled: bool,
    /// Whether users can verify phones that are second factors.
    pub verify_enabled: bool,
    /// Number of digits in a code that is sent to a phone.
    pub otp_length: u8,
    /// The template of the text message, in which `{{ .Code }}` is replaced by the code.
    pub template: String,
    /// Minimum time between two text messages to one phone.
    pub max_frequency: GoDuration,
}

impl Default for PhoneFactor {
    fn default() -> Self {
        Self {
            enroll_enabled: false,
            verify_enabled: false,
            otp_length: 6,
            template: "Your code is {{ .Code }}".into(),
            max_frequency: GoDuration::from_secs(5),
        }
    }
}
