//! What an OpenID issuer publishes about itself: its endpoints and its keys. Remembered for ten minutes.

use std::time::Duration;

use jsonwebtoken::jwk::JwkSet;
use moka::sync::Cache;
use serde::Deserialize;

use crate::auth::error::{AuthError, Doing, Result};
use crate::auth::state::AuthState;

const REMEMBERED: Duration = Duration::from_secs(600);

/// The discovery document, as far as it is needed.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Document {
    pub(super) issuer: String,
    pub(super) authorization_endpoint: String,
    pub(super) token_endpoint: String,
    pub(super) userinfo_endpoint: Option<String>,
    jwks_uri: String,
    #[serde(default)]
    code_challenge_methods_supported: Vec<String>,
    #[serde(skip)]
    pub(super) supports_s256: bool,
}

/// The documents and key sets of the issuers in use.
pub(crate) struct Discoveries {
    documents: Cache<String, Document>,
    keys: Cache<String, JwkSet>,
}

impl Default for Discoveries {
    fn default() -> Self {
        Self {
            documents: Cache::builder().max_capacity(100).time_to_live(REMEMBERED).build(),
            keys: Cache::builder().max_capacity(100).time_to_live(REMEMBERED).build(),
        }
    }
}

impl Discoveries {
    /// The document of an issuer, which must be about that issuer.
    pub(super) async fn document(&self, state: &AuthState, issuer: &str) -> Result<Document> {
        if let Some(document) = self.documents.get(issuer) {
            return Ok(document);
        }
        let address = match issuer {
            // The tenant-independent document lies under /v2.0.
            azure if is_azure(azure) => format!("{azure}/v2.0/.well-known/openid-configuration"),
            issuer => format!("{issuer}/.well-known/openid-configuration"),
        };
        let mut document: Document = fetch(state, &address).await?;
        let same = document.issuer.trim_end_matches('/') == issuer;
        // Microsoft's common document stands for every tenant.
        if !same && !is_azure(issuer) {
            return Err(AuthError::internal("Error loading OpenID configuration", "it is another issuer's"));
        }
        document.supports_s256 = document.code_challenge_methods_supported.iter().any(|method| method == "S256");
        self.documents.insert(issuer.to_owned(), document.clone());
        Ok(document)
    }

    /// The issuer's keys; read anew when a token names one that is not among them.
    pub(super) async fn keys(&self, state: &AuthState, document: &Document, kid: Option<&str>) -> Result<JwkSet> {
        if let Some(keys) = self.keys.get(&document.jwks_uri)
            && kid.is_none_or(|kid| keys.find(kid).is_some())
        {
            return Ok(keys);
        }
        let keys: JwkSet = fetch(state, &document.jwks_uri).await?;
        self.keys.insert(document.jwks_uri.clone(), keys.clone());
        Ok(keys)
    }
}

pub(super) fn is_azure(issuer: &str) -> bool {
    issuer.starts_with("https://login.microsoftonline.com/")
}

async fn fetch<T: serde::de::DeserializeOwned>(state: &AuthState, address: &str) -> Result<T> {
    const DOING: &str = "Error loading OpenID configuration";
    let reply = state.http().get(address).send().await.doing(DOING)?.error_for_status().doing(DOING)?;
    reply.json().await.doing(DOING)
}
