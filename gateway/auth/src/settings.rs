//! `[auth]` of config.toml, with the Supabase CLI's keys and defaults.

mod duration;
mod email;
mod external;
mod hooks;
mod mfa;
mod sms;

use std::collections::BTreeMap;
use std::path::PathBuf;

use cloch_core::Secret;
use serde::Deserialize;

pub use crate::settings::duration::GoDuration;
pub use crate::settings::email::{Email, Notification, Smtp, Template};
pub use crate::settings::external::{Provider, ThirdParty};
pub use crate::settings::hooks::{Hook, Hooks};
pub use crate::settings::mfa::{Factor, Mfa, PhoneFactor};
pub use crate::settings::sms::{Sms, SmsProvider};

/// Everything `[auth]` may say. A key that is missing has the Supabase CLI's default.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Whether /auth/v1 is served at all.
    pub enabled: bool,
    /// Where links lead when a request names no allowed target of its own.
    pub site_url: String,
    /// Globs of further allowed targets.
    pub additional_redirect_urls: Vec<String>,
    /// The public address of the auth API; by default the API's address followed by `/auth/v1`.
    #[serde(deserialize_with = "none_if_empty")]
    pub external_url: Option<String>,
    /// Lifetime of an access token in seconds.
    pub jwt_expiry: u64,
    /// The `iss` of access tokens; by default `external_url`.
    #[serde(deserialize_with = "none_if_empty")]
    pub jwt_issuer: Option<String>,
    /// The HS256 secret; the gateway's configuration reads it, not this crate.
    pub jwt_secret: Option<Secret>,
    /// The legacy key for anonymous callers, read by the gateway's configuration.
    pub anon_key: Option<Secret>,
    /// The legacy key for the project's servers, read by the gateway's configuration.
    pub service_role_key: Option<Secret>,
    /// The opaque key for anonymous callers, read by the gateway's configuration.
    pub publishable_key: Option<Secret>,
    /// The opaque key for the project's servers, read by the gateway's configuration.
    pub secret_key: Option<Secret>,
    /// A file with an array of private JWKs, the first of which signs; relative to the project's folder.
    pub signing_keys_path: Option<PathBuf>,
    /// Whether a refresh token may be used once only.
    pub enable_refresh_token_rotation: bool,
    /// Seconds in which a spent refresh token is still answered.
    pub refresh_token_reuse_interval: u64,
    /// Whether anyone may sign up.
    pub enable_signup: bool,
    /// Whether a user without address may be made.
    pub enable_anonymous_sign_ins: bool,
    /// Whether a signed-in user may link and unlink identities.
    pub enable_manual_linking: bool,
    /// Fewest bytes of a password; never below 6.
    pub minimum_password_length: usize,
    /// Groups of characters that a password must draw from.
    pub password_requirements: PasswordRequirements,
    /// `[auth.rate_limit]`.
    pub rate_limit: RateLimits,
    /// `[auth.email]`.
    pub email: Email,
    /// `[auth.sms]`.
    pub sms: Sms,
    /// `[auth.sessions]`.
    pub sessions: Sessions,
    /// `[auth.mfa]`.
    pub mfa: Mfa,
    /// `[auth.hook]`.
    pub hook: Hooks,
    /// `[auth.captcha]`.
    pub captcha: Option<Captcha>,
    /// `[auth.external.<provider>]`.
    pub external: BTreeMap<String, Provider>,
    /// `[auth.web3.<chain>]`.
    pub web3: BTreeMap<String, Switch>,
    /// `[auth.third_party.<issuer>]`.
    pub third_party: BTreeMap<String, ThirdParty>,
    /// `[auth.oauth_server]`.
    pub oauth_server: OauthServer,
    /// `[auth.passkey]`.
    pub passkey: Switch,
    /// `[auth.webauthn]`.
    pub webauthn: Webauthn,
}

