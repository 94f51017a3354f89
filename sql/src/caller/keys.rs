//! Keys that sign and verify tokens: the HS256 secret, and any number of ES256 and RS256 keys selected by `kid`.

mod jwk;
mod rotation;

use std::collections::HashMap;

use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header};
use serde::Serialize;
use serde_json::{Map, Value, json};

pub use jwk::{EcPrivateJwk, KeyError, RsaPrivateJwk, SigningKey};
pub use rotation::{KeyState, add_standby, revoke, rotate};

use cloch_core::Secret;

/// Claim that distinguishes ID tokens from access tokens. Other issuers use the same claim name.
const TOKEN_USE: &str = "token_use";
const ID_TOKEN: &str = "id";

/// Whether the claims are those of an ID token. ID tokens identify a user to other applications and give no access to the APIs.
pub(super) fn is_id_token(claims: &Map<String, Value>) -> bool {
    claims.get(TOKEN_USE).and_then(Value::as_str) == Some(ID_TOKEN)
}

/// Keys that sign and verify tokens of this project.
pub struct KeyRing {
    secret: Secret,
    hs_encoding: EncodingKey,
    hs_decoding: DecodingKey,
    /// Key ID, algorithm and private key that sign user tokens; `None` to sign user tokens with the HS256 secret.
    signing: Option<(String, Algorithm, EncodingKey)>,
    public: HashMap<String, (Algorithm, DecodingKey)>,
    jwks: Value,
}

impl std::fmt::Debug for KeyRing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "KeyRing {{ kids: {:?} }}", self.public.keys())
    }
}

impl KeyRing {
    /// Creates a key ring from the HS256 secret and the EC keys of `secrets.toml`.
    ///
    /// # Errors
    /// Fails if a key is malformed.
    pub fn new(secret: Secret, keys: &[EcPrivateJwk]) -> Result<Self, KeyError> {
        let keys: Vec<SigningKey> = keys.iter().cloned().map(SigningKey::Ec).collect();
        Self::with_keys(secret, &keys)
    }

    /// Creates a key ring from the HS256 secret and keys of any kind. The key with state `InUse` signs user tokens; all keys except revoked
    /// keys verify tokens and are published.
    ///
    /// # Errors
    /// Fails if a key is malformed or two keys have the same `kid`.
    pub fn with_keys(secret: Secret, keys: &[SigningKey]) -> Result<Self, KeyError> {
        let good: Vec<&SigningKey> = keys.iter().filter(|key| key.state() != Some(KeyState::Revoked)).collect();
        let signing = match rotation::in_use(&good) {
            Some(key) => Some((key.kid().to_owned(), key.algorithm(), key.encoding_key()?)),
            None => None,
        };
        let mut public = HashMap::new();
        for key in &good {
            if public.insert(key.kid().to_owned(), (key.algorithm(), key.decoding_key()?)).is_some() {
                return Err(KeyError::new(key.kid(), "is there twice"));
            }
        }
        let jwks = json!({ "keys": good.iter().map(|key| key.public_jwk()).collect::<Vec<_>>() });
        Ok(Self {
            hs_encoding: EncodingKey::from_secret(secret.expose().as_bytes()),
            hs_decoding: DecodingKey::from_secret(secret.expose().as_bytes()),
            secret,
            signing,
            public,
            jwks,
        })
    }

    /// Returns the HS256 secret, for signed URLs and other tokens that only this project verifies.
    #[must_use]
    pub fn secret(&self) -> &Secret {
        &self.secret
    }

    /// Returns the public keys as served at `/.well-known/jwks.json`, without the HS256 secret.
    #[must_use]
    pub fn jwks(&self) -> &Value {
        &self.jwks
    }

    /// Signs the claims of a user token with the key in use, or with the HS256 secret if no key is in use.
    ///
    /// # Errors
    /// Fails if the claims cannot be serialised or signed.
    pub fn sign(&self, claims: &impl Serialize) -> Result<String, jsonwebtoken::errors::Error> {
        match &self.signing {
            Some((kid, algorithm, key)) => {
                let mut header = Header::new(*algorithm);
                header.kid = Some(kid.clone());
                jsonwebtoken::encode(&header, claims, key)
            }
            None => self.sign_hs256(claims),
        }
    }

    /// Returns the algorithm of ID tokens, which is the algorithm of the key in use. `None` without an asymmetric key: other applications
    /// cannot verify HS256 tokens.
    #[must_use]
    pub fn id_token_algorithm(&self) -> Option<&'static str> {
        self.signing.as_ref().map(|(_, algorithm, _)| if *algorithm == Algorithm::RS256 { "RS256" } else { "ES256" })
    }

    /// Signs an ID token (OpenID Connect) for another application. The `token_use` claim prevents its use as an access token.
    ///
    /// # Errors
    /// Fails if there is no asymmetric key or the claims cannot be signed.
    pub fn sign_id_token(&self, mut claims: Map<String, Value>) -> Result<String, jsonwebtoken::errors::Error> {
        if self.signing.is_none() {
            return Err(jsonwebtoken::errors::ErrorKind::InvalidKeyFormat.into());
        }
        claims.insert(TOKEN_USE.to_owned(), ID_TOKEN.into());
        self.sign(&claims)
    }

    /// Signs API keys, signed URLs and similar tokens with the HS256 secret.
    ///
    /// # Errors
    /// Fails if the claims cannot be serialised.
    pub fn sign_hs256(&self, claims: &impl Serialize) -> Result<String, jsonwebtoken::errors::Error> {
        jsonwebtoken::encode(&Header::new(Algorithm::HS256), claims, &self.hs_encoding)
    }

    /// Selects the key that verifies a token: `alg` determines the kind of key, `kid` the key. A public key is never used as an HMAC secret
    /// (RFC 8725, section 3.1) or with an algorithm other than its own.
    pub(crate) fn verifying(&self, header: &Header) -> Option<&DecodingKey> {
        match (header.alg, &header.kid) {
            (Algorithm::HS256, _) => Some(&self.hs_decoding),
            (algorithm @ (Algorithm::ES256 | Algorithm::RS256), Some(kid)) => {
                self.public.get(kid).filter(|(own, _)| *own == algorithm).map(|(_, key)| key)
            }
            _ => None,
        }
    }
}
