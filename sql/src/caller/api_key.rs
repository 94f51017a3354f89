//! API keys of the project, and the rules that turn the headers `apikey` and `Authorization` into one bearer token.

use http::HeaderMap;
use http::header::AUTHORIZATION;

use cloch_core::Secret;

use super::{IssuedKey, IssuedKeys, KeyKind};

/// The API keys of a project: the two legacy keys, which are JWTs, and opaque keys. [`ApiKeys::credentials`] replaces each opaque key by
/// one of the two JWTs.
#[derive(Clone, Debug)]
pub struct ApiKeys {
    /// Legacy key: an HS256 JWT with role `anon`.
    pub anon: Secret,
    /// Legacy key: an HS256 JWT with role `service_role`.
    pub service_role: Secret,
    /// The project's own opaque key `sb_publishable_…`, which grants the role `anon`.
    pub publishable: Secret,
    /// The project's own opaque key `sb_secret_…`, which grants the role `service_role`.
    pub secret: Secret,
    /// Further opaque keys, stored in the table `cloch.api_keys`, and the revoked keys.
    pub issued: IssuedKeys,
}

/// Credentials of a request, combined from the headers `apikey` and `Authorization` ([`ApiKeys::credentials`]).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Credentials {
    /// No credentials: neither an `Authorization` header nor an `apikey` header that replaces it.
    None,
    /// Value of the `Authorization` header, possibly derived from the `apikey` header.
    Authorization(String),
}

impl ApiKeys {
    /// Combines the headers `Authorization` and `apikey`. Returns an `Authorization` header unchanged unless it begins with `Bearer sb_`.
    /// Otherwise takes the API key from `apikey`, or else from `Authorization`. If this key is an opaque key of the project, returns the
    /// key's JWT; otherwise returns the key itself as the bearer token.
    #[must_use]
    pub fn credentials(&self, headers: &HeaderMap) -> Credentials {
        let text = |name| headers.get(name).and_then(|value: &http::HeaderValue| value.to_str().ok());
        match text(AUTHORIZATION) {
            Some(value) if !value.starts_with("Bearer sb_") => Credentials::Authorization(value.to_owned()),
            bearer => {
                let opaque = bearer.and_then(|value| value.strip_prefix("Bearer "));
                match text(http::HeaderName::from_static("apikey")).or(opaque) {
                    Some(key) => self.stands_for(key),
                    None => Credentials::None,
                }
            }
        }
    }

    fn stands_for(&self, key: &str) -> Credentials {
        match self.opaque(key) {
            Some(KeyKind::Secret) => Credentials::Authorization(format!("Bearer {}", self.service_role.expose())),
            Some(KeyKind::Publishable) => Credentials::Authorization(format!("Bearer {}", self.anon.expose())),
            None if key.is_empty() => Credentials::None,
            // A revoked key is refused in the same way as an unknown key: it is not a JWT, so its verification as a bearer token fails.
            None => Credentials::Authorization(format!("Bearer {key}")),
        }
    }

    /// Returns the kind of a valid opaque key of the project.
    fn opaque(&self, key: &str) -> Option<KeyKind> {
        match self.issued.find(key) {
            Some(IssuedKey::Valid(kind)) => Some(kind),
            Some(IssuedKey::Revoked) => None,
            None if self.secret.matches(key) => Some(KeyKind::Secret),
            None if self.publishable.matches(key) => Some(KeyKind::Publishable),
            None => None,
        }
    }

    /// Whether a text is a valid API key of the project.
    #[must_use]
    pub fn knows(&self, key: &str) -> bool {
        [&self.anon, &self.service_role].into_iter().any(|known| known.matches(key)) || self.opaque(key).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys() -> ApiKeys {
        ApiKeys {
            anon: Secret::new("a.n.on"),
            service_role: Secret::new("s.r.v"),
            publishable: Secret::new("sb_publishable_x"),
            secret: Secret::new("sb_secret_y"),
            issued: IssuedKeys::default(),
        }
    }

    #[test]
    fn keys_of_the_database_are_accepted_until_they_are_revoked() {
        let keys = keys();
        let bearer = |key: &str| {
            keys.credentials(&HeaderMap::from_iter([(http::HeaderName::from_static("apikey"), key.parse().unwrap())]))
        };
        let authorization = |text: &str| Credentials::Authorization(format!("Bearer {text}"));
        let (secret, publishable) = (IssuedKey::Valid(KeyKind::Secret), IssuedKey::Valid(KeyKind::Publishable));
        keys.issued.replace(&[("sb_secret_new", secret), ("sb_publishable_new", publishable)]);
        assert_eq!(bearer("sb_secret_new"), authorization("s.r.v"));
        assert_eq!(bearer("sb_publishable_new"), authorization("a.n.on"));
        assert_eq!(
            bearer("sb_secret_y"),
            authorization("s.r.v"),
            "the project's own key is accepted beside the new key"
        );
        // All clones share the issued keys. The test checks this because each API has a clone.
        keys.clone().issued.replace(&[("sb_secret_new", secret), ("sb_secret_y", IssuedKey::Revoked)]);
        assert_eq!(bearer("sb_secret_y"), authorization("sb_secret_y"));
        assert!(!keys.knows("sb_secret_y") && keys.knows("sb_secret_new") && !keys.knows("sb_publishable_new"));
        assert_eq!(bearer("sb_publishable_new"), authorization("sb_publishable_new"));
    }

    fn credentials(pairs: &[(&'static str, &'static str)]) -> Credentials {
        let headers = pairs.iter().map(|(name, value)| (name.parse(), value.parse())).fold(
            HeaderMap::new(),
            |mut map, (name, value)| {
                if let (Ok::<http::HeaderName, _>(name), Ok(value)) = (name, value) {
                    map.insert(name, value);
                }
                map
            },
        );
        keys().credentials(&headers)
    }

    #[test]
    fn an_unknown_opaque_bearer_without_key_stays_a_refusable_token() {
        assert_eq!(
            credentials(&[("authorization", "Bearer sb_secret_forged")]),
            Credentials::Authorization("Bearer sb_secret_forged".into())
        );
    }

    #[test]
    fn a_user_token_wins_over_the_key() {
        assert_eq!(
            credentials(&[("authorization", "Bearer u.s.r"), ("apikey", "sb_secret_y")]),
            Credentials::Authorization("Bearer u.s.r".into())
        );
    }

    #[test]
    fn opaque_keys_stand_for_their_tokens() {
        let expected = Credentials::Authorization("Bearer s.r.v".into());
        assert_eq!(credentials(&[("apikey", "sb_secret_y")]), expected);
        assert_eq!(credentials(&[("authorization", "Bearer sb_secret_y"), ("apikey", "sb_secret_y")]), expected);
        assert_eq!(credentials(&[("apikey", "sb_publishable_x")]), Credentials::Authorization("Bearer a.n.on".into()));
    }

    #[test]
    fn no_credentials_at_all() {
        assert_eq!(credentials(&[]), Credentials::None);
    }
}
