//! Verification of bearer tokens: the signature, then the registered claims, in the order and with the clock skew of PostgREST.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use cloch_core::Secret;
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Algorithm, DecodingKey, Header, Validation};
use moka::sync::Cache;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::issuers::{self, TrustedIssuer};
use super::roles::RoleRefusal;
use super::{Caller, KeyRing, keys, numeric_date};
use crate::metrics;

/// Allowed clock skew in seconds for `exp`, `nbf` and `iat`, as in PostgREST.
const CLOCK_SKEW_SECONDS: i64 = 30;
/// Maximum estimated memory of the token cache in bytes, enough for the tokens of about ten thousand sessions.
const MAX_CACHE_BYTES: u64 = 32 * 1024 * 1024;
/// Estimated memory of a cached token in bytes, in addition to its text and claims.
const CACHE_ENTRY_OVERHEAD_BYTES: usize = 512;
/// Estimated memory of the claims as a multiple of their JSON text: the parsed map, and the text passed to policies.
const CLAIMS_MEMORY_FACTOR: usize = 5;

/// Reason for refusing a token. Each API converts the reason to an error message of its own.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// `Authorization: Bearer` without a token.
    #[error("Empty JWT is sent in Authorization header")]
    Empty,
    /// The token does not have three parts separated by dots. The value is the number of parts.
    #[error("Expected 3 parts in JWT; got {0}")]
    Parts(usize),
    /// The header is not a JOSE header, or its algorithm (such as `none`) or a critical extension is unsupported.
    #[error("Wrong or unsupported encoding algorithm")]
    Algorithm,
    /// No key matches the header's `kid` and algorithm.
    #[error("No suitable key or wrong key type")]
    NoKey,
    /// The signature is invalid.
    #[error("No suitable key or wrong key type")]
    Signature,
    /// The payload is not a JSON object.
    #[error("Parsing claims failed")]
    Claims,
    /// A time claim is not a number. The value is the claim's name.
    #[error("The JWT '{0}' claim must be a number")]
    NotANumber(&'static str),
    /// `aud` is neither a string nor an array of strings, or is not accepted for the token's issuer.
    #[error("The JWT 'aud' claim must be a string or an array of strings")]
    AudienceType,
    /// `exp` has passed.
    #[error("JWT expired")]
    Expired,
    /// `nbf` is in the future.
    #[error("JWT not yet valid")]
    NotYetValid,
    /// The role in a third-party issuer's token is `service_role` or not a string.
    #[error("The JWT 'role' claim is not for tokens of this issuer")]
    ForeignRole,
    /// The caller may not use the role in the token.
    #[error("{0}")]
    Role(RoleRefusal),
    /// The token is an ID token, which is intended for another application.
    #[error("An ID token is no access token")]
    NotAnAccessToken,
    /// The token is valid only for Realtime.
    #[error("The token is for Realtime alone")]
    RealtimeOnly,
    /// `iat` is in the future.
    #[error("JWT issued at future")]
    IssuedInFuture,
}

/// Claim of tokens that are valid only for Realtime: the dashboard's Realtime inspector joins channels with such a token in the role of a
/// chosen user.
pub const REALTIME_ONLY: &str = "cloch_realtime_only";

/// Verifies tokens and caches valid tokens.
#[derive(Debug, Clone)]
pub struct Verifier {
    keys: Arc<KeyRing>,
    issuers: Arc<Vec<TrustedIssuer>>,
    // Callers of verified tokens, by the token's hash. Each cached `Caller` contains its token.
    known: Cache<[u8; 32], Caller>,
}

impl Verifier {
    /// Creates a verifier with the project's keys.
    #[must_use]
    pub fn new(keys: Arc<KeyRing>) -> Self {
        Self::with_issuers(keys, Vec::new())
    }

    /// Creates a verifier with the project's keys and third-party issuers.
    #[must_use]
    pub fn with_issuers(keys: Arc<KeyRing>, issuers: Vec<TrustedIssuer>) -> Self {
        let known = Cache::builder().max_capacity(MAX_CACHE_BYTES).weigher(|_, caller| weight(caller));
        let known = known.eviction_listener(|_, _, cause| {
            if cause.was_evicted() {
                metrics::TOKEN_EVICTIONS.inc();
            }
        });
        let known = known.build();
        Self { keys, issuers: Arc::new(issuers), known }
    }

