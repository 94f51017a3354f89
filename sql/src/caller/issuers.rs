//! Third-party token issuers, such as Firebase, Auth0 or an OpenID Connect server, and their public keys.
//!
//! A token whose `iss` is a trusted issuer is verified only with the keys of that issuer. Any other token is verified only with the
//! project's keys. The keys are loaded in the background ([`TrustedIssuer::set_keys`]): a slow issuer delays only requests whose key is not
//! loaded yet.

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

/// Maximum number of keys per issuer; further keys are ignored.
const MAX_KEYS: usize = 50;
/// Minimum time between two loads of an issuer's keys, in seconds. Tokens with an unknown `kid` cannot cause earlier loads.
const MIN_LOAD_INTERVAL_SECONDS: i64 = 15;
/// Maximum time that a request waits for the keys of its token's issuer.
const MAX_WAIT: Duration = Duration::from_secs(4);

/// Settings of a third-party issuer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssuerSettings {
    /// Expected `iss` of the issuer's tokens.
    pub issuer: String,
    /// Accepted `aud` values; empty to accept any.
    pub audience: Vec<String>,
    /// Role of tokens without a `role` claim; `None` for `anon`.
    pub default_role: Option<String>,
    /// URL of the issuer's key set; `None` to read the URL from the issuer's discovery document.
    pub jwks_uri: Option<String>,
}

/// Third-party issuer with its loaded keys.
#[derive(Debug)]
pub struct TrustedIssuer {
    settings: IssuerSettings,
    keys: ArcSwap<HashMap<String, IssuerKey>>,
    wanted: Notify,
    loads: watch::Sender<u64>,
    /// Unix time in seconds of the last load of the issuer's keys, successful or not.
    loaded_at: AtomicI64,
}

/// Public key of an issuer, with its only accepted algorithm.
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

/// Returns the unverified `iss` claim of a token.
pub(super) fn named_issuer(token: &str) -> Option<String> {
    let payload = token.split('.').nth(1)?;
    let bytes = URL_SAFE_NO_PAD.decode(payload).ok()?;
    serde_json::from_slice::<IssuerClaim>(&bytes).ok()?.iss
}

impl TrustedIssuer {
    /// Creates an issuer whose keys are not loaded yet.
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

    /// Returns the settings of the issuer.
    #[must_use]
    pub fn settings(&self) -> &IssuerSettings {
        &self.settings
    }

    /// Replaces the issuer's keys. Symmetric keys, encryption keys and keys for algorithms other than RS256 and ES256 are ignored: text
    /// that an issuer publishes must never become an HMAC secret (RFC 8725, section 3.1).
    pub fn set_keys(&self, set: &JwkSet) {
        let keys = set.keys.iter().take(MAX_KEYS).filter_map(|jwk| {
            let algorithm = algorithm_of(jwk)?;
            let key = DecodingKey::from_jwk(jwk).ok()?;
            Some((jwk.common.key_id.clone().unwrap_or_default(), IssuerKey { algorithm, key }))
        });
        self.keys.store(std::sync::Arc::new(keys.collect()));
    }

    /// Records that a load of the issuer's keys has ended, and wakes the requests that wait for the keys.
    pub fn loaded(&self) {
        self.loaded_at.store(chrono::Utc::now().timestamp(), Ordering::Relaxed);
        self.loads.send_modify(|count| *count += 1);
    }

    /// Waits until a request has a token with an unknown key of this issuer and at least 15 seconds have passed since the last load of the
    /// issuer's keys.
    pub async fn wanted(&self) {
        self.wanted.notified().await;
        let since = chrono::Utc::now().timestamp() - self.loaded_at.load(Ordering::Relaxed);
        let rest = u64::try_from(MIN_LOAD_INTERVAL_SECONDS - since).unwrap_or(0);
        tokio::time::sleep(Duration::from_secs(rest)).await;
    }

    /// If the key that signed the token is unknown, waits up to [`MAX_WAIT`] for a load of the issuer's keys. Returns at once if the last
    /// load was less than 15 seconds ago.
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
            // A token without `kid` is accepted only if the issuer has exactly one key.
            None => keys.values().next().filter(|_| keys.len() == 1),
        };
        found.filter(|key| key.algorithm == header.alg).map(|key| key.key.clone())
    }

    /// Verifies the signature and audience of a token and returns its claims. Does not check the time claims (`exp`, `nbf`, `iat`).
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
            // [`super::CallerRoles`] checks later whether callers may have this role.
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

/// Returns the algorithm of a key; `None` if the key cannot verify tokens.
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
