//! The keys that sign and verify tokens: the HS256 secret, and any number of ES256 and RS256 keys told apart by `kid`.

mod jwk;
mod rotation;

use std::collections::HashMap;

use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header};
use serde::Serialize;
use serde_json::{Map, Value, json};

pub use jwk::{EcPrivateJwk, KeyError, RsaPrivateJwk, SigningKey};
pub use rotation::{KeyState, add_standby, revoke, rotate};

use cloch_core::Secret;

/// The claim that tells an ID token from an access token, as other issuers name it.
const TOKEN_USE: &str = "token_use";
const ID_TOKEN: &str = "id";

/// Whether claims are those of an ID token, which says who signed in to another application and opens nothing.
pub(super) fn is_id_token(claims: &Map<String, Value>) -> bool {
    claims.get(TOKEN_USE).and_then(Value::as_str) == Some(ID_TOKEN)
}

/// The keys that sign and verify tokens of this project.
pub struct KeyRing {
    secret: Secret,
    hs_encoding: EncodingKey,
    hs_decoding: DecodingKey,
    /// The key that signs user tokens; without one, the HS256 secret signs them.
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
    /// A ring from the HS256 secret and the EC keys of `secrets.toml`.
    ///
    /// # Errors
    /// When a key is malformed.
    pub fn new(secret: Secret, keys: &[EcPrivateJwk]) -> Result<Self, KeyError> {
        let keys: Vec<SigningKey> = keys.iter().cloned().map(SigningKey::Ec).collect();
        Self::with_keys(secret, &keys)
    }

    /// A ring from the HS256 secret and keys of any kind. The key in use signs user tokens; all keys except revoked ones verify tokens and
    /// are published.
    ///
    /// # Errors
    /// When a key is malformed, or two have one `kid`.
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

    /// The HS256 secret: for signed URLs and other tokens that only this project verifies.
    #[must_use]
    pub fn secret(&self) -> &Secret {
        &self.secret
    }

    /// The public keys, as `/.well-known/jwks.json` serves them. The secret is never part of it.
    #[must_use]
    pub fn jwks(&self) -> &Value {
        &self.jwks
    }

    /// Signs a user's claims with the key in use.
    ///
    /// # Errors
    /// When the claims cannot be serialised or signed.
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

    /// The algorithm of ID tokens: that of the key in use. `None` without such a key, as the secret is known to nobody else.
    #[must_use]
    pub fn id_token_algorithm(&self) -> Option<&'static str> {
        self.signing.as_ref().map(|(_, algorithm, _)| if *algorithm == Algorithm::RS256 { "RS256" } else { "ES256" })
    }

    /// Signs an ID token (OpenID Connect) for another application. Its `token_use` keeps it from being taken for an access token here.
    ///
    /// # Errors
    /// When there is no asymmetric key, or the claims cannot be signed.
    pub fn sign_id_token(&self, mut claims: Map<String, Value>) -> Result<String, jsonwebtoken::errors::Error> {
        if self.signing.is_none() {
            return Err(jsonwebtoken::errors::ErrorKind::InvalidKeyFormat.into());
        }
        claims.insert(TOKEN_USE.to_owned(), ID_TOKEN.into());
        self.sign(&claims)
    }

    /// Signs with the secret: API keys, signed URLs.
    ///
    /// # Errors
    /// When the claims cannot be serialised.
    pub fn sign_hs256(&self, claims: &impl Serialize) -> Result<String, jsonwebtoken::errors::Error> {
        jsonwebtoken::encode(&Header::new(Algorithm::HS256), claims, &self.hs_encoding)
    }

    /// The key that verifies a token with this header: the algorithm selects the kind of key, `kid` the key. A public key is never used as
    /// an HMAC secret (RFC 8725, section 3.1), nor as a key of another algorithm.
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
