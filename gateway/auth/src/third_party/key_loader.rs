//! Loads the key sets of third-party issuers in the background. Each issuer has its own task, so that an unresponsive issuer does not delay
//! the other issuers.

use std::sync::Arc;
use std::time::Duration;

use cloch_sql::caller::issuers::TrustedIssuer;
use jsonwebtoken::jwk::JwkSet;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);
/// Time between two loads of an issuer's keys, unless a token names an unknown key.
const RELOAD_INTERVAL: Duration = Duration::from_mins(10);
const RETRY_INTERVAL: Duration = Duration::from_secs(30);
const MAX_BYTES: usize = 256 * 1024;

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[derive(Deserialize)]
struct Discovery {
    issuer: String,
    jwks_uri: String,
}

/// Loads and regularly reloads the public keys of all third-party issuers until `shutdown` is cancelled.
pub async fn run(issuers: Arc<Vec<TrustedIssuer>>, shutdown: CancellationToken) {
    if issuers.is_empty() {
        return;
    }
    let client =
        reqwest::Client::builder().timeout(REQUEST_TIMEOUT).redirect(reqwest::redirect::Policy::none()).build();
    let client = match client {
        Ok(client) => client,
        Err(error) => {
            tracing::error!(%error, issuers = issuers.len(), "auth: loading the signing keys of third-party issuers failed, tokens of these issuers are refused until the next start");
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
            // If a load fails, the previously loaded keys remain in use.
            Err(error) => {
                let name = &issuer.settings().issuer;
                tracing::warn!(auth.issuer = name, %error, "auth: loading the signing keys of issuer {name} failed, only keys that were loaded before are accepted, retrying in 30 s");
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
                return Err(format!("the discovery document names another issuer, {:?}", document.issuer).into());
            }
            super::check_address("jwks_uri", &document.jwks_uri)?;
            document.jwks_uri
        }
    };
    // Parses each key separately, so that a key of an unsupported type does not invalidate the whole set.
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
            return Err(format!("the response of {address} is larger than {MAX_BYTES} bytes").into());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(serde_json::from_slice(&body)?)
}
