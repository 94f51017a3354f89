//! Rotation of signing keys: standby, in use, previously used, revoked.

use serde::{Deserialize, Serialize};

use super::{EcPrivateJwk, KeyError, SigningKey};

/// Rotation state of a signing key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyState {
    /// The key is published but does not sign yet. Verifiers can therefore cache the key before they receive the first token signed with
    /// it.
    Standby,
    /// The key signs and verifies tokens.
    InUse,
    /// The key no longer signs; tokens signed with the key stay valid until they expire.
    PreviouslyUsed,
    /// The key neither signs nor verifies; tokens signed with the key are invalid.
    Revoked,
}

impl KeyState {
    /// Returns the display name of the state.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Standby => "standby",
            Self::InUse => "in use",
            Self::PreviouslyUsed => "previously used",
            Self::Revoked => "revoked",
        }
    }
}

/// Returns the key that signs tokens: the key with state `InUse`, otherwise the first key without a state.
pub(super) fn in_use<'a>(keys: &[&'a SigningKey]) -> Option<&'a SigningKey> {
    let with = |state| keys.iter().copied().find(move |key| key.state() == state);
    with(Some(KeyState::InUse)).or_else(|| with(None))
}

/// Adds a new standby key, which is published but does not sign yet.
///
/// # Errors
/// Fails if key generation fails.
pub fn add_standby(keys: &mut Vec<EcPrivateJwk>) -> Result<(), KeyError> {
    settle(keys);
    keys.push(EcPrivateJwk { state: Some(KeyState::Standby), ..EcPrivateJwk::generate()? });
    Ok(())
}

/// Puts the standby key into use. If there is no standby key, generates a key and puts it into use. The previous key in use becomes
/// `PreviouslyUsed`.
///
/// # Errors
/// Fails if key generation fails.
pub fn rotate(keys: &mut Vec<EcPrivateJwk>) -> Result<(), KeyError> {
    settle(keys);
    if !keys.iter().any(|key| key.state == Some(KeyState::Standby)) {
        add_standby(keys)?;
    }
    for key in keys.iter_mut().filter(|key| key.state == Some(KeyState::InUse)) {
        key.state = Some(KeyState::PreviouslyUsed);
    }
    if let Some(next) = keys.iter_mut().find(|key| key.state == Some(KeyState::Standby)) {
        next.state = Some(KeyState::InUse);
    }
    Ok(())
}

/// Revokes a key: tokens signed with the key become invalid.
///
/// # Errors
/// Fails if the key is unknown, or is in use and must be rotated first.
pub fn revoke(keys: &mut [EcPrivateJwk], kid: &str) -> Result<(), KeyError> {
    settle(keys);
    let key = keys
        .iter_mut()
        .find(|key| key.kid == kid)
        .ok_or_else(|| KeyError::new(kid, "is unknown: secrets.toml has the names"))?;
    if key.state == Some(KeyState::InUse) {
        return Err(KeyError::new(kid, "is in use: rotate before it is revoked"));
    }
    key.state = Some(KeyState::Revoked);
    Ok(())
}

