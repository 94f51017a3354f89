//! Other issuers whose tokens are accepted, such as Firebase, Auth0 or any OpenID Connect server, and their public keys.
//!
//! A token that names one of them is verified with this issuer's keys only, and every other token with the project's own: no key of an
//! issuer opens another's tokens. The keys are loaded in the background ([`TrustedIssuer::set_keys`]), so that an issuer that does not
//! answer delays nobody but those whose key is not known yet.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use arc_swap::ArcSwap;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, JwkSet, KeyAlgorithm};
use jsonwebtoken::{Algorithm, DecodingKey, Header};
use serde::Deserialize;
use serde_json::{Map, Value};
use tokio::sync::{Notify, watch};

use super::TokenError;

/// Keys of an issuer that are kept; others are ignored.
const MAX_KEYS: usize = 50;
/// Least time between two loads of an issuer's keys, whatever keys tokens name.
const MIN_LOAD_INTERVAL_SECONDS: i64 = 15;
/// How long a request waits for the keys of its token's issuer.
const MAX_WAIT: Duration = Duration::from_secs(4);

/// What a project says of an issuer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssuerSettings {
    /// The `iss` of its tokens.
    pub issuer: String,
    /// The accepted `aud`; empty for any.
    pub audience: Vec<String>,
    /// The role of tokens without a `role` claim; without one they run as `anon`.
    pub default_role: Option<String>,
    /// Where its keys are; otherwise its discovery document says so.
    pub jwks_uri: Option<String>,
}

/// An issuer and its keys.
#[derive(Debug)]
pub struct TrustedIssuer {
    settings: IssuerSettings,
    keys: ArcSwap<HashMap<String, IssuerKey>>,
    wanted: Notify,
    loads: watch::Sender<u64>,
    /// Unix seconds of the last load, successful or not.
    loaded_at: AtomicI64,
}

/// A public key with the one algorithm it is for.
struct IssuerKey {
    algorithm: Algorithm,
    key: DecodingKey,
}

impl std::fmt::Debug for IssuerKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "IssuerKey {{ algorithm: {:?}, … }}", self.algorithm)
    }
}

#[derive(Deserialize)]
struct IssuerClaim {
    iss: Option<String>,
}

/// The issuer that a token names, before anything of it is verified.
pub(super) fn named_issuer(token: &str) -> Option<String> {
    let payload = token.split('.').nth(1)?;
    let bytes = URL_SAFE_NO_PAD.decode(payload).ok()?;
    serde_json::from_slice::<IssuerClaim>(&bytes).ok()?.iss
}

impl TrustedIssuer {
    /// An issuer without keys yet.
    #[must_use]
    pub fn new(settings: IssuerSettings) -> Self {
        Self {
            settings,
            keys: ArcSwap::default(),
            wanted: Notify::new(),
            loads: watch::Sender::new(0),
            loaded_at: AtomicI64::new(0),
        }
    }

    /// What the project says of it.
    #[must_use]
    pub fn settings(&self) -> &IssuerSettings {
        &self.settings
    }

    /// Replaces its keys by those of a key set. Symmetric keys, keys for encryption and those of other algorithms are ignored: an issuer's
    /// public text must never be a secret to sign with (RFC 8725, section 3.1).
    pub fn set_keys(&self, set: &JwkSet) {
        let keys = set.keys.iter().take(MAX_KEYS).filter_map(|jwk| {
            let algorithm = algorithm_of(jwk)?;
            let key = DecodingKey::from_jwk(jwk).ok()?;
            Some((jwk.common.key_id.clone().unwrap_or_default(), IssuerKey { algorithm, key }))
        });
        self.keys.store(std::sync::Arc::new(keys.collect()));
    }

    /// Records that a load has ended, and lets those go on who wait for it.
    pub fn loaded(&self) {
        self.loaded_at.store(chrono::Utc::now().timestamp(), Ordering::Relaxed);
        self.loads.send_modify(|count| *count += 1);
    }

