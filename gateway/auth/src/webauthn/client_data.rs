//! Verifies the client data of a WebAuthn response (section 5.8.1): the browser's statement about the page that started the ceremony.

use serde::Deserialize;
use subtle::ConstantTimeEq;
use url::Url;

use super::Refusal;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ceremony {
    Create,
    Get,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ClientData {
    #[serde(rename = "type")]
    kind: String,
    challenge: String,
    origin: String,
    #[serde(default)]
    cross_origin: bool,
}

/// Checks that a WebAuthn response belongs to `ceremony` and `challenge`, and that the page has one of `origins` and is not embedded in a
/// page of another origin.
pub(super) fn check(json: &[u8], ceremony: Ceremony, challenge: &str, origins: &[String]) -> Result<(), Refusal> {
    let data: ClientData = serde_json::from_slice(json).map_err(|_| Refusal::Malformed)?;
    let expected = match ceremony {
        Ceremony::Create => "webauthn.create",
        Ceremony::Get => "webauthn.get",
    };
    if data.kind != expected {
        return Err(Refusal::Ceremony);
    }
    if challenge.is_empty() || !bool::from(data.challenge.as_bytes().ct_eq(challenge.as_bytes())) {
        return Err(Refusal::Challenge);
    }
    if data.cross_origin || !origins.iter().any(|origin| is_same_origin(origin, &data.origin)) {
        return Err(Refusal::Origin);
    }
    Ok(())
}

/// Whether two origins have the same scheme, host and port. Origins of native apps, such as `android:apk-key-hash:…`, are compared as text.
fn is_same_origin(configured: &str, actual: &str) -> bool {
    if configured == actual {
        return true;
    }
    match (Url::parse(configured), Url::parse(actual)) {
        (Ok(one), Ok(other)) => one.origin().is_tuple() && one.origin() == other.origin(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(json: &str) -> Result<(), Refusal> {
        check(
            json.as_bytes(),
            Ceremony::Get,
            "abc",
            &["https://club.example".to_owned(), "android:apk-key-hash:x".to_owned()],
        )
    }

    #[test]
    fn refuses_other_ceremonies_challenges_and_origins() {
        for (json, refusal) in [
            ("", Refusal::Malformed),
            ("[]", Refusal::Malformed),
            (r#"{"type":"webauthn.create","challenge":"abc","origin":"https://club.example"}"#, Refusal::Ceremony),
            (r#"{"type":"webauthn.get","challenge":"abd","origin":"https://club.example"}"#, Refusal::Challenge),
            (r#"{"type":"webauthn.get","challenge":"abc","origin":"https://evil.example"}"#, Refusal::Origin),
            (r#"{"type":"webauthn.get","challenge":"abc","origin":"http://club.example"}"#, Refusal::Origin),
            (r#"{"type":"webauthn.get","challenge":"abc","origin":"https://club.example:444"}"#, Refusal::Origin),
            (r#"{"type":"webauthn.get","challenge":"abc","origin":"null"}"#, Refusal::Origin),
            (
                r#"{"type":"webauthn.get","challenge":"abc","origin":"https://club.example","crossOrigin":true}"#,
                Refusal::Origin,
            ),
        ] {
            assert_eq!(checked(json), Err(refusal), "{json}");
        }
        assert_eq!(
            check(br#"{"type":"webauthn.get","challenge":"","origin":"x"}"#, Ceremony::Get, "", &["x".to_owned()]),
            Err(Refusal::Challenge)
        );
    }

    #[test]
    fn takes_the_configured_origins() {
        assert_eq!(
            checked(r#"{"type":"webauthn.get","challenge":"abc","origin":"https://club.example","crossOrigin":false}"#),
            Ok(())
        );
        assert_eq!(checked(r#"{"type":"webauthn.get","challenge":"abc","origin":"https://club.example:443"}"#), Ok(()));
        assert_eq!(checked(r#"{"type":"webauthn.get","challenge":"abc","origin":"android:apk-key-hash:x"}"#), Ok(()));
    }
}