/// Sets the state of keys without a state. The first of these keys becomes `InUse` if no other key is in use; all others become
/// `PreviouslyUsed`.
fn settle(keys: &mut [EcPrivateJwk]) {
    let mut in_use = keys.iter().any(|key| key.state == Some(KeyState::InUse));
    for key in keys.iter_mut().filter(|key| key.state.is_none()) {
        key.state = Some(if in_use { KeyState::PreviouslyUsed } else { KeyState::InUse });
        in_use = true;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use cloch_core::Secret;
    use serde_json::json;

    use super::*;
    use crate::caller::KeyRing;
    use crate::caller::token::{TokenError, Verifier};

    fn verifier(keys: &[EcPrivateJwk]) -> Verifier {
        let secret = Secret::new("super-secret-jwt-token-with-at-least-32-characters");
        Verifier::new(Arc::new(KeyRing::new(secret, keys).unwrap()))
    }

    fn kid(token: &str) -> Option<String> {
        jsonwebtoken::decode_header(token).unwrap().kid
    }

    #[test]
    fn what_a_revoked_key_signed_is_refused() {
        let mut keys = vec![EcPrivateJwk::generate().unwrap()];
        let old = keys[0].kid.clone();
        let token = verifier(&keys).keys().sign(&json!({"role": "authenticated"})).unwrap();
        assert!(revoke(&mut keys, &old).is_err() && revoke(&mut keys, "unknown").is_err());
        rotate(&mut keys).unwrap();
        revoke(&mut keys, &old).unwrap();
        assert_eq!(verifier(&keys).verify(&token).unwrap_err(), TokenError::NoKey);
        assert_eq!(verifier(&keys).keys().jwks()["keys"].as_array().unwrap().len(), 1);
    }

    #[test]
    fn a_standby_key_is_published_signs_after_rotation_and_the_old_one_verifies_on() {
        let mut keys = vec![EcPrivateJwk::generate().unwrap()];
        let first = keys[0].kid.clone();
        let sign = |keys: &[EcPrivateJwk]| verifier(keys).keys().sign(&json!({"role": "authenticated"})).unwrap();
        let before = sign(&keys);
        add_standby(&mut keys).unwrap();
        assert_eq!(kid(&sign(&keys)), Some(first.clone()));
        assert_eq!(verifier(&keys).keys().jwks()["keys"].as_array().unwrap().len(), 2);
        let standby = keys[1].kid.clone();
        rotate(&mut keys).unwrap();
        assert_eq!(kid(&sign(&keys)), Some(standby));
        assert!(verifier(&keys).verify(&before).is_ok());
        let read: Vec<EcPrivateJwk> = serde_json::from_str(&serde_json::to_string(&keys).unwrap()).unwrap();
        assert_eq!(
            read.iter().map(|key| key.state).collect::<Vec<_>>(),
            [Some(KeyState::PreviouslyUsed), Some(KeyState::InUse)]
        );
    }

    /// Generates an RSA key as a JWK, from the numbers of its PKCS #8 encoding.
    fn rsa_jwk() -> serde_json::Value {
        use aws_lc_rs::encoding::AsDer;
        use base64::Engine;
        let pair = aws_lc_rs::rsa::KeyPair::generate(aws_lc_rs::rsa::KeySize::Rsa2048).unwrap();
        let pkcs8 = pair.as_der().unwrap();
        let (outer, _) = element(pkcs8.as_ref());
        let (_, rest) = element(outer);
        let (_, rest) = element(rest);
        let (octets, _) = element(rest);
        let (mut numbers, _) = element(octets);
        let mut jwk = json!({"kty": "RSA", "kid": "rsa", "alg": "RS256"});
        for name in ["version", "n", "e", "d", "p", "q", "dp", "dq", "qi"] {
            let (number, rest) = element(numbers);
            let number = if number[0] == 0 { &number[1..] } else { number };
            jwk[name] = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(number).into();
            numbers = rest;
        }
        jwk
    }

    /// Returns the content of the first DER element and the bytes after the element.
    fn element(bytes: &[u8]) -> (&[u8], &[u8]) {
        let (length, start) = match bytes[1] {
            short if short < 0x80 => (usize::from(short), 2),
            long => {
                let count = usize::from(long & 0x7f);
                (bytes[2..2 + count].iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte)), 2 + count)
            }
        };
        (&bytes[start..start + length], &bytes[start + length..])
    }

    #[test]
    fn rsa_keys_of_a_file_sign_and_verify_and_are_not_taken_for_another_kind() {
        let keys = SigningKey::read(&json!([rsa_jwk()]).to_string()).unwrap();
        let secret = Secret::new("super-secret-jwt-token-with-at-least-32-characters");
        let verifier = Verifier::new(Arc::new(KeyRing::with_keys(secret, &keys).unwrap()));
        let token = verifier.keys().sign(&json!({"role": "authenticated"})).unwrap();
        assert_eq!(jsonwebtoken::decode_header(&token).unwrap().alg, jsonwebtoken::Algorithm::RS256);
        assert_eq!(verifier.verify(&token).unwrap().role(), "authenticated");
        let jwk = &verifier.keys().jwks()["keys"][0];
        assert!(jwk["kty"] == "RSA" && jwk.get("d").is_none() && jwk.get("p").is_none());

        // Create a token that is signed with an EC key, but has the `kid` of the RSA key.
        let mut ec = EcPrivateJwk::generate().unwrap();
        ec.kid = jwk["kid"].as_str().unwrap().to_owned();
        let forged = self::verifier(&[ec]).keys().sign(&json!({"role": "service_role"})).unwrap();
        assert_eq!(verifier.verify(&forged).unwrap_err(), TokenError::NoKey);
        for odd in [
            "{}",
            "[{}]",
            r#"[{"kty": "oct", "k": "x", "kid": "a"}]"#,
            r#"[{"kty": "EC", "crv": "P-384", "kid": "a"}]"#,
        ] {
            assert!(SigningKey::read(odd).is_err(), "{odd}");
        }
    }
}