/// Reads a text; an empty one, as the CLI's template has, is `None`.
///
/// # Errors
/// When the value is no text.
pub fn none_if_empty<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<String>::deserialize(deserializer)?.filter(|text| !text.is_empty()))
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            enabled: true,
            site_url: "http://127.0.0.1:3000".into(),
            additional_redirect_urls: vec!["https://127.0.0.1:3000".into()],
            external_url: None,
            jwt_expiry: 3600,
            jwt_issuer: None,
            jwt_secret: None,
            anon_key: None,
            service_role_key: None,
            publishable_key: None,
            secret_key: None,
            signing_keys_path: None,
            enable_refresh_token_rotation: true,
            refresh_token_reuse_interval: 10,
            enable_signup: true,
            enable_anonymous_sign_ins: false,
            enable_manual_linking: false,
            minimum_password_length: 6,
            password_requirements: PasswordRequirements::None,
            rate_limit: RateLimits::default(),
            email: Email::default(),
            sms: Sms::default(),
            sessions: Sessions::default(),
            mfa: Mfa::default(),
            hook: Hooks::default(),
            captcha: None,
            external: BTreeMap::new(),
            web3: BTreeMap::new(),
            third_party: BTreeMap::new(),
            oauth_server: OauthServer::default(),
            passkey: Switch::default(),
            webauthn: Webauthn::default(),
        }
    }
}

impl Settings {
    /// Whether a new e-mail address counts as confirmed at once.
    #[must_use]
    pub fn email_autoconfirm(&self) -> bool {
        !self.email.enable_confirmations
    }

    /// Whether a new phone number counts as confirmed at once.
    #[must_use]
    pub fn phone_autoconfirm(&self) -> bool {
        !self.sms.enable_confirmations
    }

    /// The settings of an OAuth provider that is switched on.
    #[must_use]
    pub fn provider(&self, name: &str) -> Option<&Provider> {
        self.external.get(name).filter(|provider| provider.enabled)
    }
}

/// Which groups of characters a password must draw from.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum PasswordRequirements {
    /// Any characters.
    #[default]
    #[serde(rename = "")]
    None,
    /// A letter and a digit.
    LettersDigits,
    /// A small letter, a capital and a digit.
    LowerUpperLettersDigits,
    /// The same and a symbol.
    LowerUpperLettersDigitsSymbols,
}

/// How often things may be asked for; see `limits.rs` for the periods.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub struct RateLimits {
    /// Mails in an hour, for the whole project; applies once an SMTP server is configured.
    pub email_sent: u32,
    /// Text messages in an hour, for the whole project.
    pub sms_sent: u32,
    /// Anonymous sign-ins in an hour from one address.
    pub anonymous_users: u32,
    /// Token requests in five minutes from one address.
    pub token_refresh: u32,
    /// Sign-ins and sign-ups in five minutes from one address.
    pub sign_in_sign_ups: u32,
    /// Verifications in five minutes from one address.
    pub token_verifications: u32,
    /// Wallet sign-ins in five minutes from one address.
    pub web3: u32,
}

impl Default for RateLimits {
    fn default() -> Self {
        Self {
            email_sent: 2,
            sms_sent: 30,
            anonymous_users: 30,
            token_refresh: 150,
            sign_in_sign_ups: 30,
            token_verifications: 30,
            web3: 30,
        }
    }
}

/// How long a session may last.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Sessions {
    /// After this time a session ends.
    pub timebox: Option<GoDuration>,
    /// After this time without a refresh a session ends.
    pub inactivity_timeout: Option<GoDuration>,
    /// Whether signing in ends the user's other sessions (at their next refresh).
    pub single_per_user: bool,
    /// How long a session of a user with a second factor may go without it.
    pub allow_low_aal: Option<GoDuration>,
}

/// A human-or-robot check before sign-in.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Captcha {
    /// Whether it is asked for.
    pub enabled: bool,
    /// `hcaptcha` or `turnstile`.
    pub provider: String,
    /// The provider's secret.
    pub secret: Secret,
}

/// A table with nothing but `enabled`.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Switch {
    /// Whether the feature is on.
    pub enabled: bool,
}

/// This project as an OAuth server for others.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub struct OauthServer {
    /// Whether the feature is on.
    pub enabled: bool,
    /// The page under `site_url` that asks for consent.
    pub authorization_url_path: String,
    /// Whether clients may register themselves.
    pub allow_dynamic_registration: bool,
}

impl Default for OauthServer {
    fn default() -> Self {
        Self { enabled: false, authorization_url_path: "/oauth/consent".into(), allow_dynamic_registration: false }
    }
}

/// Who passkeys are made for.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Webauthn {
    /// The domain passkeys belong to.
    pub rp_id: String,
    /// The name a browser shows.
    pub rp_display_name: String,
    /// Pages that may use them.
    pub rp_origins: Vec<String>,
}
