//! Private keys as JWKs (RFC 7517, RFC 7518), the format of keys in `secrets.toml` and in the file of `signing_keys_path`.

use aws_lc_rs::encoding::AsBigEndian;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::KeyState;

/// Minimum length of an RSA modulus in bytes, 2048 bits (NIST SP 800-131A).
const MIN_RSA_BYTES: usize = 256;

/// Error of an unusable signing key: key ID and reason.
#[derive(Debug, thiserror::Error)]
#[error("signing key {kid} {reason}")]
pub struct KeyError {
    kid: String,
    reason: String,
}

impl KeyError {
    pub(super) fn new(kid: &str, reason: impl Into<String>) -> Self {
        Self { kid: kid.to_owned(), reason: reason.into() }
    }
}

/// Private key that signs tokens.
#[derive(Clone, Debug)]
pub enum SigningKey {
    /// P-256 key, which signs with algorithm ES256.
    Ec(EcPrivateJwk),
    /// RSA key, which signs with algorithm RS256.
    Rsa(RsaPrivateJwk),
}

/// Private P-256 key; all numbers are base64url.
#[derive(Clone, Serialize, Deserialize)]
pub struct EcPrivateJwk {
    /// Key ID (`kid`) in the token header.
    pub kid: String,
    /// x coordinate of the public key's point on the curve.
    pub x: String,
    /// y coordinate of the public key's point on the curve.
    pub y: String,
    /// Private scalar of the key, from which the public key is derived.
    pub d: String,
    /// Rotation state; `None` to derive the state from the key's position in the list of keys: the first key is in use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<KeyState>,
}

/// Private RSA key; all numbers are base64url.
#[derive(Clone, Serialize, Deserialize)]
pub struct RsaPrivateJwk {
    /// Key ID (`kid`) in the token header.
    pub kid: String,
    /// RSA modulus.
    pub n: String,
    /// Public RSA exponent.
    pub e: String,
    /// Private RSA exponent.
    pub d: String,
    /// First prime factor of the modulus.
    pub p: String,
    /// Second prime factor of the modulus.
    pub q: String,
    /// `d mod (p - 1)`.
    pub dp: String,
    /// `d mod (q - 1)`.
    pub dq: String,
    /// Inverse of `q` modulo `p`.
    pub qi: String,
    /// Rotation state; `None` to derive the state from the key's position in the list of keys.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<KeyState>,
}

impl std::fmt::Debug for EcPrivateJwk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "EcPrivateJwk {{ kid: {:?}, state: {:?}, … }}", self.kid, self.state)
    }
}

impl std::fmt::Debug for RsaPrivateJwk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "RsaPrivateJwk {{ kid: {:?}, state: {:?}, … }}", self.kid, self.state)
    }
}

impl EcPrivateJwk {
    /// Generates a new P-256 key with a random key ID.
    ///
    /// # Errors
    /// Fails if the system's random source fails.
    pub fn generate() -> Result<Self, KeyError> {
        let kid = uuid::Uuid::new_v4().to_string();
        let failed = |_| KeyError::new(&kid, "cannot be generated");
        let pair = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).map_err(failed)?;
        let d = pair.private_key().as_be_bytes().map_err(failed)?;
        // The uncompressed point is 0x04, then x and y of 32 bytes each.
        let point = pair.public_key().as_ref();
        let (x, y) = point.split_first().map_or((&[][..], &[][..]), |(_, xy)| xy.split_at(xy.len() / 2));
        Ok(Self {
            kid: kid.clone(),
            x: URL_SAFE_NO_PAD.encode(x),
            y: URL_SAFE_NO_PAD.encode(y),
            d: URL_SAFE_NO_PAD.encode(d.as_ref()),
            state: None,
        })
    }

    /// Returns the public key in JWKS format.
    #[must_use]
    pub fn public_jwk(&self) -> Value {
        json!({
            "kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "key_ops": ["verify"], "ext": true,
            "kid": self.kid, "x": self.x, "y": self.y,
        })
    }

    fn encoding_key(&self) -> Result<EncodingKey, KeyError> {
        let mut point = vec![0x04];
        point.extend(decode(&self.kid, &self.x)?);
        point.extend(decode(&self.kid, &self.y)?);
        let d = decode(&self.kid, &self.d)?;
        let pair = EcdsaKeyPair::from_private_key_and_public_key(&ECDSA_P256_SHA256_FIXED_SIGNING, &d, &point)
            .map_err(|_| KeyError::new(&self.kid, "is no valid P-256 key pair"))?;
        let pkcs8 = pair.to_pkcs8v1().map_err(|_| KeyError::new(&self.kid, "cannot be encoded"))?;
        Ok(EncodingKey::from_ec_der(pkcs8.as_ref()))
    }
}

impl RsaPrivateJwk {
    fn public_jwk(&self) -> Value {
        json!({
            "kty": "RSA", "alg": "RS256", "use": "sig", "key_ops": ["verify"], "ext": true,
            "kid": self.kid, "n": self.n, "e": self.e,
        })
    }