    /// Returns when a token has named a key that is not known, but not sooner after the last load than the least interval.
    pub async fn wanted(&self) {
        self.wanted.notified().await;
        let since = chrono::Utc::now().timestamp() - self.loaded_at.load(Ordering::Relaxed);
        let rest = u64::try_from(MIN_LOAD_INTERVAL_SECONDS - since).unwrap_or(0);
        tokio::time::sleep(Duration::from_secs(rest)).await;
    }

    /// Waits a moment for a key that is not known, unless the keys were just loaded.
    pub(super) async fn wait_for(&self, header: &Header) {
        let mut loads = self.loads.subscribe();
        if self.key(header).is_some() || self.was_just_loaded() {
            return;
        }
        self.wanted.notify_one();
        drop(tokio::time::timeout(MAX_WAIT, loads.changed()).await);
    }

    fn was_just_loaded(&self) -> bool {
        chrono::Utc::now().timestamp() - self.loaded_at.load(Ordering::Relaxed) < MIN_LOAD_INTERVAL_SECONDS
    }

    fn key(&self, header: &Header) -> Option<DecodingKey> {
        let keys = self.keys.load();
        let found = match &header.kid {
            Some(kid) => keys.get(kid),
            // Without a name only a sole key can be meant.
            None => keys.values().next().filter(|_| keys.len() == 1),
        };
        found.filter(|key| key.algorithm == header.alg).map(|key| key.key.clone())
    }

    /// The claims of one of its tokens with a valid signature, for the right audience. Times are checked by the caller.
    pub(super) fn claims(&self, token: &str, header: &Header) -> Result<Map<String, Value>, TokenError> {
        let Some(key) = self.key(header) else {
            self.wanted.notify_one();
            return Err(TokenError::NoKey);
        };
        let mut claims = super::token::decode(token, &key, header.alg)?;
        if claims.get("exp").is_none_or(|exp| !exp.is_number()) {
            return Err(TokenError::NotANumber("exp"));
        }
        if !self.is_audience(claims.get("aud")) {
            return Err(TokenError::AudienceType);
        }
        if let (None | Some(Value::Null), Some(role)) = (claims.get("role"), &self.settings.default_role) {
            claims.insert("role".to_owned(), role.as_str().into());
        }
        match claims.get("role") {
            None | Some(Value::Null) => {
                claims.remove("role");
                Ok(claims)
            }
            // Whether it is a role of callers is checked where it is used ([`super::CallerRoles`]).
            Some(Value::String(role)) if role != super::SERVICE_ROLE => Ok(claims),
            Some(_) => Err(TokenError::ForeignRole),
        }
    }

    fn is_audience(&self, aud: Option<&Value>) -> bool {
        let accepted =
            |aud: &Value| aud.as_str().is_some_and(|aud| self.settings.audience.iter().any(|own| own == aud));
        self.settings.audience.is_empty()
            || match aud {
                Some(Value::Array(list)) => list.iter().any(accepted),
                Some(one) => accepted(one),
                None => false,
            }
    }
}

/// The one algorithm that a key is for, if tokens may be signed with it.
fn algorithm_of(jwk: &Jwk) -> Option<Algorithm> {
    use jsonwebtoken::jwk::PublicKeyUse;
    if matches!(jwk.common.public_key_use, Some(PublicKeyUse::Encryption)) {
        return None;
    }
    let algorithm = match &jwk.algorithm {
        AlgorithmParameters::RSA(_) => Algorithm::RS256,
        AlgorithmParameters::EllipticCurve(curve) if curve.curve == EllipticCurve::P256 => Algorithm::ES256,
        _ => return None,
    };
    let named = match jwk.common.key_algorithm {
        None => true,
        Some(KeyAlgorithm::RS256) => algorithm == Algorithm::RS256,
        Some(KeyAlgorithm::ES256) => algorithm == Algorithm::ES256,
        Some(_) => false,
    };
    named.then_some(algorithm)
}
