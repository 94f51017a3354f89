//! The settings of `[auth]` in config.toml, with the keys and defaults of the Supabase CLI.

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

/// All settings of `[auth]`. A missing key has the Supabase CLI's default.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Whether the server provides the auth API (/auth/v1).
    pub enabled: bool,
    /// The URL to which mailed links redirect if the request contains no allowed redirect URL.
    pub site_url: String,
    /// Patterns (globs) of additional allowed redirect URLs.
    pub additional_redirect_urls: Vec<String>,
    /// The public URL of the auth API. Default: the API's URL followed by `/auth/v1`.
    #[serde(deserialize_with = "none_if_empty")]
    pub external_url: Option<String>,
    /// Lifetime of an access token in seconds.
    pub jwt_expiry: u64,
    /// The `iss` claim of access tokens. Default: `external_url`.
    #[serde(deserialize_with = "none_if_empty")]
    pub jwt_issuer: Option<String>,
    /// The secret that signs tokens with HS256. Used by the gateway's configuration, not by this crate.
    pub jwt_secret: Option<Secret>,
    /// The legacy API key of role `anon`. Used by the gateway's configuration, not by this crate.
    pub anon_key: Option<Secret>,
    /// The legacy API key of role `service_role`. Used by the gateway's configuration, not by this crate.
    pub service_role_key: Option<Secret>,
    /// The opaque API key of role `anon`. Used by the gateway's configuration, not by this crate.
    pub publishable_key: Option<Secret>,
    /// The opaque API key of role `service_role`. Used by the gateway's configuration, not by this crate.
    pub secret_key: Option<Secret>,
    /// Path of a file with an array of private JWKs, relative to the project's folder. The first key signs tokens.
    pub signing_keys_path: Option<PathBuf>,
    /// Whether each refresh token can be used only once.
    pub enable_refresh_token_rotation: bool,
    /// Time in seconds during which a used refresh token is accepted again.
    pub refresh_token_reuse_interval: u64,
    /// Whether new users can sign up.
    pub enable_signup: bool,
    /// Whether users can sign in anonymously, without an e-mail address or phone number.
    pub enable_anonymous_sign_ins: bool,
    /// Whether a signed-in user can link and unlink identities of sign-in providers.
    pub enable_manual_linking: bool,
    /// Minimum length of a password in bytes, at least 6.
    pub minimum_password_length: usize,
    /// Groups of characters that each password must contain.
    pub password_requirements: PasswordRequirements,
    /// Settings of section `[auth.rate_limit]`.
    pub rate_limit: RateLimits,
    /// Settings of section `[auth.email]`.
    pub email: Email,
    /// Settings of section `[auth.sms]`.
    pub sms: Sms,
    /// Settings of section `[auth.sessions]`.
    pub sessions: Sessions,
    /// Settings of section `[auth.mfa]`.
    pub mfa: Mfa,
    /// Settings of section `[auth.hook]`.
    pub hook: Hooks,
    /// Settings of section `[auth.captcha]`. `None` if the section is missing.
    pub captcha: Option<Captcha>,
    /// Settings of sections `[auth.external.<provider>]`, by name of the provider.
    pub external: BTreeMap<String, Provider>,
    /// Settings of sections `[auth.web3.<chain>]`, by name of the blockchain.
    pub web3: BTreeMap<String, Switch>,
    /// Settings of sections `[auth.third_party.<issuer>]`, by name of the issuer.
    pub third_party: BTreeMap<String, ThirdParty>,
    /// Settings of section `[auth.oauth_server]`.
    pub oauth_server: OauthServer,
    /// Settings of section `[auth.passkey]`.
    pub passkey: Switch,
    /// Settings of section `[auth.webauthn]`.
    pub webauthn: Webauthn,
}

