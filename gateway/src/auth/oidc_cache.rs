//! A cache of the discovery documents (OpenID Connect Discovery 1.0) and key sets of OpenID Connect issuers.

use std::time::Duration;

use jsonwebtoken::jwk::JwkSet;
use moka::sync::Cache;
use serde::Deserialize;

use crate::auth::error::{AuthError, Context, Result};

/// Number of cached issuers.
const MAX_ISSUERS: u64 = 100;
const CACHE_TTL: Duration = Duration::from_secs(600);

/// The fields of a discovery document that are used.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct DiscoveryDocument {
    pub(crate) issuer: String,
    pub(crate) authorization_endpoint: String,
    pub(crate) token_endpoint: String,
    pub(crate) userinfo_endpoint: Option<String>,
    jwks_uri: String,
    #[serde(default)]
    code_challenge_methods_supported: Vec<String>,
    #[serde(skip)]
    pub(crate) supports_s256: bool,
}

/// The discovery documents and key sets of the issuers in use, for ten minutes each.
pub(crate) struct OidcCache {
    documents: Cache<String, DiscoveryDocument>,
    keys: Cache<String, JwkSet>,
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
    /// The document of an issuer, which must name that issuer.
    pub(crate) async fn document(&self, http: &reqwest::Client, issuer: &str) -> Result<DiscoveryDocument> {
        if let Some(document) = self.documents.get(issuer) {
            return Ok(document);
        }
        let address = match issuer {
            // The tenant-independent document is under /v2.0.
            azure if is_azure(azure) => format!("{azure}/v2.0/.well-known/openid-configuration"),
            issuer => format!("{issuer}/.well-known/openid-configuration"),
        };
        let mut document: DiscoveryDocument = fetch(http, &address).await?;
        let same = document.issuer.trim_end_matches('/') == issuer;
        // Microsoft's common document is valid for every tenant.
        if !same && !is_azure(issuer) {
            return Err(AuthError::internal("Error loading OpenID configuration", "it is another issuer's"));
        }
        document.supports_s256 = document.code_challenge_methods_supported.iter().any(|method| method == "S256");
        self.documents.insert(issuer.to_owned(), document.clone());
        Ok(document)
    }

    /// The issuer's keys; loaded again when a token names an unknown key.
    pub(crate) async fn keys(
        &self,
        http: &reqwest::Client,
        document: &DiscoveryDocument,
        kid: Option<&str>,
    ) -> Result<JwkSet> {
        if let Some(keys) = self.keys.get(&document.jwks_uri)
            && kid.is_none_or(|kid| keys.find(kid).is_some())
        {
            return Ok(keys);
        }
        let keys: JwkSet = fetch(http, &document.jwks_uri).await?;
        self.keys.insert(document.jwks_uri.clone(), keys.clone());
        Ok(keys)
    }
}

pub(crate) fn is_azure(issuer: &str) -> bool {
    issuer.starts_with("https://login.microsoftonline.com/")
}

async fn fetch<T: serde::de::DeserializeOwned>(http: &reqwest::Client, address: &str) -> Result<T> {
    const FAILED: &str = "Error loading OpenID configuration";
    let reply = http.get(address).send().await.context(FAILED)?.error_for_status().context(FAILED)?;
    reply.json().await.context(FAILED)
}
