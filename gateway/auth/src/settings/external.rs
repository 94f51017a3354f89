//! The settings of `[auth.external.<provider>]` and `[auth.third_party.<issuer>]`.

use cloch_core::Secret;
use serde::Deserialize;

/// Settings of an OAuth or OpenID Connect provider for sign-in.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Provider {
    /// Whether users can sign in with this provider.
    pub enabled: bool,
    /// This project's client id at the provider. May be several ids, separated by commas, so that ID tokens of native apps are also
    /// accepted.
    pub client_id: String,
    /// This project's client secret at the provider.
    pub secret: Secret,
    /// The redirect URI of the callback. Default: `external_url` followed by `/callback`.
    pub redirect_uri: String,
    /// The URL of a self-hosted sign-in provider or of an OpenID Connect issuer.
    pub url: String,
    /// Whether the check of the `nonce` claim of ID tokens is skipped.
    pub skip_nonce_check: bool,
    /// Whether users without an e-mail address can sign in with the provider.
    pub email_optional: bool,
}

impl Provider {
    /// Returns the configured client ids, which are the accepted audiences of an ID token.
    pub fn client_ids(&self) -> impl Iterator<Item = &str> {
        self.client_id.split(',').map(str::trim).filter(|id| !id.is_empty())
    }
}

/// Settings of a third-party issuer, whose tokens are accepted in addition to this project's own tokens.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ThirdParty {
    /// Whether tokens of this issuer are accepted.
    pub enabled: bool,
    /// Firebase: the project id.
    pub project_id: String,
    /// Auth0: the tenant.
    pub tenant: String,
    /// Auth0: the tenant's region.
    pub tenant_region: String,
    /// Cognito: the id of the user pool.
    pub user_pool_id: String,
    /// Cognito: the region of the user pool.
    pub user_pool_region: String,
    /// Clerk: the domain of the issuer.
    pub domain: String,
    /// `WorkOS`: the issuer URL.
    pub issuer_url: String,
}
