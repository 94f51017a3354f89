//! Sign-in with external providers: OAuth 2.0 and OpenID Connect.

pub(crate) mod account;
pub(crate) mod custom;
pub(crate) mod id_token;
pub(crate) mod profile;
pub(crate) mod provider_secret;
pub(crate) mod providers;
pub(crate) mod token_exchange;

use std::borrow::Cow;

use providers::{Known, Reads};

use crate::error::{AuthError, Result};
use crate::oidc_cache::DiscoveryDocument;
use crate::provider_http::ProviderHttp;
use crate::settings;
use crate::state::AuthState;

pub(crate) struct Provider<'a> {
    pub(crate) name: Cow<'a, str>,
    pub(crate) settings: Cow<'a, settings::Provider>,
    pub(crate) known: Known,
    pub(crate) authorization: String,
    pub(crate) token: String,
    pub(crate) userinfo: String,
    /// The OpenID Connect discovery document. `None` if the provider has no discovery document.
    pub(crate) document: Option<DiscoveryDocument>,
    /// The settings of a custom provider, which an administrator created at run time. `None` for providers of config.toml.
    pub(crate) custom: Option<custom::Rules>,
}

impl Provider<'_> {
    /// Whether sign-ins with the provider use PKCE. A custom provider's settings determine this; other providers use PKCE if their
    /// discovery document lists S256.
    pub(crate) fn proves_key(&self) -> bool {
        if let Some(custom) = &self.custom {
            return custom.pkce_enabled;
        }
        self.document.as_ref().is_some_and(|document| document.supports_s256)
    }

    pub(crate) fn redirect_uri(&self, state: &AuthState) -> String {
        if self.settings.redirect_uri.is_empty() {
            format!("{}/callback", state.external_url())
        } else {
            self.settings.redirect_uri.clone()
        }
    }

    /// Returns the scopes of an authorization request. The scopes that the app requests (`more`) extend the scopes of a config.toml
    /// provider, but replace the scopes of a custom provider, as in GoTrue.
    pub(crate) fn scopes(&self, more: &str) -> String {
        match (&self.custom, more) {
            (Some(custom), more) => custom.scopes(more),
            (None, "") => self.known.scopes.to_owned(),
            (None, more) => format!("{} {}", self.known.scopes, more.replace(',', " ")),
        }
    }

    /// Returns the HTTP client for requests to the provider. Requests to custom providers must obey the rules for outbound requests;
    /// requests to providers of config.toml have no restrictions.
    pub(crate) fn http<'s>(&self, state: &'s AuthState) -> ProviderHttp<'s> {
        if self.custom.is_some() { state.custom_provider_http() } else { ProviderHttp::unrestricted(state.http()) }
    }

    /// Returns the client id for sign-ins that this server starts: the first of the configured client ids.
    pub(crate) fn client_id(&self) -> &str {
        self.settings.client_ids().next().unwrap_or_default()
    }
}

/// Loads a provider by name. A provider outside of the built-in table must be an OpenID Connect issuer, whose URL is configured as `url`.
pub(crate) async fn resolve<'a>(state: &'a AuthState, name: &str) -> Result<Provider<'a>> {
    let unsupported = |why: &str| AuthError::validation(format!("Unsupported provider: {why}"));
    let name = name.to_ascii_lowercase();
    if name.starts_with(custom::PREFIX) {
        return custom::resolve(state, &name).await;
    }
    let Some((name, settings)) = state.settings().external.get_key_value(&name) else {
        return Err(match providers::known(&name) {
            Some(_) => unsupported("provider is not enabled"),
            None => unsupported(&format!("Provider {name} could not be found")),
        });
    };
    if !settings.enabled {
        return Err(unsupported("provider is not enabled"));
    }
    if settings.client_id.is_empty() {
        return Err(unsupported("missing OAuth client ID"));
    }
    let known = providers::known(name).unwrap_or(providers::OPENID);
    let base = if settings.url.is_empty() { known.base } else { settings.url.trim_end_matches('/') };
    if base.is_empty() {
        return Err(unsupported(&format!("unable to find URL setting for provider {name}")));
    }
    let at = |path: &str| {
        if path.starts_with("https://") { path.to_owned() } else { format!("{base}{path}") }
    };
    let mut provider = Provider {
        name: Cow::Borrowed(name.as_str()),
        settings: Cow::Borrowed(settings),
        known,
        authorization: at(known.authorization),
        token: at(known.token),
        userinfo: at(known.userinfo),
        document: None,
        custom: None,
    };
    if known.reads == Reads::IdToken {
        let issuer = if known.issuer.is_empty() { base } else { known.issuer };
        let document = state.oidc_cache.document(&ProviderHttp::unrestricted(state.http()), issuer).await?;
        provider.authorization.clone_from(&document.authorization_endpoint);
        provider.token.clone_from(&document.token_endpoint);
        provider.userinfo = document.userinfo_endpoint.clone().unwrap_or_default();
        provider.document = Some(document);
    }
    Ok(provider)
}
