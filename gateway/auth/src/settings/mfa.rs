//! `[auth.mfa]`: second factors.

use serde::Deserialize;

use super::GoDuration;

/// Which second factors there are.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub struct Mfa {
    /// Most factors of one user.
    pub max_enrolled_factors: usize,
    /// Codes of an authenticator app.
    pub totp: Factor,
    /// Codes by text message.
    pub phone: PhoneFactor,
    /// Security keys.
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

/// A kind of factor.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Factor {
    /// Whether users may add one.
    pub enroll_enabled: bool,
    /// Whether users may prove one.
    pub verify_enabled: bool,
}

/// Codes by text message.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub struct PhoneFactor {
    /// Whether users may add one.
    pub enroll_enabled: bool,
    /// Whether users may prove one.
    pub verify_enabled: bool,
    /// Digits of a code.
    pub otp_length: u8,
    /// The message, with `{{ .Code }}`.
    pub template: String,
    /// Least time between two messages.
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