    /// Returns the key ring of the project.
    #[must_use]
    pub fn keys(&self) -> &Arc<KeyRing> {
        &self.keys
    }

    /// Verifies a token and returns its caller. `exp`, `nbf` and `iat` are checked at each call, the signature only once.
    ///
    /// # Errors
    /// Returns the reason for refusing the token.
    pub fn verify(&self, token: &str) -> Result<Caller, TokenError> {
        let caller = self.verify_for_realtime(token)?;
        match caller.claim(REALTIME_ONLY) {
            Some(_) if !caller.is_foreign() => Err(TokenError::RealtimeOnly),
            _ => Ok(caller),
        }
    }

    /// Verifies a token and returns its caller. Accepts all tokens that [`Self::verify`] accepts, and also tokens that are valid only for
    /// Realtime.
    ///
    /// # Errors
    /// Returns the reason for refusing the token.
    pub fn verify_for_realtime(&self, token: &str) -> Result<Caller, TokenError> {
        let hash: [u8; 32] = Sha256::digest(token.as_bytes()).into();
        metrics::TOKEN_LOOKUPS.inc();
        if let Some(caller) = self.known.get(&hash) {
            metrics::TOKEN_HITS.inc();
            check_times(caller.claims())?;
            return Ok(caller);
        }
        let (claims, is_foreign) = self.read(token)?;
        check_times(&claims)?;
        check_audience(&claims)?;
        let caller = Caller::new(claims, Some(Secret::new(token)), is_foreign);
        self.known.insert(hash, caller.clone());
        Ok(caller)
    }

    /// Verifies the signature of a token with the project's keys and returns its claims, even if the token has expired. Refuses tokens of
    /// third-party issuers, because callers use this function for signed URLs and similar tokens, which only this project issues.
    ///
    /// # Errors
    /// Returns the reason for refusing the token.
    pub fn claims(&self, token: &str) -> Result<Map<String, Value>, TokenError> {
        let header = header(token)?;
        let key = self.keys.verifying(&header).ok_or(TokenError::NoKey)?;
        decode(token, key, header.alg)
    }

    /// Verifies the signature of an access token of the project or of a third-party issuer, and returns its claims, even if the token has
    /// expired.
    ///
    /// # Errors
    /// Returns the reason for refusing the token.
    pub fn claims_of_any_issuer(&self, token: &str) -> Result<Map<String, Value>, TokenError> {
        self.read(token).map(|(claims, _)| claims)
    }

    /// Returns the claims of an access token, and whether a third-party issuer signed it.
    fn read(&self, token: &str) -> Result<(Map<String, Value>, bool), TokenError> {
        if let Some(issuer) = self.issuer_of(token) {
            return Ok((issuer.claims(token, &header(token)?)?, true));
        }
        let claims = self.claims(token)?;
        if keys::is_id_token(&claims) {
            return Err(TokenError::NotAnAccessToken);
        }
        Ok((claims, false))
    }

    /// Returns the third-party issuer in the token's `iss`; `None` if `iss` is not a third-party issuer.
    fn issuer_of(&self, token: &str) -> Option<&TrustedIssuer> {
        if self.issuers.is_empty() {
            return None;
        }
        let named = issuers::named_issuer(token)?;
        self.issuers.iter().find(|issuer| issuer.settings().issuer == named)
    }

    /// If a third-party issuer issued the token and the token's key is not loaded yet, waits a few seconds for the key, so that
    /// [`Self::verify`] does not refuse the token. Returns at once for all other tokens.
    pub async fn prepare(&self, token: &str) {
        if let Some(issuer) = self.issuer_of(token)
            && let Ok(header) = header(token)
        {
            issuer.wait_for(&header).await;
        }
    }

    /// Whether tokens of third-party issuers are accepted.
    #[must_use]
    pub fn has_other_issuers(&self) -> bool {
        !self.issuers.is_empty()
    }

    /// Returns the third-party issuers, for the task that loads their keys.
    #[must_use]
    pub fn other_issuers(&self) -> &Arc<Vec<TrustedIssuer>> {
        &self.issuers
    }
}