/// Deserializes an optional string. An empty string becomes `None`, because the CLI's template of config.toml contains empty strings.
///
/// # Errors
///
/// Returns an error if the value is not a string.
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
    /// Whether new e-mail addresses count as confirmed without a confirmation mail.
    #[must_use]
    pub fn email_autoconfirm(&self) -> bool {
        !self.email.enable_confirmations
    }

    /// Whether new phone numbers count as confirmed without a confirmation code.
    #[must_use]
    pub fn phone_autoconfirm(&self) -> bool {
        !self.sms.enable_confirmations
    }

    /// Returns the settings of an OAuth provider. `None` if the provider is disabled.
    #[must_use]
    pub fn provider(&self, name: &str) -> Option<&Provider> {
        self.external.get(name).filter(|provider| provider.enabled)
    }
}

/// The groups of characters that a password must contain.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum PasswordRequirements {
    /// No required characters.
    #[default]
    #[serde(rename = "")]
    None,
    /// At least one letter and one digit.
    LettersDigits,
    /// At least one lower-case letter, one upper-case letter and one digit.
    LowerUpperLettersDigits,
    /// At least one lower-case letter, one upper-case letter, one digit and one symbol.
    LowerUpperLettersDigitsSymbols,
}

/// Rate limits of `[auth.rate_limit]`; `flow/rate_limit.rs` defines their periods.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub struct RateLimits {
    /// Maximum number of mails per hour for the whole project. Applies only if an SMTP server is configured.
    pub email_sent: u32,
    /// Maximum number of text messages per hour for the whole project.
    pub sms_sent: u32,
    /// Maximum number of anonymous sign-ins per hour and client address.
    pub anonymous_users: u32,
    /// Maximum number of token requests per five minutes and client address.
    pub token_refresh: u32,
    /// Maximum number of sign-ins and sign-ups per five minutes and client address.
    pub sign_in_sign_ups: u32,
    /// Maximum number of verifications per five minutes and client address.
    pub token_verifications: u32,
    /// Maximum number of wallet sign-ins per five minutes and client address.
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

/// Limits of the lifetime of a user's session.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Sessions {
    /// Maximum age of a session, after which the session ends.
    pub timebox: Option<GoDuration>,
    /// Maximum time without a refresh of a session, after which the session ends.
    pub inactivity_timeout: Option<GoDuration>,
    /// Whether a new sign-in ends the user's other sessions, when those sessions are refreshed.
    pub single_per_user: bool,
    /// Maximum age of a session in which a user with a second factor has not verified this factor.
    pub allow_low_aal: Option<GoDuration>,
}

/// Settings of the CAPTCHA check of sign-ins and other requests.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Captcha {
    /// Whether requests must contain a CAPTCHA token.
    pub enabled: bool,
    /// The CAPTCHA service: `hcaptcha` or `turnstile`.
    pub provider: String,
    /// The secret key of the CAPTCHA service.
    pub secret: Secret,
}

/// A section of config.toml that contains only `enabled`.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Switch {
    /// Whether the feature that the section configures is enabled.
    pub enabled: bool,
}

/// Settings of the OAuth 2.1 server, with which users sign in to other apps through this project.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub struct OauthServer {
    /// Whether the OAuth server is enabled.
    pub enabled: bool,
    /// The path of the app's consent page, relative to `site_url`.
    pub authorization_url_path: String,
    /// Whether OAuth clients can register themselves (RFC 7591).
    pub allow_dynamic_registration: bool,
}

impl Default for OauthServer {
    fn default() -> Self {
        Self { enabled: false, authorization_url_path: "/oauth/consent".into(), allow_dynamic_registration: false }
    }
}

/// The WebAuthn relying party for which passkeys are created.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Webauthn {
    /// Id of the WebAuthn relying party: the domain for which passkeys are created.
    pub rp_id: String,
    /// Name of the WebAuthn relying party, which browsers display.
    pub rp_display_name: String,
    /// Origins of the web pages that may use the passkeys of the project.
    pub rp_origins: Vec<String>,
}
