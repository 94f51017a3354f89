//! The shared state of the auth API: settings, database, caches and HTTP clients.

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use cloch_core::Secret;
use cloch_core::outbound::{ChosenBy, Outbound};
use cloch_sql::Database;
use cloch_sql::caller::ApiKeys;
use cloch_sql::caller::token::Verifier;
use sqlx::pool::PoolConnection;
use sqlx::{Postgres, Transaction};
use url::Url;

use crate::address_limits::AddressLimits;
use crate::error::{AuthError, Result};
use crate::mail_templates::{self, MailTemplates};
use crate::oidc_cache::OidcCache;
use crate::password::Passwords;
use crate::provider_http::ProviderHttp;
use crate::redirect_urls::RedirectUrls;
use crate::sending_transaction::{SendingLimit, SendingTransaction};
use crate::settings::{Captcha, Settings};
use crate::sms_provider::SmsSender;

/// Timeout of HTTP requests to hooks, sign-in providers, SMS providers and CAPTCHA services.
const HTTP_TIMEOUT: Duration = Duration::from_secs(10);

/// The settings, database and other dependencies that the gateway passes to the auth API.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The project's database, with all migrations applied.
    pub database: Database,
    /// The settings of `[auth]` in config.toml.
    pub settings: Settings,
    /// The public URL of the auth API, by default `http://127.0.0.1:54321/auth/v1`. Links in mails begin with this URL. They do not depend
    /// on the `Host` header of the request.
    pub external_url: Url,
    /// Verifier and signer of access tokens.
    pub verifier: Verifier,
    /// The project's API keys.
    pub api_keys: ApiKeys,
    /// The outbox to which mails are written.
    pub mailer: cloch_mail::Mailer,
    /// The folder that contains config.toml. Files of mail templates are searched in this folder and in its parent.
    pub project: PathBuf,
    /// The clients that are subject to the rate limits by client address and by account.
    pub address_limits: AddressLimits,
    /// Maximum number of wrong passwords per account and hour. Zero means no limit.
    pub wrong_passwords_per_hour: u32,
    /// Lifetime of an invitation link in seconds. `None` if invitation links have the lifetime of the links in other mails.
    pub invitation_expiry: Option<u64>,
    /// Whether a password change requires the current password.
    pub require_current_password: bool,
    /// Whether passkeys require user verification (PIN or fingerprint) by the authenticator.
    pub passkeys_require_verification: bool,
    /// Whether users can create recovery codes.
    pub recovery_codes: bool,
    /// Whether the app's consent page can handle OAuth authorization requests with `prompt=none`.
    pub prompt_none: bool,
    /// Base URL of the SMS provider's API. `None` for the provider's public API.
    pub sms_api: Option<Url>,
    /// URL that verifies CAPTCHA tokens. `None` for the CAPTCHA service's public URL.
    pub captcha_api: Option<Url>,
    /// Rules for outbound requests to sign-in providers that were created through the admin API.
    pub outbound: Outbound,
    /// Encryption key for the client secrets of sign-in providers that were created through the admin API.
    pub provider_key: Secret,
    /// Age in days after which anonymous users are deleted. `None` if anonymous users are never deleted.
    pub anonymous_user_days: Option<u32>,
}

/// The shared state of the auth API. Cloning is cheap, because a clone is only a reference.
#[derive(Clone)]
pub struct AuthState(Arc<Inner>);

#[doc(hidden)]
pub struct Inner {
    pub(crate) setup: Setup,
    pub(crate) redirect_urls: RedirectUrls,
    pub(crate) passwords: Arc<Passwords>,
    pub(crate) mail_templates: MailTemplates,
    pub(crate) oidc_cache: OidcCache,
    sms_sender: Option<SmsSender>,
    http: reqwest::Client,
    custom_provider_http: reqwest::Client,
    begin: tokio::sync::OnceCell<&'static str>,
    sending_limit: SendingLimit,
}

/// The part of the state that is not replaced when the settings are replaced ([`AuthState::with_setup`]).
struct Shared {
    passwords: Arc<Passwords>,
    http: reqwest::Client,
    custom_provider_http: reqwest::Client,
    begin: tokio::sync::OnceCell<&'static str>,
    sending_limit: SendingLimit,
}

