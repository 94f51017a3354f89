//! Caches the discovery documents (OpenID Connect Discovery 1.0) and public key sets of OpenID Connect issuers.

use std::time::{Duration, Instant};

use jsonwebtoken::jwk::JwkSet;
use moka::sync::Cache;
use serde::{Deserialize, Serialize};

use crate::error::{AuthError, Context, Result};
use crate::provider_http::{self, ProviderHttp};

const MAX_ISSUERS: u64 = 100;
const CACHE_TTL: Duration = Duration::from_secs(600);
/// Minimum time between two downloads of an issuer's public keys, even if a token names an unknown key.
const MIN_RELOAD_INTERVAL: Duration = Duration::from_secs(10);

/// The fields of an OpenID Connect discovery document that the server uses or shows to administrators.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct DiscoveryDocument {
    pub(crate) issuer: String,
    pub(crate) authorization_endpoint: String,
    pub(crate) token_endpoint: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) userinfo_endpoint: Option<String>,
    pub(crate) jwks_uri: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    scopes_supported: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    response_types_supported: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    grant_types_supported: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    subject_types_supported: Vec<String>,
    #[serde(default, skip_serializing)]
    code_challenge_methods_supported: Vec<String>,
    #[serde(skip)]
    pub(crate) supports_s256: bool,
}

/// A cache of discovery documents and key sets, which expire after ten minutes.
pub(crate) struct OidcCache {
    documents: Cache<String, DiscoveryDocument>,
    /// Key sets by their URL, each with the time of its download.
    keys: Cache<String, (Instant, JwkSet)>,
}

impl Default for OidcCache {
    fn default() -> Self {
        Self {
            documents: Cache::builder().max_capacity(MAX_ISSUERS).time_to_live(CACHE_TTL).build(),
            keys: Cache::builder().max_capacity(MAX_ISSUERS).time_to_live(CACHE_TTL).build(),
        }
    }
}

impl OidcCache {
    /// Returns the discovery document of an issuer. Returns an error if the document names another issuer.
    pub(crate) async fn document(&self, http: &ProviderHttp<'_>, issuer: &str) -> Result<DiscoveryDocument> {
        if let Some(document) = self.documents.get(issuer) {
            return Ok(document);
        }
        let address = match issuer {
            // Microsoft publishes the discovery document for all tenants under /v2.0.
            azure if is_azure(azure) => format!("{azure}/v2.0/.well-known/openid-configuration"),
            issuer => format!("{issuer}/.well-known/openid-configuration"),
        };
        let mut document: DiscoveryDocument = fetch(http, &address).await?;
        let same = document.issuer.trim_end_matches('/') == issuer;
        // Microsoft's discovery document for all tenants names another issuer, but is accepted.
        if !same && !is_azure(issuer) {
            return Err(AuthError::internal(FAILED, "it is another issuer's"));
        }
        document.supports_s256 = document.code_challenge_methods_supported.iter().any(|method| method == "S256");
        self.documents.insert(issuer.to_owned(), document.clone());
        Ok(document)
    }

    /// Returns the discovery document at the URL `address`. Returns an error if the document's issuer is not `issuer`. `version` is part of
    /// the cache key and changes when the provider's settings change, so that no node uses a document that was cached before the change.
    pub(crate) async fn document_at(
        &self,
        http: &ProviderHttp<'_>,
        address: &str,
        issuer: &str,
        version: &str,
    ) -> Result<DiscoveryDocument> {
        let key = format!("{version} {address}");
        if let Some(document) = self.documents.get(&key) {
            return Ok(document);
        }
        let document = load(http, address, issuer).await?;
        self.documents.insert(key, document.clone());
        Ok(document)
    }

    /// Returns the issuer's public keys. Downloads the keys again if `kid` is not the id of a cached key, but not within
    /// [`MIN_RELOAD_INTERVAL`] after the last download.
    pub(crate) async fn keys(
        &self,
        http: &ProviderHttp<'_>,
        document: &DiscoveryDocument,
        kid: Option<&str>,
    ) -> Result<JwkSet> {
        if let Some((loaded, keys)) = self.keys.get(&document.jwks_uri)
            && (kid.is_none_or(|kid| keys.find(kid).is_some()) || loaded.elapsed() < MIN_RELOAD_INTERVAL)
        {
            return Ok(keys);
        }
        let set: RawKeySet = fetch(http, &document.jwks_uri).await?;
        // Parses each key separately, so that a key of an unsupported type does not invalidate the whole set.
        let keys = JwkSet { keys: set.keys.into_iter().filter_map(|key| serde_json::from_value(key).ok()).collect() };
        self.keys.insert(document.jwks_uri.clone(), (Instant::now(), keys.clone()));
        Ok(keys)
    }
}

pub(crate) fn is_azure(issuer: &str) -> bool {
    issuer.starts_with("https://login.microsoftonline.com/")
}

#[derive(Deserialize)]
struct RawKeySet {
    keys: Vec<serde_json::Value>,
}

/// Downloads the discovery document at the URL `address`. Returns an error if the document's issuer is not `issuer`.
pub(crate) async fn load(http: &ProviderHttp<'_>, address: &str, issuer: &str) -> Result<DiscoveryDocument> {
    let document: DiscoveryDocument = fetch(http, address).await?;
    if document.issuer.trim_end_matches('/') != issuer.trim_end_matches('/') {
        return Err(AuthError::internal(FAILED, "it is another issuer's"));
    }
    let browsers = [Some(&document.authorization_endpoint)];
    let ours = [Some(&document.token_endpoint), Some(&document.jwks_uri), document.userinfo_endpoint.as_ref()];
    for address in browsers.into_iter().chain(ours).flatten() {
        provider_http::check_form(address)?;
    }
    Ok(document)
}

const FAILED: &str = "Error loading OpenID configuration";

async fn fetch<T: serde::de::DeserializeOwned>(http: &ProviderHttp<'_>, address: &str) -> Result<T> {
    let reply = http.get(address)?.send().await.context(FAILED)?.error_for_status().context(FAILED)?;
    provider_http::read_json(reply).await.context(FAILED)
}
