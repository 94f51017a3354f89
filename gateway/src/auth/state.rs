//! What the auth API works with: built once, handed to every handler.

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use cloch_sql::Database;
use cloch_sql::caller::ApiKeys;
use cloch_sql::caller::token::Verifier;
use sqlx::pool::PoolConnection;
use sqlx::{Postgres, Transaction};
use url::Url;

use crate::auth::address_limits::AddressLimits;
use crate::auth::error::{AuthError, Result};
use crate::auth::mail_templates::MailTemplates;
use crate::auth::oidc_cache::OidcCache;
use crate::auth::password::Passwords;
use crate::auth::redirect_urls::RedirectUrls;
use crate::auth::settings::Settings;

/// For requests to hooks, providers and captchas.
const HTTP_TIMEOUT: Duration = Duration::from_secs(10);

/// What the gateway gives the auth API.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The project's database; migrated.
    pub database: Database,
    /// `[auth]` of config.toml.
    pub settings: Settings,
    /// The public address of the auth API, `http://127.0.0.1:54321/auth/v1` by default. Links in mails begin with it, whatever
    /// `Host` a request names.
    pub external_url: Url,
    /// Verifies and signs tokens.
    pub verifier: Verifier,
    /// The project's API keys.
    pub api_keys: ApiKeys,
    /// Puts mail into the outbox.
    pub mailer: cloch_mail::Mailer,
    /// The folder that holds config.toml: template files are looked up beside and in it.
    pub project: PathBuf,
    /// Whose sign-ins and the like are limited, for each client address and each account.
    pub address_limits: AddressLimits,
    /// Wrong passwords for one account in an hour; zero for any number.
    pub wrong_passwords_per_hour: u32,
    /// Seconds for which the link of an invitation holds; none: as long as every other link.
    pub invitation_expiry: Option<u64>,
    /// Days after which anonymous users are removed; none keeps them.
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
    http: reqwest::Client,
}

/// Settings that cannot work.
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
    /// Checks the settings and readies everything that is made once.
    ///
    /// # Errors
    /// A sentence that names the key which cannot be used.
    pub fn new(setup: Setup) -> Result<Self, SetupError> {
        let redirect_urls = RedirectUrls::new(&setup.settings.site_url, &setup.settings.additional_redirect_urls)
            .map_err(SetupError)?;
        let otp_length = setup.settings.email.otp_length;
        if !(6..=10).contains(&otp_length) {
            return Err(SetupError(format!("email.otp_length: 6 to 10 digits, not {otp_length}")));
        }
        if setup.settings.jwt_expiry == 0 || setup.settings.jwt_expiry > 604_800 {
            return Err(SetupError("jwt_expiry: 1 to 604800 seconds".into()));
        }
        let mail_templates = MailTemplates::new(&setup.settings.email, &setup.project).map_err(SetupError)?;
        let http = reqwest::Client::builder()
            .timeout(HTTP_TIMEOUT)
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| SetupError(error.to_string()))?;
        Ok(Self(Arc::new(Inner {
            redirect_urls,
            mail_templates,
            passwords: Passwords::new().map_err(|error| SetupError(format!("no threads for passwords: {error}")))?,
            oidc_cache: OidcCache::default(),
            http,
            setup,
        })))
    }

    /// A transaction with the rights that triggers and hooks of the project's developer may have: those of
    /// `supabase_auth_admin`, never those of Cloch's own login.
    pub(crate) async fn begin(&self) -> Result<Transaction<'static, Postgres>> {
        self.setup
            .database
            .admin()
            .begin_with("begin; set local role supabase_auth_admin; set local search_path = auth")
            .await
            .map_err(AuthError::from)
    }

    /// A connection for reading.
    pub(crate) async fn connection(&self) -> Result<PoolConnection<Postgres>> {
        self.setup.database.admin().acquire().await.map_err(AuthError::from)
    }
}

impl Inner {
    pub(crate) fn settings(&self) -> &Settings {
        &self.setup.settings
    }

    /// Seconds for which the link of an invitation works.
    pub(crate) fn invitation_expiry(&self) -> u64 {
        self.setup.invitation_expiry.unwrap_or(self.settings().email.otp_expiry)
    }

    pub(crate) fn redirect_urls(&self) -> &RedirectUrls {
        &self.redirect_urls
    }

    /// For hooks, providers and captchas. It follows no redirects: where it is told to go is where it goes.
    pub(crate) fn http(&self) -> &reqwest::Client {
        &self.http
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
