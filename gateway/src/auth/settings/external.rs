//! `[auth.external.<provider>]` and `[auth.third_party.<issuer>]`.

use cloch_sql::Secret;
use serde::Deserialize;

/// An OAuth or OpenID provider.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Provider {
    /// Whether it may be used.
    pub enabled: bool,
    /// This project's id there; several, separated by commas, for id tokens of native apps.
    pub client_id: String,
    /// This project's secret there.
    pub secret: Secret,
    /// Where the provider sends the browser back to; by default `external_url` followed by `/callback`.
    pub redirect_uri: String,
    /// The provider's own address where it is self-hosted.
    pub url: String,
    /// Whether an id token may come without the nonce that was asked for.
    pub skip_nonce_check: bool,
    /// Whether an account without address is accepted.
    pub email_optional: bool,
}

impl Provider {
    /// The ids an id token may be made out to.
    pub fn client_ids(&self) -> impl Iterator<Item = &str> {
        self.client_id.split(',').map(str::trim).filter(|id| !id.is_empty())
    }
}

/// An issuer whose tokens are accepted beside this project's own.
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
