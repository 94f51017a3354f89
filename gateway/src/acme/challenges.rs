//! Answers ACME challenges by TLS (RFC 8737) or plain HTTP (RFC 8555, section 8.3). The challenges are stored in the database, so every
//! node can answer them.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use cloch_http::{Challenges, challenge_config};
use futures_util::future::BoxFuture;
use http::{StatusCode, header};
use rcgen::{CertificateParams, CustomExtension, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::PrivatePkcs8KeyDer;
use sha2::{Digest, Sha256};
use sqlx::PgPool;
use tokio::sync::Semaphore;

use super::store;

/// Maximum number of concurrent TLS handshakes for challenges that query the database. The number is limited because any client can start
/// such a handshake.
const MAX_LOOKUPS: usize = 4;
/// Maximum length of an http-01 challenge token in bytes; the tokens of Let's Encrypt have 43 characters.
const MAX_TOKEN_BYTES: usize = 128;

/// Resolver of tls-alpn-01 challenges: loads the key authorization from the database.
pub(super) struct TlsAnswers {
    pool: PgPool,
    domains: Vec<String>,
    lookups: Semaphore,
}

impl TlsAnswers {
    pub(super) fn new(pool: PgPool, domains: Vec<String>) -> Self {
        Self { pool, domains, lookups: Semaphore::new(MAX_LOOKUPS) }
    }
}

impl Challenges for TlsAnswers {
    fn answer<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Option<Arc<ServerConfig>>> {
        Box::pin(async move {
            let name = self.domains.iter().find(|domain| domain.eq_ignore_ascii_case(name))?;
            let _permit = self.lookups.acquire().await.ok()?;
            let found = store::challenge_of_domain(&self.pool, name).await;
            let authorization = found
                .inspect_err(|error| tracing::warn!(
                    %error,
                    domain = name,
                    "acme: reading a tls-alpn-01 challenge from the database failed, the authority cannot validate the domain"
                ))
                .ok()??;
            tracing::debug!(domain = name, "acme: received a tls-alpn-01 challenge");
            answer(name, &authorization)
                .inspect_err(|error| tracing::warn!(
                    %error,
                    domain = name,
                    "acme: creating the response to a tls-alpn-01 challenge failed, the authority cannot validate the domain"
                ))
                .ok()
        })
    }
}

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Creates the TLS configuration that answers a tls-alpn-01 challenge: a self-signed certificate with the digest of the key authorization
/// (RFC 8737, section 3).
fn answer(domain: &str, authorization: &str) -> Result<Arc<ServerConfig>, Failure> {
    let key = KeyPair::generate()?;
    let mut params = CertificateParams::new([domain.to_owned()])?;
    params.custom_extensions =
        vec![CustomExtension::new_acme_identifier(Sha256::digest(authorization.as_bytes()).as_slice())];
    let certificate = params.self_signed(&key)?;
    let key = PrivatePkcs8KeyDer::from(key.serialize_der());
    Ok(Arc::new(challenge_config(certificate.into(), key.into())?))
}

/// Returns the routes that answer http-01 challenges.
pub(super) fn router(pool: PgPool) -> Router {
    Router::new().route("/.well-known/acme-challenge/{token}", get(by_http)).with_state(pool)
}

async fn by_http(State(pool): State<PgPool>, Path(token): Path<String>) -> Response {
    // A challenge token consists of base64url characters (RFC 8555, section 8.3).
    let is_token = token.len() <= MAX_TOKEN_BYTES
        && token.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
    if !is_token {
        return StatusCode::NOT_FOUND.into_response();
    }
    match store::challenge_of_token(&pool, &token).await {
        Ok(Some(authorization)) => {
            ([(header::CONTENT_TYPE, "application/octet-stream")], authorization).into_response()
        }
        Ok(None) => StatusCode::NOT_FOUND.into_response(),
        Err(error) => {
            tracing::warn!(%error, "acme: reading an http-01 challenge from the database failed, responding with status 503, the authority cannot validate the domain");
            StatusCode::SERVICE_UNAVAILABLE.into_response()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_shown_although_its_critical_extension_is_unknown_to_browsers() {
        let shown = answer("club.example", "token.thumbprint").unwrap();
        assert_eq!(shown.alpn_protocols, [b"acme-tls/1"]);
    }
}
