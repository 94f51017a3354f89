//! Sign-in with external providers: OAuth 2.0 and OpenID Connect.

pub(crate) mod account;
pub(crate) mod id_token;
pub(crate) mod profile;
pub(crate) mod providers;
pub(crate) mod token_exchange;

use std::borrow::Cow;

use providers::{Known, Reads};

use crate::auth::error::{AuthError, Result};
use crate::auth::oidc_cache::DiscoveryDocument;
use crate::auth::settings;
use crate::auth::state::AuthState;

/// An enabled provider, with its configuration and endpoints.
pub(crate) struct Provider<'a> {
    pub(crate) name: Cow<'a, str>,
    pub(crate) settings: &'a settings::Provider,
    pub(crate) known: Known,
    pub(crate) authorization: String,
    pub(crate) token: String,
    pub(crate) userinfo: String,
    /// The OpenID Connect discovery document, if the provider has one.
    pub(crate) document: Option<DiscoveryDocument>,
}

impl Provider<'_> {
    /// Whether this server uses PKCE with the provider: if its discovery document lists S256.
    pub(crate) fn proves_key(&self) -> bool {
        self.document.as_ref().is_some_and(|document| document.supports_s256)
    }

    pub(crate) fn redirect_uri(&self, state: &AuthState) -> String {
        if self.settings.redirect_uri.is_empty() {
            format!("{}/callback", state.external_url())
        } else {
            self.settings.redirect_uri.clone()
        }
    }

    /// The client id for flows that begin here: the first of the configured ones.
    pub(crate) fn client_id(&self) -> &str {
        self.settings.client_ids().next().unwrap_or_default()
    }
}

/// Resolves a provider by name. A name outside the table is an OpenID Connect issuer with a configured `url`.
pub(crate) async fn resolve<'a>(state: &'a AuthState, name: &str) -> Result<Provider<'a>> {
    let unsupported = |why: &str| AuthError::validation(format!("Unsupported provider: {why}"));
    let name = name.to_ascii_lowercase();
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
        settings,
        known,
        authorization: at(known.authorization),
        token: at(known.token),
        userinfo: at(known.userinfo),
        document: None,
    };
    if known.reads == Reads::IdToken {
        let issuer = if known.issuer.is_empty() { base } else { known.issuer };
        let document = state.oidc_cache.document(state.http(), issuer).await?;
        provider.authorization.clone_from(&document.authorization_endpoint);
        provider.token.clone_from(&document.token_endpoint);
        provider.userinfo = document.userinfo_endpoint.clone().unwrap_or_default();
        provider.document = Some(document);
    }
    Ok(provider)
}