/// Parses the header of a token and checks that its algorithm is supported.
fn header(token: &str) -> Result<Header, TokenError> {
    if token.is_empty() {
        return Err(TokenError::Empty);
    }
    match token.split('.').count() {
        3 => {}
        parts => return Err(TokenError::Parts(parts)),
    }
    let header = jsonwebtoken::decode_header(token).map_err(|_| TokenError::Algorithm)?;
    // No extension is supported, so a token with critical extensions is invalid (RFC 7515, 4.1.11).
    if header.crit.is_some() || !matches!(header.alg, Algorithm::HS256 | Algorithm::ES256 | Algorithm::RS256) {
        return Err(TokenError::Algorithm);
    }
    Ok(header)
}

/// Verifies the signature of a token and returns its claims.
pub(super) fn decode(token: &str, key: &DecodingKey, algorithm: Algorithm) -> Result<Map<String, Value>, TokenError> {
    let mut validation = Validation::new(algorithm);
    validation.required_spec_claims.clear();
    validation.validate_exp = false;
    validation.validate_nbf = false;
    validation.validate_aud = false;
    match jsonwebtoken::decode::<Value>(token, key, &validation) {
        Ok(data) => match data.claims {
            Value::Object(claims) => Ok(claims),
            _ => Err(TokenError::Claims),
        },
        Err(error) => Err(match error.kind() {
            ErrorKind::InvalidSignature => TokenError::Signature,
            ErrorKind::Json(_) | ErrorKind::Utf8(_) => TokenError::Claims,
            ErrorKind::InvalidAlgorithm | ErrorKind::InvalidAlgorithmName => TokenError::Algorithm,
            _ => TokenError::Signature,
        }),
    }
}

fn weight(caller: &Caller) -> u32 {
    let token = caller.token().map_or(0, |token| token.expose().len());
    u32::try_from(CACHE_ENTRY_OVERHEAD_BYTES + token + CLAIMS_MEMORY_FACTOR * caller.claims_json().len())
        .unwrap_or(u32::MAX)
}

fn check_times(claims: &Map<String, Value>) -> Result<(), TokenError> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs().cast_signed());
    if number(claims, "exp")?.is_some_and(|exp| now > exp.saturating_add(CLOCK_SKEW_SECONDS)) {
        return Err(TokenError::Expired);
    }
    if number(claims, "nbf")?.is_some_and(|nbf| nbf > now.saturating_add(CLOCK_SKEW_SECONDS)) {
        return Err(TokenError::NotYetValid);
    }
    if number(claims, "iat")?.is_some_and(|iat| iat > now.saturating_add(CLOCK_SKEW_SECONDS)) {
        return Err(TokenError::IssuedInFuture);
    }
    Ok(())
}

fn number(claims: &Map<String, Value>, name: &'static str) -> Result<Option<i64>, TokenError> {
    match claims.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => numeric_date(value).map(Some).ok_or(TokenError::NotANumber(name)),
    }
}

