//! The state of the auth API.

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
use crate::mail_templates::MailTemplates;
use crate::oidc_cache::OidcCache;
use crate::password::Passwords;
use crate::provider_http::ProviderHttp;
use crate::redirect_urls::RedirectUrls;
use crate::settings::Settings;
use crate::sms_provider::SmsSender;

/// Timeout of requests to hooks, providers and CAPTCHA services.
const HTTP_TIMEOUT: Duration = Duration::from_secs(10);

/// The dependencies and settings that the gateway provides.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The project's database; migrated.
    pub database: Database,
    /// `[auth]` of config.toml.
    pub settings: Settings,
    /// The public URL of the auth API, by default `http://127.0.0.1:54321/auth/v1`. Links in mails begin with it, whatever the request's
    /// `Host` is.
    pub external_url: Url,
    /// Verifies and signs tokens.
    pub verifier: Verifier,
    /// The project's API keys.
    pub api_keys: ApiKeys,
    /// Puts mail into the outbox.
    pub mailer: cloch_mail::Mailer,
    /// The folder that holds config.toml: template files are looked up beside and in it.
    pub project: PathBuf,
    /// The clients that the limits by client address and by account apply to.
    pub address_limits: AddressLimits,
    /// Wrong passwords for one account in an hour; zero for any number.
    pub wrong_passwords_per_hour: u32,
    /// Lifetime of an invitation's link in seconds; `None`: that of other links.
    pub invitation_expiry: Option<u64>,
    /// Whether a new password needs the one that it replaces.
    pub require_current_password: bool,
    /// Whether the authenticator of a passkey must have verified its user.
    pub passkeys_require_verification: bool,
    /// Whether users may have recovery codes.
    pub recovery_codes: bool,
    /// Whether the app's consent page answers requests with `prompt=none`.
    pub prompt_none: bool,
    /// Another address of the SMS provider's API than its usual one.
    pub sms_api: Option<Url>,
    /// Another address that verifies CAPTCHA tokens than the provider's usual one.
    pub captcha_api: Option<Url>,
    /// Where requests to providers that came by the API may go.
    pub outbound: Outbound,
    /// Seals the secrets of such providers.
    pub provider_key: Secret,
    /// Days after which anonymous users are removed; `None` keeps them.
    pub anonymous_user_days: Option<u32>,
}

/// The state of the auth API. Cheap to clone.
#[derive(Clone)]
pub struct AuthState(Arc<Inner>);

#[doc(hidden)]
pub struct Inner {
    pub(crate) setup: Setup,
    pub(crate) redirect_urls: RedirectUrls,
    pub(crate) passwords: Passwords,
    pub(crate) mail_templates: MailTemplates,
    pub(crate) oidc_cache: OidcCache,
    sms_sender: Option<SmsSender>,
    http: reqwest::Client,
    custom_provider_http: reqwest::Client,
    begin: tokio::sync::OnceCell<&'static str>,
}

/// Begins a transaction where the login is `supabase_auth_admin`, as on a cluster of Cloch's own, or is no member of that role: hosted
/// databases do not let `postgres` be one. The start says what that costs.
const BEGIN_AS_LOGIN: &str = "begin; set local search_path = auth";

/// Begins one where the login becomes `supabase_auth_admin`.
const BEGIN_AS_AUTH_ADMIN: &str = "begin; set local role supabase_auth_admin; set local search_path = auth";

