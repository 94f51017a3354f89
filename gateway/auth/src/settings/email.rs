//! The settings of `[auth.email]`: sign-in by e-mail address, confirmations and mails.

use std::collections::BTreeMap;
use std::path::PathBuf;

use cloch_core::Secret;
use serde::Deserialize;

use super::GoDuration;

/// Settings of sign-in by e-mail address, and of mails.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub struct Email {
    /// Whether users can sign up and sign in with an e-mail address.
    pub enable_signup: bool,
    /// The newer name of `enable_signup`. The gateway's configuration copies its value to `enable_signup`.
    pub enabled: Option<bool>,
    /// Whether a password change requires the current password. The gateway's configuration merges the value with that of cloch.toml.
    pub require_current_password: Option<bool>,
    /// Whether a change of the e-mail address must also be confirmed at the old address.
    pub double_confirm_changes: bool,
    /// Whether new e-mail addresses must be confirmed.
    pub enable_confirmations: bool,
    /// Whether a password change in a session older than 24 hours requires a reauthentication.
    pub secure_password_change: bool,
    /// Minimum time between two mails of the same kind to one user.
    pub max_frequency: GoDuration,
    /// Number of digits in a one-time code, 6 to 10.
    pub otp_length: u8,
    /// Lifetime of a one-time code or link in seconds. Zero means a day, as in GoTrue.
    #[serde(deserialize_with = "or_a_day")]
    pub otp_expiry: u64,
    /// The SMTP server that sends mails. `None` if section `[auth.email.smtp]` is missing.
    pub smtp: Option<Smtp>,
    /// Settings of sections `[auth.email.template.<kind>]`, by kind of mail.
    pub template: BTreeMap<String, Template>,
    /// Settings of sections `[auth.email.notification.<kind>]`, by kind of mail.
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

fn or_a_day<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    const DAY: u64 = 24 * 60 * 60;
    u64::deserialize(deserializer).map(|seconds| if seconds == 0 { DAY } else { seconds })
}

/// Settings of an SMTP server. If the section exists, mails are sent through the SMTP server unless `enabled` is false.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub struct Smtp {
    /// Whether mails are sent through this SMTP server.
    pub enabled: bool,
    /// The host name of the SMTP server.
    pub host: String,
    /// The port of the SMTP server.
    pub port: u16,
    /// The user name for the SMTP server.
    pub user: String,
    /// The password for the SMTP server.
    pub pass: Secret,
    /// E-mail address of the sender of mails.
    pub admin_email: String,
    /// Display name of the sender of mails.
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

/// The project's own templates for the subject and the body of a mail.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Template {
    /// Template of the mail's subject. `None` for the default subject.
    pub subject: Option<String>,
    /// Template of the mail's body. Takes precedence over `content_path`.
    pub content: Option<String>,
    /// Path of a file with the template of the mail's body.
    pub content_path: Option<PathBuf>,
}

/// Settings of a mail that notifies the user of a change to the account.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Notification {
    /// Whether this notification mail is sent to users.
    pub enabled: bool,
    /// The project's own subject and body of this notification mail.
    #[serde(flatten)]
    pub template: Template,
}
