//! Proof Key for Code Exchange (PKCE, RFC 7636): only the browser that started a sign-in flow can complete the flow.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::error::{AuthError, Result};

/// Prefix of a one-time token whose link redirects with an authorization code (PKCE flow) instead of a session.
pub(crate) const TOKEN_PREFIX: &str = "pkce_";

/// Lifetime of a PKCE flow. The time begins with the request that starts the flow or, for a magic link, when the user follows the link.
pub(crate) const FLOW_LIFETIME: chrono::TimeDelta = chrono::TimeDelta::seconds(300);

/// A code challenge from the body of a request, not yet validated.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ChallengeParams {
    pub(crate) code_challenge: String,
    pub(crate) code_challenge_method: String,
}

#[derive(Clone, Debug)]
pub(crate) struct Challenge {
    value: String,
    method: &'static str,
}

impl ChallengeParams {
    /// Validates the code challenge and its method. A request must contain both or neither. Returns `None` if it contains neither, because
    /// the flow then does not use PKCE.
    pub(crate) fn check(&self) -> Result<Option<Challenge>> {
        match (self.code_challenge.as_str(), self.code_challenge_method.as_str()) {
            ("", "") => Ok(None),
            ("", _) | (_, "") => {
                Err(AuthError::validation("PKCE flow requires code_challenge_method and code_challenge"))
            }
            (challenge, method) => {
                check_form(challenge)?;
                Challenge::new(challenge, method).map(Some)
            }
        }
    }

    /// Validates the challenge's method but not the form of the challenge, for PUT /user. `None` if the request contains no challenge. As
    /// in GoTrue, an unknown method is an internal error.
    pub(crate) fn unchecked(&self) -> Result<Option<Challenge>> {
        if self.code_challenge.is_empty() {
            return Ok(None);
        }
        Challenge::new(&self.code_challenge, &self.code_challenge_method)
            .map(Some)
            .map_err(|error| AuthError::internal(error.message().to_owned(), "unknown code challenge method"))
    }
}

impl Challenge {
    fn new(value: &str, method: &str) -> Result<Self> {
        let method = match method.to_ascii_lowercase().as_str() {
            "s256" => "s256",
            "plain" => "plain",
            _ => {
                return Err(AuthError::validation("PKCE code challenge method must be s256 or plain"));
            }
        };
        Ok(Self { value: value.to_owned(), method })
    }

    pub(crate) fn value(&self) -> &str {
        &self.value
    }

    /// Returns the code challenge method: `s256` or `plain`.
    pub(crate) fn method(&self) -> &'static str {
        self.method
    }
}

fn check_form(challenge: &str) -> Result<()> {
    if !(43..=128).contains(&challenge.len()) {
        return Err(AuthError::validation("code challenge has to be between 43 and 128 characters"));
    }
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '~' | '-');
    if !challenge.chars().all(allowed) {
        return Err(AuthError::validation(
            "code challenge can only contain alphanumeric characters, hyphens, periods, underscores and tildes",
        ));
    }
    Ok(())
}

/// Checks that a code verifier belongs to a stored code challenge with this code challenge method.
pub(crate) fn verify(challenge: &str, method: &str, verifier: &str) -> Result<()> {
    let computed = match method {
        "s256" => URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes())),
        "plain" => verifier.to_owned(),
        _ => {
            return Err(AuthError::bad_request("bad_code_verifier", "code challenge method not supported"));
        }
    };
    if challenge.is_empty() || !bool::from(computed.as_bytes().ct_eq(challenge.as_bytes())) {
        return Err(AuthError::bad_request(
            "bad_code_verifier",
            "code challenge does not match previously saved code verifier",
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(challenge: &str, method: &str) -> Result<Option<Challenge>> {
        ChallengeParams { code_challenge: challenge.into(), code_challenge_method: method.into() }.check()
    }

    #[test]
    fn refuses_halves_and_odd_forms() {
        let good = "a".repeat(43);
        for (challenge, method) in [
            (good.as_str(), ""),
            ("", "s256"),
            ("short", "s256"),
            (&"a".repeat(129), "s256"),
            (&"ä".repeat(43), "s256"),
            (good.as_str(), "s512"),
        ] {
            assert!(check(challenge, method).is_err(), "{challenge} {method}");
        }
        assert!(check("", "").unwrap().is_none());
        assert_eq!(check(&good, "S256").unwrap().unwrap().method(), "s256");
    }

    /// Checks the example of RFC 7636, appendix B.
    #[test]
    fn only_its_own_verifier_fits() {
        let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        assert!(verify(challenge, "s256", verifier).is_ok());
        assert!(verify(challenge, "s256", challenge).is_err());
        assert!(verify(challenge, "plain", challenge).is_ok());
        assert!(verify("", "plain", "").is_err());
    }
}
