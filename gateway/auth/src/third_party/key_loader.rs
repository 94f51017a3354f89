//! Loads the key sets of other issuers in the background: one task for each issuer, so that one that hangs holds up no other.

use std::sync::Arc;
use std::time::Duration;

use cloch_sql::caller::issuers::TrustedIssuer;
use jsonwebtoken::jwk::JwkSet;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// Timeout of one request to an issuer.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);
/// Time between two loads, as long as no token names an unknown key.
const RELOAD_INTERVAL: Duration = Duration::from_mins(10);
/// Time to the next attempt after a failure.
const RETRY_INTERVAL: Duration = Duration::from_secs(30);
/// Bytes of a discovery document or key set.
const MAX_BYTES: usize = 256 * 1024;

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[derive(Deserialize)]
struct Discovery {
    issuer: String,
    jwks_uri: String,
}

/// Keeps the keys of all issuers up to date until `shutdown` is cancelled.
pub async fn run(issuers: Arc<Vec<TrustedIssuer>>, shutdown: CancellationToken) {
    if issuers.is_empty() {
        return;
    }
    let client =
        reqwest::Client::builder().timeout(REQUEST_TIMEOUT).redirect(reqwest::redirect::Policy::none()).build();
    let client = match client {
        Ok(client) => client,
        Err(error) => {
            tracing::error!(%error, "auth: loading the keys of third-party issuers failed");
            return;
        }
    };
    let mut tasks = JoinSet::new();
    for at in 0..issuers.len() {
        let (issuers, client) = (Arc::clone(&issuers), client.clone());
        tasks.spawn(async move {
            if let Some(issuer) = issuers.get(at) {
                keep(issuer, &client).await;
            }
        });
    }
    shutdown.cancelled().await;
    tasks.shutdown().await;
}

async fn keep(issuer: &TrustedIssuer, client: &reqwest::Client) {
    loop {
        let pause = match load(issuer, client).await {
            Ok(()) => RELOAD_INTERVAL,
            // The keys it had stay: they are good as long as the issuer does not say otherwise.
            Err(error) => {
                let name = &issuer.settings().issuer;
                tracing::warn!(auth.issuer = name, %error, "auth: loading the keys of issuer {name} failed");
                RETRY_INTERVAL
            }
        };
        issuer.loaded();
        drop(tokio::time::timeout(pause, issuer.wanted()).await);
    }
}

async fn load(issuer: &TrustedIssuer, client: &reqwest::Client) -> Result<(), Failure> {
    let settings = issuer.settings();
    let address = match &settings.jwks_uri {
        Some(address) => address.clone(),
        None => {
            let base = settings.issuer.trim_end_matches('/');
            let document: Discovery = fetch(client, &format!("{base}/.well-known/openid-configuration")).await?;
            if document.issuer != settings.issuer {
                return Err(format!("its discovery document is that of {:?}", document.issuer).into());
            }
            super::check_address(&document.jwks_uri)?;
            document.jwks_uri
        }
    };
    // Keys are read one by one: one of an unknown kind must not hide the others.
    let set: RawKeySet = fetch(client, &address).await?;
    let keys = set.keys.into_iter().filter_map(|key| serde_json::from_value(key).ok()).collect();
    issuer.set_keys(&JwkSet { keys });
    Ok(())
}

#[derive(Deserialize)]
struct RawKeySet {
    keys: Vec<serde_json::Value>,
}

async fn fetch<T: DeserializeOwned>(client: &reqwest::Client, address: &str) -> Result<T, Failure> {
    let mut reply = client.get(address).send().await?.error_for_status()?;
    let mut body = Vec::new();
    while let Some(chunk) = reply.chunk().await? {
        if body.len() + chunk.len() > MAX_BYTES {
            return Err(format!("{address} sends more than {MAX_BYTES} bytes").into());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(serde_json::from_slice(&body)?)
}
