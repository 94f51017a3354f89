//! `[auth.email]`: addresses, confirmations, mails.

use std::collections::BTreeMap;
use std::path::PathBuf;

use cloch_core::Secret;
use serde::Deserialize;

use super::GoDuration;

/// Sign-in by e-mail address, and the mails it needs.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub struct Email {
    /// Whether addresses may sign up and sign in.
    pub enable_signup: bool,
    /// The newer name of `enable_signup`; the configuration writes it there.
    pub enabled: Option<bool>,
    /// Whether a new password needs the current one; the configuration adds it to what cloch.toml says.
    pub require_current_password: Option<bool>,
    /// Whether a change of address is confirmed at the old address too.
    pub double_confirm_changes: bool,
    /// Whether a new address must be confirmed.
    pub enable_confirmations: bool,
    /// Whether a password change in an old session needs a fresh proof.
    pub secure_password_change: bool,
    /// Least time between two mails of a kind to one user.
    pub max_frequency: GoDuration,
    /// Digits of a one-time code, 6 to 10.
    pub otp_length: u8,
    /// Seconds a code or link stays good.
    pub otp_expiry: u64,
    /// The server that sends.
    pub smtp: Option<Smtp>,
    /// `[auth.email.template.<kind>]`.
    pub template: BTreeMap<String, Template>,
    /// `[auth.email.notification.<kind>]`.
    pub notification: BTreeMap<String, Notification>,
}

impl Default for Email {
    fn default() -> Self {
        Self {
            enable_signup: true,
            enabled: None,
            require_current_password: None,
            double_confirm_changes: true,
            enable_confirmations: false,
            secure_password_change: false,
            max_frequency: GoDuration::from_secs(1),
            otp_length: 6,
            otp_expiry: 3600,
            smtp: None,
            template: BTreeMap::new(),
            notification: BTreeMap::new(),
        }
    }
}

/// An SMTP server. The table's presence switches it on.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub struct Smtp {
    /// Whether mail goes there.
    pub enabled: bool,
    /// Its name.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// The login.
    pub user: String,
    /// The login's password.
    pub pass: Secret,
    /// The sender's address.
    pub admin_email: String,
    /// The sender's name.
    pub sender_name: String,
}

impl Default for Smtp {
    fn default() -> Self {
        Self {
            enabled: true,
            host: String::new(),
            port: 587,
            user: String::new(),
            pass: Secret::default(),
            admin_email: String::new(),
            sender_name: String::new(),
        }
    }
}

/// A mail's own words.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Template {
    /// The subject line, a template.
    pub subject: Option<String>,
    /// The body, a template, in place of a file.
    pub content: Option<String>,
    /// A file with the body.
    pub content_path: Option<PathBuf>,
}

/// A mail that tells of a change.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Notification {
    /// Whether it is sent.
    pub enabled: bool,
    /// Its words.
    #[serde(flatten)]
    pub template: Template,
}