    /// Encodes the key as PKCS #1 (RFC 8017, A.1.2): a sequence of the version and eight numbers.
    fn encoding_key(&self) -> Result<EncodingKey, KeyError> {
        if decode(&self.kid, &self.n)?.len() < MIN_RSA_BYTES {
            return Err(KeyError::new(&self.kid, "is shorter than 2048 bits"));
        }
        let mut numbers = der(0x02, &[0]);
        for number in [&self.n, &self.e, &self.d, &self.p, &self.q, &self.dp, &self.dq, &self.qi] {
            let bytes = decode(&self.kid, number)?;
            let start = bytes.iter().position(|byte| *byte != 0).unwrap_or(bytes.len());
            let magnitude = bytes.get(start..).unwrap_or_default();
            // DER integers are signed: a leading zero byte keeps a number positive whose first bit is one.
            let sign: &[u8] = if magnitude.first().is_none_or(|byte| byte & 0x80 != 0) { &[0] } else { &[] };
            numbers.extend(der(0x02, &[sign, magnitude].concat()));
        }
        let encoded = der(0x30, &numbers);
        aws_lc_rs::signature::RsaKeyPair::from_der(&encoded)
            .map_err(|_| KeyError::new(&self.kid, "is no valid RSA key pair"))?;
        Ok(EncodingKey::from_rsa_der(&encoded))
    }
}

/// Encodes a DER element: tag, length, content.
fn der(tag: u8, content: &[u8]) -> Vec<u8> {
    let mut out = vec![tag];
    let length = content.len().to_be_bytes();
    let length =
        length.get(length.iter().position(|byte| *byte != 0).unwrap_or(length.len() - 1)..).unwrap_or_default();
    if content.len() >= 0x80 {
        // The length of the content needs at most eight bytes, so the number of these bytes fits into a `u8`.
        out.push(0x80 | u8::try_from(length.len()).unwrap_or_default());
    }
    out.extend_from_slice(length);
    out.extend_from_slice(content);
    out
}

fn decode(kid: &str, text: &str) -> Result<Vec<u8>, KeyError> {
    URL_SAFE_NO_PAD.decode(text).map_err(|_| KeyError::new(kid, "is not base64url"))
}

impl SigningKey {
    /// Parses a JSON array of private JWKs, as in the file of `signing_keys_path`. If no key has state `InUse`, the first key without a
    /// state signs; the other keys only verify.
    ///
    /// # Errors
    /// Fails if the text is not an array of JWKs, or a key is neither RSA nor P-256.
    pub fn read(text: &str) -> Result<Vec<Self>, KeyError> {
        let list: Vec<Value> = serde_json::from_str(text)
            .map_err(|error| KeyError::new("?", format!("not an array of JSON Web Keys ({error})")))?;
        list.into_iter()
            .map(|jwk| {
                let text = |name: &str| jwk.get(name).and_then(Value::as_str);
                let kid = text("kid").unwrap_or("?").to_owned();
                let malformed = |error: serde_json::Error| KeyError::new(&kid, error.to_string());
                match (text("kty"), text("crv")) {
                    (Some("EC"), Some("P-256")) => serde_json::from_value(jwk).map(Self::Ec).map_err(malformed),
                    (Some("RSA"), _) => serde_json::from_value(jwk).map(Self::Rsa).map_err(malformed),
                    _ => Err(KeyError::new(&kid, "is neither an RSA key nor one on the curve P-256")),
                }
            })
            .collect()
    }

    pub(super) fn kid(&self) -> &str {
        match self {
            Self::Ec(key) => &key.kid,
            Self::Rsa(key) => &key.kid,
        }
    }

    pub(super) fn state(&self) -> Option<KeyState> {
        match self {
            Self::Ec(key) => key.state,
            Self::Rsa(key) => key.state,
        }
    }

    pub(super) fn algorithm(&self) -> Algorithm {
        match self {
            Self::Ec(_) => Algorithm::ES256,
            Self::Rsa(_) => Algorithm::RS256,
        }
    }

    pub(super) fn public_jwk(&self) -> Value {
        match self {
            Self::Ec(key) => key.public_jwk(),
            Self::Rsa(key) => key.public_jwk(),
        }
    }

    pub(super) fn encoding_key(&self) -> Result<EncodingKey, KeyError> {
        match self {
            Self::Ec(key) => key.encoding_key(),
            Self::Rsa(key) => key.encoding_key(),
        }
    }

    pub(super) fn decoding_key(&self) -> Result<DecodingKey, KeyError> {
        match self {
            Self::Ec(key) => DecodingKey::from_ec_components(&key.x, &key.y),
            Self::Rsa(key) => DecodingKey::from_rsa_components(&key.n, &key.e),
        }
        .map_err(|error| KeyError::new(self.kid(), error.to_string()))
    }
}
