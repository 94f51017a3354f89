//! `auth.custom_oauth_providers`: sign-in providers that administrators create at run time.

use serde::Serialize;
use serde_json::Value;
use sqlx::PgConnection;
use uuid::Uuid;

use super::Time;

pub(crate) const OIDC: &str = "oidc";
/// The `provider_type` of an OAuth 2.0 provider without OpenID Connect. Such a provider has no discovery document, so the administrator
/// sets its endpoint URLs.
pub(crate) const OAUTH2: &str = "oauth2";

/// A custom sign-in provider, serialised for administrators without its client secret.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct CustomProvider {
    pub(crate) id: Uuid,
    pub(crate) provider_type: String,
    pub(crate) identifier: String,
    pub(crate) name: String,
    pub(crate) client_id: String,
    /// The encrypted OAuth client secret.
    #[serde(skip)]
    pub(crate) client_secret: String,
    pub(crate) acceptable_client_ids: Vec<String>,
    pub(crate) scopes: Vec<String>,
    pub(crate) pkce_enabled: bool,
    pub(crate) attribute_mapping: Value,
    pub(crate) custom_claims_allowlist: Vec<String>,
    pub(crate) authorization_params: Value,
    pub(crate) enabled: bool,
    pub(crate) email_optional: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) issuer: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) discovery_url: Option<String>,
    pub(crate) skip_nonce_check: bool,
    /// The provider's discovery document, loaded when an administrator set the document's URL. Sign-ins do not use this copy: they load the
    /// current document.
    #[serde(rename = "discovery_document", skip_serializing_if = "Option::is_none")]
    pub(crate) cached_discovery: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) authorization_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) token_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) userinfo_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) jwks_uri: Option<String>,
    pub(crate) created_at: Time,
    pub(crate) updated_at: Time,
}

impl CustomProvider {
    pub(crate) fn is_oidc(&self) -> bool {
        self.provider_type == OIDC
    }

    /// Returns the URL of the provider's discovery document. `None` if the provider does not support OpenID Connect.
    pub(crate) fn discovery_address(&self) -> Option<String> {
        let issuer = self.issuer.as_deref().filter(|_| self.is_oidc())?;
        let named = self.discovery_url.as_deref().filter(|url| !url.is_empty());
        let usual = || format!("{}/.well-known/openid-configuration", issuer.trim_end_matches('/'));
        Some(named.map_or_else(usual, str::to_owned))
    }
}

macro_rules! select_providers {
    ($connection:expr, $fetch:ident, $rest:tt, $($value:expr),*) => {
        sqlx::query_as!(
            CustomProvider,
            "select id, provider_type, identifier, name, client_id, client_secret, acceptable_client_ids, scopes, pkce_enabled,
                    attribute_mapping, custom_claims_allowlist, authorization_params, enabled, email_optional, issuer, discovery_url,
                    skip_nonce_check, cached_discovery, authorization_url, token_url, userinfo_url, jwks_uri, created_at, updated_at
             from auth.custom_oauth_providers " + $rest,
            $($value),*
        )
        .$fetch(&mut *$connection)
        .await
    };
}

pub(crate) async fn by_identifier(
    connection: &mut PgConnection,
    identifier: &str,
) -> sqlx::Result<Option<CustomProvider>> {
    select_providers!(connection, fetch_optional, "where identifier = $1", identifier)
}

/// Returns all custom providers of a type, newest first. An empty `provider_type` selects all types.
pub(crate) async fn list(connection: &mut PgConnection, provider_type: &str) -> sqlx::Result<Vec<CustomProvider>> {
    select_providers!(
        connection,
        fetch_all,
        "where $1 in ('', provider_type) order by created_at desc, id",
        provider_type
    )
}

pub(crate) async fn count(connection: &mut PgConnection) -> sqlx::Result<i64> {
    sqlx::query_scalar!(r#"select count(*) as "count!" from auth.custom_oauth_providers"#).fetch_one(connection).await
}

/// Inserts a new custom provider. The database sets `created_at` and `updated_at`.
pub(crate) async fn insert(connection: &mut PgConnection, provider: &CustomProvider) -> sqlx::Result<()> {
    sqlx::query!(
        "insert into auth.custom_oauth_providers
           (id, provider_type, identifier, name, client_id, client_secret, acceptable_client_ids, scopes, pkce_enabled,
            attribute_mapping, custom_claims_allowlist, authorization_params, enabled, email_optional, issuer, discovery_url,
            skip_nonce_check, cached_discovery, discovery_cached_at, authorization_url, token_url, userinfo_url, jwks_uri)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
                 case when $18::jsonb is not null then now() end, $19, $20, $21, $22)",
        provider.id,
        provider.provider_type,
        provider.identifier,
        provider.name,
        provider.client_id,
        provider.client_secret,
        &provider.acceptable_client_ids,
        &provider.scopes,
        provider.pkce_enabled,
        provider.attribute_mapping,
        &provider.custom_claims_allowlist,
        provider.authorization_params,
        provider.enabled,
        provider.email_optional,
        provider.issuer,
        provider.discovery_url,
        provider.skip_nonce_check,
        provider.cached_discovery,
        provider.authorization_url,
        provider.token_url,
        provider.userinfo_url,
        provider.jwks_uri,
    )
    .execute(connection)
    .await
    .map(drop)
}

/// Updates a custom provider except for its type and identifier. Returns false if the provider does not exist.
pub(crate) async fn update(connection: &mut PgConnection, provider: &CustomProvider) -> sqlx::Result<bool> {
    let updated = sqlx::query!(
        "update auth.custom_oauth_providers
         set name = $2, client_id = $3, client_secret = $4, acceptable_client_ids = $5, scopes = $6, pkce_enabled = $7,
             attribute_mapping = $8, custom_claims_allowlist = $9, authorization_params = $10, enabled = $11,
             email_optional = $12, issuer = $13, discovery_url = $14, skip_nonce_check = $15,
             discovery_cached_at = case
               when cached_discovery is distinct from $16::jsonb then now() else discovery_cached_at end,
             cached_discovery = $16, authorization_url = $17, token_url = $18, userinfo_url = $19, jwks_uri = $20,
             updated_at = clock_timestamp()
         where id = $1",
        provider.id,
        provider.name,
        provider.client_id,
        provider.client_secret,
        &provider.acceptable_client_ids,
        &provider.scopes,
        provider.pkce_enabled,
        provider.attribute_mapping,
        &provider.custom_claims_allowlist,
        provider.authorization_params,
        provider.enabled,
        provider.email_optional,
        provider.issuer,
        provider.discovery_url,
        provider.skip_nonce_check,
        provider.cached_discovery,
        provider.authorization_url,
        provider.token_url,
        provider.userinfo_url,
        provider.jwks_uri,
    )
    .execute(connection)
    .await?;
    Ok(updated.rows_affected() == 1)
}

pub(crate) async fn delete(connection: &mut PgConnection, identifier: &str) -> sqlx::Result<bool> {
    let deleted = sqlx::query!("delete from auth.custom_oauth_providers where identifier = $1", identifier)
        .execute(connection)
        .await?;
    Ok(deleted.rows_affected() == 1)
}
