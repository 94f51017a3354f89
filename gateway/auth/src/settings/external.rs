//! `[auth.external.<provider>]` and `[auth.third_party.<issuer>]`.

use cloch_core::Secret;
use serde::Deserialize;

/// An OAuth or OpenID provider.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Provider {
    /// Whether it may be used.
    pub enabled: bool,
    /// This project's client id at the provider; several, separated by commas, for ID tokens of native apps.
    pub client_id: String,
    /// This project's client secret at the provider.
    pub secret: Secret,
    /// The callback URL; by default `external_url` followed by `/callback`.
    pub redirect_uri: String,
    /// The provider's own address where it is self-hosted.
    pub url: String,
    /// Whether the nonce of an ID token is not checked.
    pub skip_nonce_check: bool,
    /// Whether an account without address is accepted.
    pub email_optional: bool,
}

impl Provider {
    /// The accepted audiences of an ID token.
    pub fn client_ids(&self) -> impl Iterator<Item = &str> {
        self.client_id.split(',').map(str::trim).filter(|id| !id.is_empty())
    }
}

/// An issuer whose tokens are accepted in addition to this project's own.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ThirdParty {
    /// Whether its tokens are accepted.
    pub enabled: bool,
    /// Firebase: the project's name.
    pub project_id: String,
    /// Auth0: the tenant.
    pub tenant: String,
    /// Auth0: the tenant's region.
    pub tenant_region: String,
    /// Cognito: the pool.
    pub user_pool_id: String,
    /// Cognito: the pool's region.
    pub user_pool_region: String,
    /// Clerk: the domain.
    pub domain: String,
    /// `WorkOS`: the issuer.
    pub issuer_url: String,
}