/// Statements that begin a transaction as the login role. Used in two cases. The login role is `supabase_auth_admin` itself, as in a
/// database cluster that Cloch manages. Or the login role is not a member of `supabase_auth_admin`, because hosted databases do not grant
/// this role to `postgres`; then the server logs the consequences at startup.
const BEGIN_AS_LOGIN: &str = "begin; set local search_path = auth";

/// Statements that begin a transaction with role `supabase_auth_admin`. Used if the login role is a member of this role.
const BEGIN_AS_AUTH_ADMIN: &str = "begin; set local role supabase_auth_admin; set local search_path = auth";

/// The error for an invalid setting or combination of settings.
#[derive(Debug, thiserror::Error)]
#[error("[auth] {0}")]
pub struct SetupError(pub(crate) String);

impl Deref for AuthState {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}

impl AuthState {
    /// Validates the settings and creates the shared state of the auth API.
    ///
    /// # Errors
    ///
    /// Returns an error that names the key of the invalid setting.
    pub fn new(setup: Setup) -> Result<Self, SetupError> {
        let http = reqwest::Client::builder()
            .timeout(HTTP_TIMEOUT)
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| SetupError(error.to_string()))?;
        let custom_provider_http = setup.outbound.client(ChosenBy::Caller).timeout(HTTP_TIMEOUT).build();
        let shared = Shared {
            http,
            custom_provider_http: custom_provider_http.map_err(|error| SetupError(error.to_string()))?,
            passwords: Passwords::new()
                .map_err(|error| SetupError(format!("cannot start the threads that hash passwords: {error}")))?
                .into(),
            sending_limit: SendingLimit::new(setup.database.auth().options().get_max_connections()),
            begin: tokio::sync::OnceCell::new(),
        };
        Self::of(setup, shared)
    }

    /// Returns a state with the settings of `setup`, for requests that begin after the settings have changed. The new state shares the
    /// worker threads, the HTTP clients and the limit of transactions that send messages with the old state.
    ///
    /// # Errors
    ///
    /// As [`AuthState::new`].
    pub fn with_setup(&self, setup: Setup) -> Result<Self, SetupError> {
        let shared = Shared {
            http: self.http.clone(),
            custom_provider_http: self.custom_provider_http.clone(),
            passwords: Arc::clone(&self.passwords),
            sending_limit: self.sending_limit.clone(),
            begin: self.begin.clone(),
        };
        mail_templates::clear_problems();
        Self::of(setup, shared)
    }

    fn of(setup: Setup, shared: Shared) -> Result<Self, SetupError> {
        check(&setup.settings, setup.sms_api.as_ref())?;
        let redirect_urls = RedirectUrls::new(&setup.settings.site_url, &setup.settings.additional_redirect_urls)
            .map_err(SetupError)?;
        let mail_templates = MailTemplates::new(&setup.settings.email, &setup.project).map_err(SetupError)?;
        // If a hook sends the text messages, the settings of SMS providers are not used.
        let sms_sender = match setup.settings.hook.send_sms.enabled {
            true => None,
            false => SmsSender::new(&setup.settings.sms, setup.sms_api.as_ref()).map_err(SetupError)?,
        };
        let Shared { passwords, http, custom_provider_http, begin, sending_limit } = shared;
        Ok(Self(Arc::new(Inner {
            custom_provider_http,
            redirect_urls,
            mail_templates,
            passwords,
            oidc_cache: OidcCache::default(),
            sms_sender,
            http,
            begin,
            sending_limit,
            setup,
        })))
    }

    /// Begins a transaction as role `supabase_auth_admin`. The transaction may run triggers and hooks of the project, which must not run
    /// with the rights of the login role. If the login role cannot change to `supabase_auth_admin`, the transaction runs as the login role.
    pub(crate) async fn begin(&self) -> Result<Transaction<'static, Postgres>> {
        let begin = self.begin.get_or_try_init(|| self.begin_statement()).await?;
        cloch_sql::transaction::begin_with(self.setup.database.auth(), *begin).await.map_err(AuthError::from)
    }

    /// Begins a transaction for a request that may send a mail or text message. The role is the same as in [`AuthState::begin`].
    ///
    /// # Errors
    ///
    /// Returns status 429 if too many requests are sending messages.
    pub(crate) async fn begin_sending(&self) -> Result<SendingTransaction> {
        let permit = self.sending_limit.permit().await?;
        Ok(SendingTransaction::new(self.begin().await?, permit))
    }

    async fn begin_statement(&self) -> Result<&'static str> {
        let becomes_auth_admin: bool = sqlx::query_scalar(
            "select current_user <> 'supabase_auth_admin' and pg_has_role(current_user, 'supabase_auth_admin', 'member')",
        )
        .fetch_one(self.setup.database.auth())
        .await?;
        Ok(if becomes_auth_admin { BEGIN_AS_AUTH_ADMIN } else { BEGIN_AS_LOGIN })
    }

    /// Acquires a connection for rate limit counters. The connection comes from another pool than the transactions of [`AuthState::begin`].
    /// With a single pool, requests that hold all connections for their transactions would wait for a second connection forever.
    pub(crate) async fn counting(&self) -> Result<PoolConnection<Postgres>> {
        self.setup.database.admin().acquire().await.map_err(AuthError::from)
    }

    pub(crate) async fn connection(&self) -> Result<PoolConnection<Postgres>> {
        self.setup.database.auth().acquire().await.map_err(AuthError::from)
    }
}