fn check_audience(claims: &Map<String, Value>) -> Result<(), TokenError> {
    match claims.get("aud") {
        None | Some(Value::Null | Value::String(_)) => Ok(()),
        Some(Value::Array(list)) if list.iter().all(Value::is_string) => Ok(()),
        Some(_) => Err(TokenError::AudienceType),
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use serde_json::json;

    use super::super::keys::EcPrivateJwk;
    use super::*;

    fn verifier() -> (Verifier, EcPrivateJwk) {
        let key = EcPrivateJwk::generate().unwrap();
        let ring =
            KeyRing::new(Secret::new("super-secret-jwt-token-with-at-least-32-characters"), std::slice::from_ref(&key))
                .unwrap();
        (Verifier::new(Arc::new(ring)), key)
    }

    fn unsigned(header: Value, payload: Value, signature: &str) -> String {
        let part = |value: Value| URL_SAFE_NO_PAD.encode(value.to_string());
        format!("{}.{}.{signature}", part(header), part(payload))
    }

    #[test]
    fn refuses_what_is_no_token() {
        let (verifier, _) = verifier();
        assert_eq!(verifier.verify("").unwrap_err(), TokenError::Empty);
        assert_eq!(verifier.verify("abc").unwrap_err(), TokenError::Parts(1));
        assert_eq!(verifier.verify("a.b.c").unwrap_err(), TokenError::Algorithm);
    }

    #[test]
    fn refuses_algorithm_none_and_critical_extensions() {
        let (verifier, _) = verifier();
        for header in [json!({"alg": "none"}), json!({"alg": "HS256", "crit": ["b64"], "b64": false})] {
            let token = unsigned(header, json!({"role": "service_role"}), "");
            assert_eq!(verifier.verify(&token).unwrap_err(), TokenError::Algorithm);
        }
    }

    #[test]
    fn refuses_a_public_key_used_as_hmac_secret() {
        let (verifier, key) = verifier();
        let forged = KeyRing::new(Secret::new(key.public_jwk().to_string()), &[]).unwrap();
        let token = forged.sign_hs256(&json!({"role": "service_role"})).unwrap();
        assert_eq!(verifier.verify(&token).unwrap_err(), TokenError::Signature);
    }

    #[test]
    fn refuses_an_unknown_key_and_a_changed_payload() {
        let (verifier, _) = verifier();
        let (stranger, _) = self::verifier();
        let token = stranger.keys().sign(&json!({"role": "authenticated"})).unwrap();
        assert_eq!(verifier.verify(&token).unwrap_err(), TokenError::NoKey);

        let token = verifier.keys().sign(&json!({"role": "authenticated"})).unwrap();
        let (head, signature) = (token.split('.').next().unwrap(), token.rsplit('.').next().unwrap());
        let payload = URL_SAFE_NO_PAD.encode(r#"{"role":"service_role"}"#);
        assert_eq!(verifier.verify(&format!("{head}.{payload}.{signature}")).unwrap_err(), TokenError::Signature);
    }

    #[test]
    fn refuses_times_outside_the_allowance() {
        let (verifier, _) = verifier();
        let refused = |claims: Value| verifier.verify(&verifier.keys().sign(&claims).unwrap()).unwrap_err();
        let now = chrono::Utc::now().timestamp();
        assert_eq!(refused(json!({"exp": now - 40})), TokenError::Expired);
        assert_eq!(refused(json!({"nbf": now + 40})), TokenError::NotYetValid);
        assert_eq!(refused(json!({"iat": now + 40})), TokenError::IssuedInFuture);
        assert_eq!(refused(json!({"exp": "soon"})), TokenError::NotANumber("exp"));
        assert_eq!(refused(json!({"aud": 3})), TokenError::AudienceType);
    }

    #[test]
    fn a_remembered_token_still_expires() {
        let (verifier, _) = verifier();
        let soon = chrono::Utc::now().timestamp() - CLOCK_SKEW_SECONDS;
        let token = verifier.keys().sign(&json!({"exp": soon, "role": "authenticated"})).unwrap();
        assert!(verifier.verify(&token).is_ok());
        std::thread::sleep(std::time::Duration::from_millis(1100));
        assert_eq!(verifier.verify(&token).unwrap_err(), TokenError::Expired);
    }

    #[test]
    fn remembered_tokens_are_bounded_by_their_bytes() {
        let (verifier, _) = verifier();
        for number in 0..600 {
            let token =
                verifier.keys().sign_hs256(&json!({"sub": number.to_string(), "pad": "x".repeat(40_000)})).unwrap();
            assert!(verifier.verify(&token).is_ok());
        }
        verifier.known.run_pending_tasks();
        let held: usize = verifier.known.iter().map(|(_, caller)| caller.token().unwrap().expose().len()).sum();
        assert!(0 < held && held < 8 * 1024 * 1024, "{held} bytes of tokens");
    }

    #[test]
    fn accepts_both_kinds_of_key() {
        let (verifier, _) = verifier();
        let claims = json!({"role": "authenticated", "sub": "6a7f9a7e-51a5-4b9b-9d7b-0d1f3f3f7a10"});
        let user = verifier.verify(&verifier.keys().sign(&claims).unwrap()).unwrap();
        assert_eq!((user.role(), user.user_id().is_some()), ("authenticated", true));
        let user = verifier.verify(&verifier.keys().sign_hs256(&claims).unwrap()).unwrap();
        assert_eq!(user.role(), "authenticated");
    }

    #[test]
    fn a_token_without_role_is_anonymous() {
        let (verifier, _) = verifier();
        let caller = verifier.verify(&verifier.keys().sign(&json!({})).unwrap()).unwrap();
        assert_eq!(caller.role(), "anon");
        assert_eq!(caller.claims_json(), r#"{"role":"anon"}"#);
    }
}