/// An invalid combination of settings.
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
    /// Validates the settings, and creates the parts that are built once.
    ///
    /// # Errors
    /// A message that names the invalid key.
    pub fn new(setup: Setup) -> Result<Self, SetupError> {
        let redirect_urls = RedirectUrls::new(&setup.settings.site_url, &setup.settings.additional_redirect_urls)
            .map_err(SetupError)?;
        let otp_length = setup.settings.email.otp_length;
        if !(6..=10).contains(&otp_length) {
            return Err(SetupError(format!("email.otp_length: 6 to 10 digits, not {otp_length}")));
        }
        let sms = &setup.settings.sms;
        if !(6..=10).contains(&sms.code_digits()) {
            return Err(SetupError(format!("sms.otp_length: 6 to 10 digits, not {}", sms.code_digits())));
        }
        let phone = &setup.settings.mfa.phone;
        if (phone.enroll_enabled || phone.verify_enabled) && !(6..=10).contains(&phone.otp_length) {
            return Err(SetupError(format!("mfa.phone.otp_length: 6 to 10 digits, not {}", phone.otp_length)));
        }
        if setup.settings.jwt_expiry == 0 || setup.settings.jwt_expiry > 604_800 {
            return Err(SetupError("jwt_expiry: 1 to 604800 seconds".into()));
        }
        let mail_templates = MailTemplates::new(&setup.settings.email, &setup.project).map_err(SetupError)?;
        // Where the hook sends the messages, the provider's settings do not matter.
        let sms_sender = match setup.settings.hook.send_sms.enabled {
            true => None,
            false => SmsSender::new(&setup.settings.sms, setup.sms_api.as_ref()).map_err(SetupError)?,
        };
        let http = reqwest::Client::builder()
            .timeout(HTTP_TIMEOUT)
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| SetupError(error.to_string()))?;
        let custom_provider_http = setup.outbound.client(ChosenBy::Caller).timeout(HTTP_TIMEOUT).build();
        Ok(Self(Arc::new(Inner {
            custom_provider_http: custom_provider_http.map_err(|error| SetupError(error.to_string()))?,
            redirect_urls,
            mail_templates,
            passwords: Passwords::new().map_err(|error| SetupError(format!("no threads for passwords: {error}")))?,
            oidc_cache: OidcCache::default(),
            sms_sender,
            http,
            begin: tokio::sync::OnceCell::new(),
            setup,
        })))
    }

    /// Begins a transaction as `supabase_auth_admin`, because triggers and hooks of the project's developer run in it; as the operator's
    /// login only where that cannot become this role.
    pub(crate) async fn begin(&self) -> Result<Transaction<'static, Postgres>> {
        let begin = self.begin.get_or_try_init(|| self.begin_statement()).await?;
        cloch_sql::transaction::begin_with(self.setup.database.auth(), *begin).await.map_err(AuthError::from)
    }

    async fn begin_statement(&self) -> Result<&'static str> {
        let becomes_auth_admin: bool = sqlx::query_scalar(
            "select current_user <> 'supabase_auth_admin' and pg_has_role(current_user, 'supabase_auth_admin', 'member')",
        )
        .fetch_one(self.setup.database.auth())
        .await?;
        Ok(if becomes_auth_admin { BEGIN_AS_AUTH_ADMIN } else { BEGIN_AS_LOGIN })
    }

    /// A connection for counting while a transaction of [`AuthState::begin`] may be open. It is of another pool: where every connection of a
    /// pool belongs to a request that waits for a second one, none of them continues.
    pub(crate) async fn counting(&self) -> Result<PoolConnection<Postgres>> {
        self.setup.database.admin().acquire().await.map_err(AuthError::from)
    }

    /// A connection for reading.
    pub(crate) async fn connection(&self) -> Result<PoolConnection<Postgres>> {
        self.setup.database.auth().acquire().await.map_err(AuthError::from)
    }
}

impl Inner {
    pub(crate) fn settings(&self) -> &Settings {
        &self.setup.settings
    }

    /// Lifetime of an invitation's link, in seconds.
    pub(crate) fn invitation_expiry(&self) -> u64 {
        self.setup.invitation_expiry.unwrap_or(self.settings().email.otp_expiry)
    }

    pub(crate) fn redirect_urls(&self) -> &RedirectUrls {
        &self.redirect_urls
    }

    /// The HTTP client for hooks, providers and CAPTCHA services. It does not follow redirects.
    pub(crate) fn http(&self) -> &reqwest::Client {
        &self.http
    }

    /// Requests to providers that came by the API.
    pub(crate) fn custom_provider_http(&self) -> ProviderHttp<'_> {
        ProviderHttp::restricted(&self.custom_provider_http, &self.setup.outbound)
    }

    /// The provider of text messages, if one is chosen and no hook stands in its place.
    pub(crate) const fn sms_sender(&self) -> Option<&SmsSender> {
        self.sms_sender.as_ref()
    }

    /// The `iss` of tokens.
    pub(crate) fn issuer(&self) -> &str {
        self.settings().jwt_issuer.as_deref().unwrap_or_else(|| self.external_url())
    }

    /// The public address of the auth API, without a slash at the end.
    pub(crate) fn external_url(&self) -> &str {
        self.setup.external_url.as_str().trim_end_matches('/')
    }
}