impl Inner {
    pub(crate) fn settings(&self) -> &Settings {
        &self.setup.settings
    }

    pub(crate) fn invitation_expiry(&self) -> u64 {
        self.setup.invitation_expiry.unwrap_or(self.settings().email.otp_expiry)
    }

    pub(crate) fn redirect_urls(&self) -> &RedirectUrls {
        &self.redirect_urls
    }

    /// Returns the HTTP client for hooks, sign-in providers, SMS providers and CAPTCHA services. The client does not follow redirects.
    pub(crate) fn http(&self) -> &reqwest::Client {
        &self.http
    }

    /// Returns the HTTP client for sign-in providers that were created through the admin API.
    pub(crate) fn custom_provider_http(&self) -> ProviderHttp<'_> {
        ProviderHttp::restricted(&self.custom_provider_http, &self.setup.outbound)
    }

    /// Returns the SMS provider of config.toml. `None` if no SMS provider is configured or a hook sends the text messages.
    pub(crate) const fn sms_sender(&self) -> Option<&SmsSender> {
        self.sms_sender.as_ref()
    }

    pub(crate) fn issuer(&self) -> &str {
        self.settings().jwt_issuer.as_deref().unwrap_or_else(|| self.external_url())
    }

    pub(crate) fn external_url(&self) -> &str {
        self.setup.external_url.as_str().trim_end_matches('/')
    }
}

/// Refuses an unknown CAPTCHA service and an empty secret, as GoTrue does when it starts. Without a service, hCaptcha is used, which is GoTrue's default.
fn check_captcha(captcha: &Captcha) -> Result<(), SetupError> {
    if !["", "hcaptcha", "turnstile"].contains(&captcha.provider.as_str()) {
        let message = format!("captcha.provider: {:?} is unknown: write hcaptcha or turnstile", captcha.provider);
        return Err(SetupError(message));
    }
    if captcha.secret.expose().trim().is_empty() {
        return Err(SetupError(
            "captcha.secret: is empty, so that no sign-in could pass: write the service's secret".into(),
        ));
    }
    Ok(())
}

/// Refuses settings that have the right type but an invalid value. Does not read the files that the settings name.
///
/// # Errors
///
/// Returns an error that names the key of the invalid setting.
pub fn check(settings: &Settings, sms_api: Option<&Url>) -> Result<(), SetupError> {
    RedirectUrls::new(&settings.site_url, &settings.additional_redirect_urls).map_err(SetupError)?;
    let digits = |key: &str, digits: u8| match (6..=10).contains(&digits) {
        true => Ok(()),
        false => Err(SetupError(format!("{key}: 6 to 10 digits, not {digits}"))),
    };
    digits("email.otp_length", settings.email.otp_length)?;
    digits("sms.otp_length", settings.sms.code_digits())?;
    let phone = &settings.mfa.phone;
    if phone.enroll_enabled || phone.verify_enabled {
        digits("mfa.phone.otp_length", phone.otp_length)?;
    }
    if settings.jwt_expiry == 0 || settings.jwt_expiry > 604_800 {
        return Err(SetupError("jwt_expiry: 1 to 604800 seconds".into()));
    }
    if let Some(captcha) = settings.captcha.as_ref().filter(|captcha| captcha.enabled) {
        check_captcha(captcha)?;
    }
    // If a hook sends the text messages, the settings of SMS providers are not used.
    if !settings.hook.send_sms.enabled {
        SmsSender::new(&settings.sms, sms_api).map_err(SetupError)?;
    }
    Ok(())
}
